"""Samples taken out of a dataset, made into what the loader gives."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from onetape.utils.data.dataset import IterableDataset

__all__ = ["Fetcher", "StreamFetcher", "fetch_here", "fetcher_for"]

_SHOWN = 8
"""So many indices of a batch are named in an error."""


class Fetcher:
    """Takes samples by key."""

    def __init__(self, dataset: Any, batched: bool, collate: Callable[[Any], Any]) -> None:
        self.dataset = dataset
        self.batched = batched
        self.collate = collate
        self._at: Any = None
        self._many = False

    def _work_on(self, at: Any, many: bool = False) -> None:
        self._at = at
        self._many = many

    def place(self) -> str:
        """What is being worked on, or was last, for errors."""
        return f"samples {_named(self._at)}" if self._many else f"sample {self._at!r}"

    def fetch(self, index: Any) -> Any:
        """The batch of a list of keys, or one sample if there are no batches."""
        self._work_on(index, self.batched)
        if not self.batched:
            data = self.dataset[index]
        elif getattr(self.dataset, "__getitems__", None):
            data = self.dataset.__getitems__(index)
        else:
            data = []
            for key in index:
                self._work_on(key)
                data.append(self.dataset[key])
            self._work_on(index, True)
        return self.collate(data)


class StreamFetcher(Fetcher):
    """Takes samples as they come."""

    def __init__(self, dataset: Any, batched: bool, collate: Callable[[Any], Any], drop_last: bool) -> None:
        super().__init__(dataset, batched, collate)
        self.drop_last = drop_last
        self.stream: Iterator[Any] = iter(dataset)
        self.taken = 0
        self.ended = False

    def place(self) -> str:
        return f"{super().place()} of the stream"

    def fetch(self, index: Any) -> Any:
        """The next len(index) samples; raises StopIteration at the end."""
        if self.ended:
            raise StopIteration
        start = self.taken
        if not self.batched:
            return self.collate(self._take())
        data = []
        for _ in index:
            try:
                data.append(self._take())
            except StopIteration:
                self.ended = True
                break
        if not data or (self.drop_last and len(data) < len(index)):
            raise StopIteration
        self._work_on(range(start, self.taken), True)
        return self.collate(data)

    def _take(self) -> Any:
        self._work_on(self.taken)
        sample = next(self.stream)
        self.taken += 1
        return sample


def _named(indices: Any) -> str:
    if not isinstance(indices, Sequence):
        return repr(indices)
    shown = [repr(index) for index in indices[:_SHOWN]]
    if len(indices) > _SHOWN:
        shown.append("…")
    return ", ".join(shown)


def fetcher_for(dataset: Any, batched: bool, collate: Callable[[Any], Any], drop_last: bool) -> Fetcher:
    """What fetches from this dataset."""
    if isinstance(dataset, IterableDataset):
        return StreamFetcher(dataset, batched, collate, drop_last)
    return Fetcher(dataset, batched, collate)


def fetch_here(fetcher: Fetcher, index: Any) -> Any:
    """Fetches in the caller's thread; from Python 3.11 on the traceback of an error ends with the sample's index."""
    try:
        return fetcher.fetch(index)
    except StopIteration:
        raise
    except Exception as error:
        if sys.version_info >= (3, 11):
            error.add_note(f"The DataLoader was at {fetcher.place()}.")
        raise
