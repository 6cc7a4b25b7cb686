package org.onetape;

import java.util.Arrays;
import org.onetape.global.torch;

/** Gradients of several rows of vectors, one backward pass a row. */
final class Batches {
  private Batches() {}

  static Tensor[] grad(
      Tensor[] outputs,
      Tensor[] inputs,
      Tensor[] vectors,
      boolean retainGraph,
      boolean createGraph,
      boolean allowUnused) {
    Products.checkTensors(outputs, "outputs", "grad");
    Products.checkTensors(inputs, "inputs", "grad");
    long rows = rows(outputs, vectors);
    Tensor[][] found = new Tensor[Math.toIntExact(rows)][];
    for (int row = 0; row < found.length; row++) {
      Tensor[] along = new Tensor[vectors.length];
      for (int i = 0; i < along.length; i++) {
        along[i] = vectors[i].select(0, row);
      }
      boolean retain = retainGraph || row + 1 < rows;
      found[row] = Autograd.grad(outputs, inputs, along, retain, createGraph, allowUnused);
    }
    Tensor[] stacked = new Tensor[inputs.length];
    for (int i = 0; i < stacked.length; i++) {
      int place = i;
      if (found.length == 0) {
        stacked[i] = inputs[i].new_zeros(shape(0, inputs[i]));
      } else if (found[0][i].defined()) {
        Tensor[] column = Arrays.stream(found).map(row -> row[place]).toArray(Tensor[]::new);
        stacked[i] = torch.stack(new TensorVector(column));
      } else {
        stacked[i] = found[0][i];
      }
    }
    return stacked;
  }

  private static long[] shape(long rows, Tensor like) {
    long[] shape = new long[Math.toIntExact(like.dim()) + 1];
    shape[0] = rows;
    System.arraycopy(like.shape(), 0, shape, 1, shape.length - 1);
    return shape;
  }

  private static long rows(Tensor[] outputs, Tensor[] vectors) {
    Products.checkTensors(vectors, "grad_outputs", "grad");
    if (vectors.length != outputs.length) {
      throw new TorchException(
          "got " + outputs.length + " tensors and " + vectors.length + " gradients");
    }
    for (int i = 0; i < vectors.length; i++) {
      Tensor vector = vectors[i];
      if (vector.dim() == 0 || !Arrays.equals(shape(vector.size(0), outputs[i]), vector.shape())) {
        throw new TorchException(
            "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as"
                + " the batch dimension. The sizes of the remaining dimensions are expected to"
                + " match the shape of corresponding output, but a mismatch was detected:"
                + " grad_output["
                + i
                + "] has a shape of torch.Size("
                + Arrays.toString(vector.shape())
                + ") and output["
                + i
                + "] has a shape of torch.Size("
                + Arrays.toString(outputs[i].shape())
                + ").");
      }
      if (vector.size(0) != vectors[0].size(0)) {
        throw new IllegalArgumentException(
            "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes ["
                + vectors[0].size(0)
                + ", "
                + vector.size(0)
                + "] for the mapped dimension");
      }
    }
    return vectors[0].size(0);
  }
}
