"""The order in which samples are taken."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Sized
from itertools import islice
from typing import Any, Generic, TypeVar

import onetape._C as _C
from onetape._C import Generator, Tensor

__all__ = [
    "BatchSampler",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "SubsetRandomSampler",
    "WeightedRandomSampler",
]

T_co = TypeVar("T_co", covariant=True)

_DRAWN_AT_ONCE = 32
"""Numbers drawn together with replacement; decides which numbers a seed gives."""


def random_seed(generator: Generator | None = None) -> int:
    """A seed drawn from a generator, the default one if none is given."""
    drawn = _C.empty((), dtype=_C.int64).random_(generator=generator)
    return int(drawn.item())


class Sampler(Generic[T_co]):
    """Keys of samples, or lists of keys, as an iterable. A subclass has ``__iter__`` and mostly ``__len__``."""

    def __iter__(self) -> Iterator[T_co]:
        raise NotImplementedError


class SequentialSampler(Sampler[int]):
    """0, 1, 2, … up to the length of data_source."""

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """Indices of data_source at random.

    replacement: whether an index may come again
    num_samples: how many; as many as data_source has if not given
    generator: where the numbers come from. Without one, each pass has a generator of its own, seeded from the default
        one.

    Raises TypeError: replacement is no bool. ValueError: num_samples is no positive number.
    """

    def __init__(
        self,
        data_source: Sized,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Generator | None = None,
    ) -> None:
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        if not isinstance(self.num_samples, int) or self.num_samples <= 0:
            raise ValueError(f"num_samples should be a positive integer value, but got num_samples={self.num_samples}")

    @property
    def num_samples(self) -> int:
        """How many indices a pass gives; the length of data_source may change in between."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        size = len(self.data_source)
        generator = self.generator
        if generator is None:
            generator = Generator()
            generator.manual_seed(random_seed())
        missing = self.num_samples
        while missing > 0:
            if self.replacement:
                count = min(missing, _DRAWN_AT_ONCE)
                drawn = _C.randint(size, (count,), generator=generator)
            else:
                count = min(missing, size)
                drawn = _C.randperm(size, generator=generator)[:count]
            yield from drawn.tolist()
            missing -= count
        if not self.replacement and self.num_samples % size == 0:
            # PyTorch draws one more permutation and takes nothing of it; a shared generator must stand where its does.
            _C.randperm(size, generator=generator)

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """The given indices in random order."""

    def __init__(self, indices: Sequence[int], generator: Generator | None = None) -> None:
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        for i in _C.randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[i]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """Indices of the weights, each drawn with a probability in proportion to its weight.

    Raises ValueError: num_samples is no positive number, replacement no bool, or the weights are no vector.
    """

    def __init__(
        self,
        weights: Sequence[float] | Tensor,
        num_samples: int,
        replacement: bool = True,
        generator: Generator | None = None,
    ) -> None:
        if not isinstance(num_samples, int) or isinstance(num_samples, bool) or num_samples <= 0:
            raise ValueError(f"num_samples should be a positive integer value, but got num_samples={num_samples}")
        if not isinstance(replacement, bool):
            raise ValueError(f"replacement should be a boolean value, but got replacement={replacement}")
        self.weights = _C.as_tensor(weights, dtype=_C.float64)
        if self.weights.dim() != 1:
            raise ValueError(
                f"weights should be a 1d sequence but given weights have shape {tuple(self.weights.shape)}"
            )
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        drawn = _C.multinomial(self.weights, self.num_samples, self.replacement, generator=self.generator)
        yield from drawn.tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """Lists of batch_size keys of another sampler; the last is shorter, or left out.

    Raises ValueError: batch_size is no positive number or drop_last no bool.
    """

    def __init__(self, sampler: Iterable[Any] | Sampler[Any], batch_size: int, drop_last: bool) -> None:
        if not isinstance(batch_size, int) or isinstance(batch_size, bool) or batch_size <= 0:
            raise ValueError(f"batch_size should be a positive integer value, but got batch_size={batch_size}")
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        keys = iter(self.sampler)
        while batch := list(islice(keys, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self) -> int:
        sampler: Any = self.sampler
        spare = 0 if self.drop_last else self.batch_size - 1
        return (len(sampler) + spare) // self.batch_size
