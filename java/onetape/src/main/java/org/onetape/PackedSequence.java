package org.onetape;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.onetape.global.torch;

/**
 * Sequences without padding, the longer ones first: the first step of each, then the second, and so
 * on.
 */
public final class PackedSequence extends Value {
  private final Tensor data;
  private final Tensor batchSizes;
  private final Tensor sortedIndices;
  private final Tensor unsortedIndices;

  /** Sequences that stand in their first order. */
  public PackedSequence(Tensor data, Tensor batchSizes) {
    this(data, batchSizes, new Tensor(), new Tensor());
  }

  /**
   * Sequences.
   *
   * @param data (steps of all sequences, …)
   * @param batchSizes how many sequences have each step
   * @param sortedIndices where each sequence stood before; undefined if there
   * @param unsortedIndices where each sequence went; undefined if it stayed
   */
  public PackedSequence(
      Tensor data, Tensor batchSizes, Tensor sortedIndices, Tensor unsortedIndices) {
    this.data = data;
    this.batchSizes = batchSizes;
    this.sortedIndices = sortedIndices;
    this.unsortedIndices = unsortedIndices;
  }

  /** The steps of all sequences. */
  public Tensor data() {
    return data;
  }

  /** How many sequences have each step. */
  public Tensor batch_sizes() {
    return batchSizes;
  }

  /** Where each sequence stood before; undefined if there. */
  public Tensor sorted_indices() {
    return sortedIndices;
  }

  /** Where each sequence went; undefined if it stayed. */
  public Tensor unsorted_indices() {
    return unsortedIndices;
  }

  private static long[] sizesOf(long[] lengths) {
    long[] sizes = new long[(int) lengths[0]];
    for (long length : lengths) {
      for (int step = 0; step < length; step++) {
        sizes[step]++;
      }
    }
    return sizes;
  }

  /** Rows of (steps · batch) that the packed data consists of. */
  private static Tensor rows(long[] sizes, long batch) {
    List<Long> rows = new ArrayList<>();
    for (int step = 0; step < sizes.length; step++) {
      for (long place = 0; place < sizes[step]; place++) {
        rows.add(step * batch + place);
      }
    }
    return torch.tensor(rows.stream().mapToLong(Long::longValue).toArray());
  }

  private static long[] withoutFirst(Tensor tensor, int count, long... first) {
    long[] sizes = tensor.shape();
    long[] found = Arrays.copyOf(first, first.length + sizes.length - count);
    System.arraycopy(sizes, count, found, first.length, sizes.length - count);
    return found;
  }

  private static void checkLengths(long[] lengths, long batch, boolean sorted) {
    if (batch == 0) {
      throw new TorchException("Cannot pack empty tensors.");
    }
    if (lengths.length != batch) {
      throw new TorchException(
          "Expected `len(lengths)` to be equal to batch_size, but got "
              + lengths.length
              + " (batch_size="
              + batch
              + ")");
    }
    for (int i = 1; sorted && i < lengths.length; i++) {
      if (lengths[i] > lengths[i - 1]) {
        throw new TorchException(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You"
                + " can pass `enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to"
                + " sidestep this requirement if you do not need ONNX exportability.");
      }
    }
    if (Arrays.stream(lengths).anyMatch(length -> length <= 0)) {
      throw new TorchException(
          "Length of all samples has to be greater than 0, but found an element in 'lengths' that"
              + " is <= 0");
    }
  }

  /**
   * Packs padded sequences.
   *
   * @param input (steps, batch, …), or the batch first
   * @param lengths of the sequences
   * @param enforceSorted the lengths must decrease; else the sequences are sorted by them
   */
  public static PackedSequence pack(
      Tensor input, Tensor lengths, boolean batchFirst, boolean enforceSorted) {
    Tensor stepsFirst = batchFirst ? input.transpose(0, 1) : input;
    long batch = stepsFirst.size(1);
    long[] numbers = lengths.to(torch.ScalarType.Long).toLongArray();
    checkLengths(numbers, batch, enforceSorted);
    Tensor order = new Tensor();
    Tensor place = new Tensor();
    if (!enforceSorted) {
      T_TensorTensor_T sorted = torch.tensor(numbers).sort(0, true);
      order = sorted.get1();
      place = order.argsort();
      stepsFirst = stepsFirst.index_select(1, order);
      numbers = sorted.get0().toLongArray();
    }
    if (numbers[0] > stepsFirst.size(0)) {
      throw new TorchException(
          "Expected lengths of at most the "
              + stepsFirst.size(0)
              + " steps of the input, but got "
              + numbers[0]);
    }
    long[] sizes = sizesOf(numbers);
    Tensor flat = stepsFirst.reshape(withoutFirst(stepsFirst, 2, -1));
    Tensor data = flat.index_select(0, rows(sizes, batch));
    return new PackedSequence(data, torch.tensor(sizes), order, place);
  }

  /**
   * Padded sequences, (steps, batch, …) or the batch first, and their lengths.
   *
   * @param totalLength the number of steps; that of the longest sequence if empty
   */
  public T_TensorTensor_T pad(boolean batchFirst, double paddingValue, LongOptional totalLength) {
    long[] sizes = batchSizes.toLongArray();
    long steps = sizes.length;
    if (totalLength.has_value()) {
      if (totalLength.get() < steps) {
        throw new IllegalArgumentException(
            "Expected total_length to be at least the length of the longest sequence in input, but"
                + " got total_length="
                + totalLength.get()
                + " and max sequence length being "
                + steps);
      }
      steps = totalLength.get();
    }
    long batch = sizes[0];
    long[] lengths = new long[(int) batch];
    for (long size : sizes) {
      for (int i = 0; i < size; i++) {
        lengths[i]++;
      }
    }
    Tensor room = data.new_full(withoutFirst(data, 1, steps * batch), new Scalar(paddingValue));
    Tensor padded =
        room.index_copy(0, rows(sizes, batch), data).reshape(withoutFirst(data, 1, steps, batch));
    Tensor found = torch.tensor(lengths);
    if (unsortedIndices.defined()) {
      padded = padded.index_select(1, unsortedIndices);
      found = found.index_select(0, unsortedIndices);
    }
    return new T_TensorTensor_T(batchFirst ? padded.transpose(0, 1) : padded, found);
  }
}
