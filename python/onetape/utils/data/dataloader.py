"""Batches of a dataset, made here, in worker processes or in worker threads."""

from __future__ import annotations

import itertools
import math
import multiprocessing
import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.context import BaseContext
from typing import Any, Generic, TypeVar

from onetape._C import Generator
from onetape.utils.data._utils.collate import default_collate, default_convert
from onetape.utils.data._utils.passes import OnePass, WorkerPasses
from onetape.utils.data._utils.worker import get_worker_info
from onetape.utils.data.dataset import IterableDataset
from onetape.utils.data.sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler

__all__ = ["DataLoader", "default_collate", "default_convert", "get_worker_info"]

T_co = TypeVar("T_co", covariant=True)

_WORKER_METHODS = ("multiprocessing", "thread")


class _Endless(Sampler[None]):
    """The keys of a stream, which has none."""

    def __iter__(self) -> Iterator[None]:
        return itertools.repeat(None)


def _check_workers(
    num_workers: int, timeout: float, prefetch_factor: int | None, persistent: bool, method: str
) -> None:
    if num_workers < 0:
        raise ValueError("num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.")
    if timeout < 0:
        raise ValueError("timeout option should be non-negative")
    if num_workers == 0 and prefetch_factor is not None:
        raise ValueError(
            "prefetch_factor option could only be specified in multiprocessing."
            "let num_workers > 0 to enable multiprocessing, otherwise set prefetch_factor to None."
        )
    if prefetch_factor is not None and prefetch_factor < 0:
        raise ValueError("prefetch_factor option should be non-negative")
    if persistent and num_workers == 0:
        raise ValueError("persistent_workers option needs num_workers > 0")
    if method not in _WORKER_METHODS:
        raise ValueError(f"worker_method should be one of {_WORKER_METHODS}, but got {method!r}")


def _check_stream(shuffle: Any, sampler: Any, batch_sampler: Any) -> None:
    given = {"shuffle": shuffle or None, "sampler": sampler, "batch_sampler": batch_sampler}
    for name, value in given.items():
        if value is not None:
            raise ValueError(
                f"DataLoader with IterableDataset: expected unspecified {name} option, but got {name}={value}"
            )


def _check_batch_sampler(batch_size: int | None, shuffle: Any, sampler: Any, drop_last: bool) -> None:
    if batch_size != 1 or shuffle or sampler is not None or drop_last:
        raise ValueError("batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last")


