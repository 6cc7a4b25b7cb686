package org.onetape.nn;

import java.util.NoSuchElementException;
import org.onetape.BytePointer;
import org.onetape.StringTensorDict;
import org.onetape.StringVector;
import org.onetape.Tensor;
import org.onetape.TensorVector;

/** Parameters under names. */
public class ParameterDictImpl extends Module {
  /** An empty dictionary. */
  public ParameterDictImpl() {
    super("ParameterDict");
  }

  /** A dictionary of the given parameters. */
  public ParameterDictImpl(StringTensorDict parameters) {
    this();
    parameters.forEach(item -> insert(item.key(), item.access()));
  }

  /** Adds a parameter under a name; returns it. */
  public Tensor insert(String name, Tensor parameter) {
    return register_parameter(name, parameter, parameter.requires_grad());
  }

  /** Adds a parameter under a name; returns it. */
  public Tensor insert(BytePointer name, Tensor parameter) {
    return insert(name.getString(), parameter);
  }

  /** The parameter under a name. */
  public Tensor get(String name) {
    if (!contains(name)) {
      throw new NoSuchElementException("Key '" + name + "' is not defined");
    }
    return parameter(name);
  }

  /** Takes the parameter under a name out; returns it. */
  public Tensor pop(String name) {
    Tensor found = get(name);
    parameterMap().remove(name);
    return found;
  }

  /** Whether there is a parameter under a name. */
  public boolean contains(String name) {
    return parameterMap().containsKey(name);
  }

  /** The names. */
  public StringVector keys() {
    return named_parameters(false).keys();
  }

  /** The parameters. */
  public TensorVector values() {
    return parameters(false);
  }

  /** The number of parameters. */
  public long size() {
    return parameterMap().size();
  }

  /** Whether there are no parameters. */
  public boolean empty() {
    return size() == 0;
  }

  /** Takes all parameters out. */
  public void clear() {
    parameterMap().clear();
  }
}
