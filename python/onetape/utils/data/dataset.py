"""Collections of samples, by key or as a stream, and collections made of other collections."""

from __future__ import annotations

import math
import warnings
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any, Generic, TypeVar, cast

from onetape._C import Generator, Tensor, default_generator, randperm

__all__ = [
    "ChainDataset",
    "ConcatDataset",
    "Dataset",
    "IterableDataset",
    "StackDataset",
    "Subset",
    "TensorDataset",
    "random_split",
]

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Dataset(Generic[T_co]):
    """Samples by key. A subclass has ``__getitem__`` and mostly ``__len__``.

    It may have ``__getitems__`` too, which takes a list of keys and gives the list of their samples; loaders prefer it.
    """

    def __getitem__(self, index: Any) -> T_co:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Dataset[Any]) -> Any:
        """Both, one after the other."""
        return ConcatDataset([self, other])


class IterableDataset(Dataset[T_co], Iterable[T_co]):
    """Samples as a stream. A subclass has ``__iter__``.

    With several workers each has a copy of its own: let it look at ``get_worker_info()`` and give its share only.
    """

    def __add__(self, other: Dataset[Any]) -> ChainDataset:
        """Both streams, one after the other."""
        return ChainDataset([self, other])


class TensorDataset(Dataset[tuple[Tensor, ...]]):
    """The i-th sample holds the i-th entry of each tensor.

    Raises AssertionError: the tensors differ in the size of their first dimension.
    """

    def __init__(self, *tensors: Tensor) -> None:
        if any(tensors[0].size(0) != tensor.size(0) for tensor in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return self.tensors[0].size(0)


def _samples(dataset: Any, keys: Sequence[Any]) -> Sequence[Any]:
    """The samples of several keys, all at once where the dataset can do that."""
    at_once = getattr(dataset, "__getitems__", None)
    if not callable(at_once):
        return [dataset[key] for key in keys]
    found: Sequence[Any] = at_once(keys)
    return found


class StackDataset(Dataset[Any]):
    """The i-th sample holds the i-th sample of each dataset: a tuple, or a dict for datasets given by name.

    Raises ValueError: none given, or both kinds, or datasets that differ in length.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if args and kwargs:
            raise ValueError(
                "Supported either ``tuple``- (via ``args``) or"
                "``dict``- (via ``kwargs``) like input/output, but both types are given."
            )
        if not args and not kwargs:
            raise ValueError("At least one dataset should be passed")
        self.datasets: tuple[Any, ...] | dict[str, Any] = args or kwargs
        parts = self._parts()
        self._length = len(parts[0])
        if any(self._length != len(dataset) for dataset in parts):
            raise ValueError("Size mismatch between datasets")

    def _parts(self) -> list[Any]:
        return list(self.datasets.values() if isinstance(self.datasets, dict) else self.datasets)

    def _sample(self, parts: Iterable[Any]) -> Any:
        return dict(zip(self.datasets, parts)) if isinstance(self.datasets, dict) else tuple(parts)

    def __getitem__(self, index: Any) -> Any:
        return self._sample([dataset[index] for dataset in self._parts()])

    def __getitems__(self, indices: Sequence[Any]) -> list[Any]:
        columns = []
        for dataset in self._parts():
            column = _samples(dataset, indices)
            if len(column) != len(indices):
                raise ValueError(
                    f"Nested dataset's output size mismatch. Expected {len(indices)}, got {len(column)}",
                )
            columns.append(column)
        return [self._sample(row) for row in zip(*columns)]

    def __len__(self) -> int:
        return self._length


class ConcatDataset(Dataset[T_co]):
    """Datasets one after the other.

    Raises AssertionError: no datasets, or one without keys. ValueError: a negative index before the start.
    """

    def __init__(self, datasets: Iterable[Dataset[T_co]]) -> None:
        self.datasets: list[Any] = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(dataset, IterableDataset) for dataset in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = list(accumulate(len(dataset) for dataset in self.datasets))

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx: int) -> T_co:
        if idx < 0:
            if -idx > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            idx += len(self)
        place = bisect_right(self.cumulative_sizes, idx)
        before = self.cumulative_sizes[place - 1] if place else 0
        return cast(T_co, self.datasets[place][idx - before])


class ChainDataset(IterableDataset[Any]):
    """Streams one after the other.

    Raises AssertionError, when used: one of the datasets is no IterableDataset.
    """

    def __init__(self, datasets: Iterable[Dataset[Any]]) -> None:
        self.datasets = datasets

    def _streams(self) -> Iterator[Any]:
        for dataset in self.datasets:
            if not isinstance(dataset, IterableDataset):
                raise AssertionError("ChainDataset only supports IterableDataset")
            yield dataset

    def __iter__(self) -> Iterator[Any]:
        for stream in self._streams():
            yield from stream

    def __len__(self) -> int:
        return sum(len(stream) for stream in self._streams())


class Subset(Dataset[T_co]):
    """Those samples of a dataset that the indices name, in their order.

    Raises NotImplementedError: a subclass has its own ``__getitem__``, but not the ``__getitems__`` that loaders use.
    """

    def __init__(self, dataset: Dataset[T_co], indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices
        kind = type(self)
        if kind.__getitem__ is not Subset.__getitem__ and kind.__getitems__ is Subset.__getitems__:
            raise NotImplementedError(
                f"{kind.__name__} overrides __getitem__ but not __getitems__. "
                "When subclassing Subset and overriding __getitem__, you must also override "
                "__getitems__ to ensure DataLoader works correctly with your custom logic. "
                "A simple implementation:\n\n"
                "def __getitems__(self, indices):\n"
                "    return [self.__getitem__(idx) for idx in indices]"
            )

    def __getitem__(self, idx: Any) -> T_co:
        if isinstance(idx, list):
            return self.dataset[[self.indices[i] for i in idx]]
        return self.dataset[self.indices[idx]]

    def __getitems__(self, indices: Sequence[int]) -> Sequence[T_co]:
        return _samples(self.dataset, [self.indices[i] for i in indices])

    def __len__(self) -> int:
        return len(self.indices)


def _counts(lengths: Sequence[float], total: int) -> list[int]:
    """How many samples each fraction gets; what rounding down leaves over goes to the first ones."""
    for i, fraction in enumerate(lengths):
        if fraction < 0 or fraction > 1:
            raise ValueError(f"Fraction at index {i} is not between 0 and 1")
    counts = [math.floor(total * fraction) for fraction in lengths]
    for i in range(total - sum(counts)):
        counts[i % len(counts)] += 1
    for i, count in enumerate(counts):
        if count == 0:
            warnings.warn(
                f"Length of split at index {i} is 0. This might result in an empty dataset.",
                stacklevel=3,
            )
    return counts


def random_split(
    dataset: Dataset[T], lengths: Sequence[int | float], generator: Generator | None = default_generator
) -> list[Subset[T]]:
    """Splits a dataset at random into parts that have nothing in common.

    lengths: the numbers of samples, or fractions that add up to 1
    generator: where the permutation comes from

    Raises ValueError: a fraction is not in [0, 1], or the lengths do not add up to the dataset's.
    """
    whole: Any = dataset
    total = sum(lengths)
    if math.isclose(total, 1) and total <= 1:
        lengths = _counts(lengths, len(whole))
    if sum(lengths) != len(whole):
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    counts = cast(Sequence[int], lengths)
    order = randperm(len(whole), generator=generator).tolist()
    return [Subset(dataset, order[end - count : end]) for end, count in zip(accumulate(counts), counts)]
