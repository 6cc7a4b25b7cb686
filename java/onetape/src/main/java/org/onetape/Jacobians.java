package org.onetape;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.onetape.Autograd.TensorsFunction;
import org.onetape.global.torch;

/** Whole Jacobians, a row or a column at a time: the work behind the methods of Autograd. */
final class Jacobians {
  private Jacobians() {}

  static long[] joined(Tensor output, Tensor input) {
    return LongStream.concat(Arrays.stream(output.shape()), Arrays.stream(input.shape())).toArray();
  }

  /** The k-th unit vector of the space of tensors like this one. */
  static Tensor unit(Tensor like, long k) {
    Tensor flat = torch.zeros_like(like).contiguous().view(-1);
    flat.select(0, k).fill_(1.0);
    return flat.view(like.shape());
  }

  /** By one backward pass a row. */
  static Tensor[][] reverse(
      TensorsFunction function, Tensor[] inputs, boolean createGraph, boolean strict) {
    Products.checkTensors(inputs, "inputs", "jacobian");
    try (EnableGradGuard guard = new EnableGradGuard()) {
      Tensor[] leaves = Products.fresh(inputs, createGraph, true);
      Tensor[] outputs = function.apply(leaves);
      Products.checkTensors(outputs, "outputs of the user-provided function", "jacobian");
      Tensor[][] jacobian = new Tensor[outputs.length][];
      for (int i = 0; i < outputs.length; i++) {
        checkRecorded(outputs[i], i, strict);
        jacobian[i] = Products.plain(rows(outputs[i], i, leaves, createGraph, strict), createGraph);
      }
      return jacobian;
    }
  }

  private static void checkRecorded(Tensor output, int i, boolean strict) {
    if (strict && !output.requires_grad()) {
      throw new TorchException(
          "Output "
              + i
              + " of the user-provided function does not require gradients. The outputs"
              + " must be computed in a differentiable manner from the input when running in strict"
              + " mode.");
    }
  }

  private static Tensor[] rows(
      Tensor output, int i, Tensor[] leaves, boolean createGraph, boolean strict) {
    Tensor flat = output.reshape(-1);
    List<Tensor[]> rows = new ArrayList<>();
    for (long k = 0; k < flat.numel(); k++) {
      Tensor[] element = {flat.select(0, k)};
      Tensor[] row = Products.gradients(element, leaves, null, true, createGraph);
      for (int j = 0; j < row.length; j++) {
        if (strict && row[j] == null) {
          throw new TorchException(
              "Output "
                  + i
                  + " of the user-provided function is independent of input "
                  + j
                  + ". This is not allowed in strict mode.");
        }
        if (strict && createGraph && !row[j].requires_grad()) {
          throw new TorchException(
              "The jacobian of the user-provided function is independent of input "
                  + i
                  + ". This is not allowed in strict mode when create_graph=True.");
        }
        row[j] = row[j] == null ? torch.zeros_like(leaves[j]) : row[j];
      }
      rows.add(row);
    }
    Tensor[] parts = new Tensor[leaves.length];
    for (int j = 0; j < parts.length; j++) {
      int place = j;
      Tensor[] column = rows.stream().map(row -> row[place]).toArray(Tensor[]::new);
      parts[j] = torch.stack(new TensorVector(column)).view(joined(output, leaves[j]));
    }
    return parts;
  }

  /** By one forward pass a column. */
  static Tensor[][] forward(TensorsFunction function, Tensor[] inputs) {
    Products.checkTensors(inputs, "inputs", "jacobian");
    Tensor[] outputs = null;
    List<List<Tensor[]>> columns = new ArrayList<>(); // input, its element: for each output
    for (int j = 0; j < inputs.length; j++) {
      columns.add(new ArrayList<>());
      for (long k = 0; k < inputs[j].numel(); k++) {
        outputs = alongUnit(function, inputs, j, k, columns.get(j));
      }
    }
    if (outputs == null) {
      throw new TorchException("jacobian: forward mode needs an input with elements");
    }
    Tensor[][] jacobian = new Tensor[outputs.length][inputs.length];
    for (int i = 0; i < outputs.length; i++) {
      for (int j = 0; j < inputs.length; j++) {
        int place = i;
        long[] shape = joined(outputs[i], inputs[j]);
        Tensor[] column = columns.get(j).stream().map(c -> c[place]).toArray(Tensor[]::new);
        jacobian[i][j] =
            column.length == 0
                ? torch.zeros_like(outputs[i]).new_zeros(shape)
                : torch.stack(new TensorVector(column), -1).reshape(shape);
      }
    }
    return jacobian;
  }

  private static Tensor[] alongUnit(
      TensorsFunction function, Tensor[] inputs, int j, long k, List<Tensor[]> columns) {
    try (ForwardAD level = new ForwardAD()) {
      Tensor[] duals = new Tensor[inputs.length];
      for (int i = 0; i < duals.length; i++) {
        Tensor tangent =
            i == j ? unit(inputs[i].detach(), k) : torch.zeros_like(inputs[i].detach());
        duals[i] = ForwardAD.makeDual(inputs[i], tangent);
      }
      Tensor[] outputs = function.apply(duals);
      Products.checkTensors(outputs, "outputs of the user-provided function", "jacobian");
      Tensor[] tangents = new Tensor[outputs.length];
      Tensor[] primals = new Tensor[outputs.length];
      for (int i = 0; i < outputs.length; i++) {
        ForwardAD.Dual dual = ForwardAD.unpackDual(outputs[i]);
        primals[i] = dual.primal();
        tangents[i] = dual.tangent().defined() ? dual.tangent() : torch.zeros_like(dual.primal());
      }
      columns.add(tangents);
      return primals;
    }
  }
}
