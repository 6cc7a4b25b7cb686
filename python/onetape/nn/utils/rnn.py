"""Sequences of several lengths: packed, one step after the other, or padded to one length."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from onetape import _C
from onetape._C import Tensor

__all__ = [
    "PackedSequence",
    "invert_permutation",
    "pack_padded_sequence",
    "pack_sequence",
    "pad_packed_sequence",
    "pad_sequence",
    "unpack_sequence",
    "unpad_sequence",
]


class _Parts(NamedTuple):
    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None
    unsorted_indices: Tensor | None


class PackedSequence(_Parts):
    """Sequences without padding, the longer ones first: the first step of each, then the second, and so on.

    data: (steps of all sequences, …). batch_sizes: how many sequences have each step. sorted_indices: where each
    packed sequence stood before; unsorted_indices: where it went.
    """

    __slots__ = ()

    def __new__(
        cls,
        data: Any,
        batch_sizes: Tensor | None = None,
        sorted_indices: Tensor | None = None,
        unsorted_indices: Tensor | None = None,
    ) -> PackedSequence:
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        if batch_sizes is None:
            if not isinstance(data, (list, tuple)) or len(data) != 2:
                raise AssertionError("Expected data to be a list or tuple of length 2")
            data, batch_sizes = data
        assert batch_sizes is not None
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self)

    def _with(self, data: Tensor) -> PackedSequence:
        return type(self)(data, self.batch_sizes, self.sorted_indices, self.unsorted_indices)

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """The same with the data converted as Tensor.to does; the object itself if nothing changes."""
        data = self.data.to(*args, **kwargs)
        return self if data is self.data else self._with(data)

    def double(self) -> PackedSequence:
        """The same with float64 data."""
        return self.to(_C.float64)

    def float(self) -> PackedSequence:
        """The same with float32 data."""
        return self.to(_C.float32)

    def half(self) -> PackedSequence:
        """The same with float16 data."""
        return self.to(_C.float16)

    def long(self) -> PackedSequence:
        """The same with int64 data."""
        return self.to(_C.int64)

    def int(self) -> PackedSequence:
        """The same with int32 data."""
        return self.to(_C.int32)

    def short(self) -> PackedSequence:
        """The same with int16 data."""
        return self.to(_C.int16)

    def char(self) -> PackedSequence:
        """The same with int8 data."""
        return self.to(_C.int8)

    def byte(self) -> PackedSequence:
        """The same with uint8 data."""
        return self.to(_C.uint8)

    def cpu(self) -> PackedSequence:
        """The object itself: its data is the CPU's."""
        return self

    @property
    def is_cuda(self) -> bool:
        """Whether the data is a GPU's: never."""
        return False


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """Where each place of a permutation went; None for None."""
    if permutation is None:
        return None
    return _C.empty_like(permutation).scatter_(0, permutation, _C.arange(permutation.numel()))


def _places(lengths: Sequence[int], batch: int) -> tuple[Tensor, list[int]]:
    """Rows of (steps · batch) that the packed data consists of, and how many sequences have each step."""
    sizes = [sum(length > step for length in lengths) for step in range(max(lengths))]
    rows = [step * batch + place for step, size in enumerate(sizes) for place in range(size)]
    return _C.tensor(rows), sizes


def _checked_lengths(lengths: Any, batch: int, enforce_sorted: bool) -> list[int]:
    given = lengths if isinstance(lengths, Tensor) else _C.tensor(list(lengths), dtype=_C.int64)
    if given.dim() != 1 or given.dtype in (_C.bool, _C.complex64, _C.complex128):
        kind = {_C.int64: "Long"}.get(given.dtype, str(given.dtype))
        raise RuntimeError(
            f"'lengths' argument should be a 1D CPU int64 tensor, but got {given.dim()}D cpu {kind} tensor"
        )
    numbers: list[int] = given.long().tolist()
    if batch == 0:
        raise RuntimeError("Cannot pack empty tensors.")
    if len(numbers) != batch:
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {len(numbers)} (batch_size={batch})"
        )
    if enforce_sorted and any(later > earlier for earlier, later in itertools.pairwise(numbers)):
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
            "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you "
            "do not need ONNX exportability."
        )
    if min(numbers) <= 0:
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0"
        )
    return numbers


