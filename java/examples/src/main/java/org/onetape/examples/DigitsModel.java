package org.onetape.examples;

import org.onetape.Tensor;
import org.onetape.nn.CrossEntropyLossImpl;
import org.onetape.nn.LinearImpl;
import org.onetape.nn.Module;

/** A classifier of handwritten digits: two linear layers with a rectifier between them. */
public class DigitsModel extends Module {
  /** Pixels of an image. */
  static final int INPUTS = 64;

  /** Numbers between the layers. */
  static final int HIDDEN = 64;

  /** The digits. */
  static final int CLASSES = 10;

  private final LinearImpl first = new LinearImpl(INPUTS, HIDDEN);
  private final LinearImpl second = new LinearImpl(HIDDEN, CLASSES);
  private final CrossEntropyLossImpl criterion = new CrossEntropyLossImpl();

  @Override
  public Tensor forward(Tensor images) {
    return second.forward(first.forward(images).relu());
  }

  /** How far the scores of some images are from their labels. */
  public Tensor loss(Tensor scores, Tensor labels) {
    return criterion.forward(scores, labels);
  }
}
