package org.onetape.nn;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.onetape.Tensor;

/** Parameters in an order. */
public class ParameterListImpl extends Module implements Iterable<Tensor> {
  /** An empty list. */
  public ParameterListImpl() {
    super("ParameterList");
  }

  /** A list of the given parameters. */
  public ParameterListImpl(Tensor... parameters) {
    this();
    for (Tensor parameter : parameters) {
      append(parameter);
    }
  }

  /** Adds a parameter at the end. */
  public void append(Tensor parameter) {
    register_parameter(Long.toString(size()), parameter);
  }

  /** The i-th parameter. */
  public Tensor get(long i) {
    List<Tensor> all = new ArrayList<>(parameterMap().values());
    if (i < 0 || i >= all.size()) {
      throw new IndexOutOfBoundsException("index " + i + " is out of range");
    }
    return new Tensor(all.get((int) i));
  }

  /** The i-th parameter. */
  public Tensor at(long i) {
    return get(i);
  }

  /** The number of parameters. */
  public long size() {
    return parameterMap().size();
  }

  /** Whether there are no parameters. */
  public boolean is_empty() {
    return size() == 0;
  }

  @Override
  public Iterator<Tensor> iterator() {
    List<Tensor> all = new ArrayList<>();
    parameterMap().values().forEach(parameter -> all.add(new Tensor(parameter)));
    return all.iterator();
  }
}