def pack_padded_sequence(
    input: Tensor, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Packs padded sequences, (steps, batch, …) or (batch, steps, …), of the given lengths.

    enforce_sorted: the lengths must decrease; else the sequences are sorted by them.
    """
    steps_first = input.transpose(0, 1) if batch_first else input
    batch = steps_first.size(1)
    numbers = _checked_lengths(lengths, batch, enforce_sorted)
    order = None
    if not enforce_sorted:
        decreasing, order = _C.sort(_C.tensor(numbers), descending=True)
        steps_first = steps_first.index_select(1, order)
        numbers = decreasing.tolist()
    if numbers[0] > steps_first.size(0):
        raise RuntimeError(
            f"Expected lengths of at most the {steps_first.size(0)} steps of the input, but got {numbers[0]}"
        )
    rows, sizes = _places(numbers, batch)
    flat = steps_first.reshape(-1, *steps_first.shape[2:])
    return PackedSequence(flat.index_select(0, rows), _C.tensor(sizes), order, None)


def pad_packed_sequence(
    sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0, total_length: int | None = None
) -> tuple[Tensor, Tensor]:
    """Padded sequences, (steps, batch, …) or (batch, steps, …), and their lengths, in their first order.

    total_length: the number of steps, if more than the longest sequence has.
    """
    sizes: list[int] = sequence.batch_sizes.tolist()
    steps = len(sizes)
    if total_length is not None:
        if total_length < steps:
            raise ValueError(
                "Expected total_length to be at least the length of the longest sequence in input, but got "
                f"total_length={total_length} and max sequence length being {steps}"
            )
        steps = total_length
    batch = sizes[0]
    numbers = [sum(size > place for size in sizes) for place in range(batch)]
    rows, _ = _places(numbers, batch)
    shape = sequence.data.shape[1:]
    room = sequence.data.new_full((steps * batch, *shape), padding_value)
    padded = room.index_copy(0, rows, sequence.data).reshape(steps, batch, *shape)
    lengths = _C.tensor(numbers)
    if sequence.unsorted_indices is not None:
        padded = padded.index_select(1, sequence.unsorted_indices)
        lengths = lengths[sequence.unsorted_indices]
    return padded.transpose(0, 1) if batch_first else padded, lengths


def pad_sequence(
    sequences: Any, batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> Tensor:
    """Sequences, (its steps, …) each, as one tensor (steps, batch, …) or (batch, steps, …).

    padding_side: 'right' for padding after the sequences, 'left' for padding before them.
    """
    if not isinstance(sequences, Iterable):
        raise RuntimeError(
            f"pad_sequence: Expected iterable for input sequences, but got arg of type: {type(sequences)}"
        )
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"Expected padding_side to be one of left or right, but got {padding_side}.")
    parts = list(sequences.unbind(0)) if isinstance(sequences, Tensor) else list(sequences)
    if not parts:
        raise RuntimeError("received an empty list of sequences")
    longest = max(part.size(0) for part in parts)
    padded = []
    for part in parts:
        missing = longest - part.size(0)
        if part.shape[1:] != parts[0].shape[1:]:
            part.expand_as(parts[0][:1].expand(part.size(0), *parts[0].shape[1:]))  # fails as a copy would
        filler = part.new_full((missing, *part.shape[1:]), padding_value)
        pieces = [filler, part] if padding_side == "left" else [part, filler]
        padded.append(_C.cat(pieces) if missing else part)
    return _C.stack(padded, 0 if batch_first else 1)


def unpad_sequence(padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False) -> list[Tensor]:
    """The sequences of a padded tensor, without padding."""
    rows = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    return [row[: int(length)] for row, length in zip(rows, lengths, strict=False)]


def pack_sequence(sequences: Sequence[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Packs sequences, (its steps, …) each."""
    lengths = _C.tensor([part.size(0) for part in sequences])
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """The sequences that were packed, in their first order."""
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