class DataLoader(Generic[T_co]):
    """Iterates over a dataset in batches.

    batch_size: samples in a batch; None gives sample after sample
    shuffle: a new random order in every pass
    sampler, batch_sampler: an order of one's own, of keys or of lists of keys
    num_workers: how many workers fetch ahead; 0 fetches when asked
    collate_fn: makes a batch of a list of samples; default_collate if not given
    pin_memory: has no effect without an accelerator
    drop_last: whether a last batch that is too small is left out
    timeout: seconds that a batch may take in a worker; 0 for any time
    worker_init_fn: called with its number in every worker before it starts
    multiprocessing_context: how processes start: "fork", "spawn", "forkserver" or a context
    generator: where the order and the seeds of the workers come from
    prefetch_factor: batches that every worker fetches ahead, 2 if not given
    persistent_workers: whether workers stay for the next pass
    in_order: whether batches come in the sampler's order also if a later one is ready sooner
    worker_method: "multiprocessing", or "thread" for threads, which share the dataset with the program and need no
        copying; operators and readers run outside the interpreter's lock

    An exception in a worker is raised again with the worker's traceback and the sample it was at. Leaving a loop early
    ends the workers.

    Raises ValueError: options that do not go together or are out of range. TypeError: multiprocessing_context is
    something else. RuntimeError, when used: a worker died or a batch took too long.
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Sampler[Any] | Iterable[Any] | None = None,
        batch_sampler: Sampler[Any] | Iterable[Any] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[[Any], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], Any] | None = None,
        multiprocessing_context: str | BaseContext | None = None,
        generator: Generator | None = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
        worker_method: str = "multiprocessing",
    ) -> None:
        _check_workers(num_workers, timeout, prefetch_factor, persistent_workers, worker_method)
        self._stream = isinstance(dataset, IterableDataset)
        if self._stream:
            _check_stream(shuffle, sampler, batch_sampler)
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            _check_batch_sampler(batch_size, shuffle, sampler, drop_last)
            batch_size = None
        elif batch_size is None and drop_last:
            raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")
        if sampler is None:
            sampler = self._usual_sampler(dataset, bool(shuffle), generator)
        if batch_size is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)

        self.dataset = dataset
        self.batch_size = batch_size
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        self.num_workers = num_workers
        self.collate_fn = collate_fn or (default_convert if batch_sampler is None else default_collate)
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.drop_last = drop_last
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.worker_method = worker_method
        self.multiprocessing_context = multiprocessing_context
        self.generator = generator
        self.prefetch_factor = 2 if num_workers > 0 and prefetch_factor is None else prefetch_factor
        self.persistent_workers = persistent_workers
        self.in_order = in_order
        self._stream_length: int | None = None
        self._iterator: WorkerPasses | None = None
        self._fixed = True
        self.check_worker_number_rationality()

    def _usual_sampler(self, dataset: Any, shuffle: bool, generator: Generator | None) -> Sampler[Any]:
        if self._stream:
            return _Endless()
        return RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)

    @property
    def multiprocessing_context(self) -> BaseContext | None:
        """How worker processes start; None for the system's usual way."""
        return self._context

    @multiprocessing_context.setter
    def multiprocessing_context(self, context: Any) -> None:
        if context is not None:
            if self.num_workers == 0:
                raise ValueError(
                    "multiprocessing_context can only be used with multi-process loading (num_workers > 0), but got "
                    f"num_workers={self.num_workers}"
                )
            if self.worker_method == "thread":
                raise ValueError("multiprocessing_context cannot be used with worker_method='thread'")
            if isinstance(context, str):
                known = multiprocessing.get_all_start_methods()
                if context not in known:
                    raise ValueError(
                        f"multiprocessing_context option should specify a valid start method in {known!r}, but got "
                        f"multiprocessing_context={context!r}"
                    )
                context = multiprocessing.get_context(context)
            if not isinstance(context, BaseContext):
                raise TypeError(
                    "multiprocessing_context option should be a valid context object or a string specifying the start "
                    f"method, but got multiprocessing_context={context}"
                )
        self._context: BaseContext | None = context

    def __setattr__(self, name: str, value: Any) -> None:
        fixed = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")
        if name in fixed and "_fixed" in self.__dict__:
            raise ValueError(f"{name} attribute should not be set after {type(self).__name__} is initialized")
        super().__setattr__(name, value)

    @property
    def _index_sampler(self) -> Any:
        return self.sampler if self.batch_sampler is None else self.batch_sampler

    def __iter__(self) -> Iterator[Any]:
        if self.pin_memory:
            warnings.warn(
                "'pin_memory' argument is set as true but no accelerator is found, "
                "then device pinned memory won't be used.",
                stacklevel=2,
            )
        if self.num_workers == 0:
            return OnePass(self)
        if not self.persistent_workers:
            self.check_worker_number_rationality()
            return WorkerPasses(self)
        if self._iterator is None:
            self._iterator = WorkerPasses(self)
        else:
            self._iterator._begin(self)
        return self._iterator

    def __len__(self) -> int:
        """The number of batches; TypeError where the dataset or sampler does not know."""
        if not self._stream:
            return len(self._index_sampler)
        self._stream_length = length = len(self.dataset)
        if self.batch_size is None:
            return length
        return length // self.batch_size if self.drop_last else math.ceil(length / self.batch_size)

    def check_worker_number_rationality(self) -> None:
        """Warns if there are more worker processes than processors."""
        if self.num_workers == 0 or self.worker_method == "thread":
            return
        processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        if self.num_workers > processors:
            warnings.warn(
                f"This DataLoader will create {self.num_workers} worker processes in total. Our suggested max number "
                f"of worker in current system is {processors}, which is smaller than what this DataLoader is going to "
                "create. Please be aware that excessive worker creation might get DataLoader running slow or even "
                "freeze, lower the worker number to avoid potential slowness/freeze if necessary.",
                stacklevel=3,
            )
