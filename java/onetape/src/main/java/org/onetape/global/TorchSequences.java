package org.onetape.global;

import org.onetape.LongOptional;
import org.onetape.PackedSequence;
import org.onetape.T_TensorTensor_T;
import org.onetape.Tensor;
import org.onetape.TensorVector;
import org.onetape.TorchException;

/** Sequences of several lengths: packed, or padded to one length. */
abstract class TorchSequences extends TorchGradients {
  /** Packs padded sequences, (steps, batch, …), whose lengths decrease. */
  public static PackedSequence pack_padded_sequence(Tensor input, Tensor lengths) {
    return pack_padded_sequence(input, lengths, false, true);
  }

  /** Packs padded sequences; those whose lengths need not decrease are sorted by them. */
  public static PackedSequence pack_padded_sequence(
      Tensor input, Tensor lengths, boolean batch_first, boolean enforce_sorted) {
    return PackedSequence.pack(input, lengths, batch_first, enforce_sorted);
  }

  /** Padded sequences, (steps, batch, …), and their lengths. */
  public static T_TensorTensor_T pad_packed_sequence(PackedSequence sequence) {
    return pad_packed_sequence(sequence, false, 0, new LongOptional());
  }

  /** Padded sequences and their lengths. */
  public static T_TensorTensor_T pad_packed_sequence(
      PackedSequence sequence,
      boolean batch_first,
      double padding_value,
      LongOptional total_length) {
    return sequence.pad(batch_first, padding_value, total_length);
  }

  /** Sequences, (its steps, …) each, as one tensor (steps, batch, …), with zeros behind them. */
  public static Tensor pad_sequence(TensorVector sequences) {
    return pad_sequence(sequences, false, 0);
  }

  /** Sequences, (its steps, …) each, as one tensor (steps, batch, …) or with the batch first. */
  public static Tensor pad_sequence(
      TensorVector sequences, boolean batch_first, double padding_value) {
    if (sequences.size() == 0) {
      throw new TorchException("received an empty list of sequences");
    }
    long longest = 0;
    for (Tensor sequence : sequences) {
      longest = Math.max(longest, sequence.size(0));
    }
    TensorVector padded = new TensorVector();
    for (Tensor sequence : sequences) {
      long[] around = new long[2 * (int) sequence.dim()];
      around[around.length - 1] = longest - sequence.size(0);
      padded.push_back(constant_pad_nd(sequence, around, new org.onetape.Scalar(padding_value)));
    }
    return stack(padded, batch_first ? 0 : 1);
  }

  /** Packs sequences, (its steps, …) each, whose lengths decrease. */
  public static PackedSequence pack_sequence(TensorVector sequences) {
    return pack_sequence(sequences, true);
  }

  /** Packs sequences; those whose lengths need not decrease are sorted by them. */
  public static PackedSequence pack_sequence(TensorVector sequences, boolean enforce_sorted) {
    Tensor padded = pad_sequence(sequences);
    long[] lengths = new long[(int) sequences.size()];
    for (int i = 0; i < lengths.length; i++) {
      lengths[i] = sequences.get(i).size(0);
    }
    return pack_padded_sequence(padded, torch.tensor(lengths), false, enforce_sorted);
  }

  /** Where each place of a permutation went. */
  public static Tensor invert_permutation(Tensor permutation) {
    Tensor places = torch.arange(permutation.numel()).to(permutation.scalar_type());
    return torch.empty_like(permutation).scatter_(0, permutation, places);
  }

  /** The sequences of a padded tensor of steps and samples, without padding. */
  public static TensorVector unpad_sequence(Tensor paddedSequences, Tensor lengths) {
    return unpad_sequence(paddedSequences, lengths, false);
  }

  /** The sequences of a padded tensor, without padding; batchFirst: samples come before steps. */
  public static TensorVector unpad_sequence(
      Tensor paddedSequences, Tensor lengths, boolean batchFirst) {
    Tensor rows = batchFirst ? paddedSequences : paddedSequences.transpose(0, 1);
    TensorVector found = new TensorVector();
    for (long i = 0; i < Math.min(rows.size(0), lengths.numel()); i++) {
      found.push_back(rows.select(0, i).narrow(0, 0, lengths.select(0, i).item_long()));
    }
    return found;
  }

  /** The sequences that were packed, in their first order. */
  public static TensorVector unpack_sequence(PackedSequence packedSequences) {
    T_TensorTensor_T padded = pad_packed_sequence(packedSequences, true, 0, new LongOptional());
    return unpad_sequence(padded.get0(), padded.get1(), true);
  }
}
