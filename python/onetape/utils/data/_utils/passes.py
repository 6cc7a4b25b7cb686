"""Passes over a dataset: what iterating over a loader gives."""

from __future__ import annotations

import itertools
import warnings
import weakref
from collections.abc import Iterator
from typing import Any

from onetape.utils.data._utils.fetch import fetch_here, fetcher_for
from onetape.utils.data._utils.pool import Pool, ProcessPool, ThreadPool, WorkerDied
from onetape.utils.data._utils.worker import EndOfStream, Failure, Job
from onetape.utils.data.sampler import random_seed

__all__ = ["OnePass", "WorkerPasses"]


class OnePass(Iterator[Any]):
    """One pass, fetched in the caller's thread."""

    def __init__(self, loader: Any) -> None:
        self._start(loader)
        self._base_seed = random_seed(loader.generator)
        if loader.num_workers == 0:
            if loader.timeout != 0:
                raise AssertionError("_SingleProcessDataLoaderIter requires timeout == 0")
            batched = loader.batch_sampler is not None
            self._fetcher = fetcher_for(loader.dataset, batched, loader.collate_fn, loader.drop_last)

    def _start(self, loader: Any) -> None:
        self._dataset = loader.dataset
        self._stream_length = loader._stream_length
        self._sampler = loader._index_sampler
        self._keys = iter(self._sampler)
        self._given = 0

    def __len__(self) -> int:
        return len(self._sampler)

    def __getstate__(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__} cannot be pickled")

    def _next_data(self) -> Any:
        return fetch_here(self._fetcher, next(self._keys))

    def __next__(self) -> Any:
        data = self._next_data()
        self._given += 1
        if self._stream_length is not None and self._given > self._stream_length:
            warnings.warn(self._too_many(), stacklevel=2)
        return data

    def _too_many(self) -> str:
        return (
            f"Length of IterableDataset {self._dataset} was reported to be {self._stream_length}"
            f"(when accessing len(dataloader)), but {self._given} samples have been fetched. "
        )


class WorkerPasses(OnePass):
    """Passes fetched by workers.

    Tasks are numbered and go to the workers in turn; results wait until their number is up.
    """

    def __init__(self, loader: Any) -> None:
        super().__init__(loader)
        if not loader.prefetch_factor:
            raise AssertionError("prefetch_factor must be greater than 0 for MultiProcessingDataLoaderIter")
        self._workers = loader.num_workers
        self._ahead = loader.prefetch_factor * loader.num_workers
        self._timeout = loader.timeout
        self._in_order = loader.in_order
        self._persistent = loader.persistent_workers
        self._open(loader)
        self._fill()

    def _open(self, loader: Any) -> None:
        """Starts the workers."""
        job = Job(
            loader.dataset,
            loader.batch_sampler is not None,
            loader.collate_fn,
            loader.drop_last,
            loader.worker_init_fn,
            self._base_seed,
            loader.num_workers,
        )
        in_threads = loader.worker_method == "thread"
        self._pool: Pool = ThreadPool(job) if in_threads else ProcessPool(job, loader.multiprocessing_context)
        self._close = weakref.finalize(self, self._pool.close)
        self._pass = -1
        self._died = False

    def _start(self, loader: Any) -> None:
        super()._start(loader)
        self._number = 0  # of the next task
        self._tasks: dict[int, int] = {}  # number -> worker, those without a result yet
        self._results: dict[int, Any] = {}
        self._next_number = 0  # of the next result to be given
        self._active = [True] * loader.num_workers
        self._turns = itertools.cycle(range(loader.num_workers))

    def _begin(self, loader: Any) -> None:
        """Starts another pass with the same workers, or with new ones if one has died."""
        self._start(loader)
        if self._died:
            self._close()
            self._open(loader)
        self._fill()

    def _fill(self) -> None:
        self._pass += 1
        self._pool.new_pass(self._pass)
        for _ in range(self._ahead):
            self._give_task()

    def _choose(self) -> int | None:
        load = list(self._tasks.values())
        share = self._ahead // max(1, sum(self._active))
        for worker in itertools.islice(self._turns, self._workers):
            if self._active[worker] and (self._in_order or load.count(worker) < share):
                return worker
        return None

    def _give_task(self) -> None:
        """Gives the next keys, if there are any, to the worker whose turn it is."""
        worker = self._choose()
        if worker is None:
            return
        try:
            keys = next(self._keys)
        except StopIteration:
            return
        self._tasks[self._number] = worker
        self._pool.send(worker, self._pass, self._number, keys)
        self._number += 1

    def _take_result(self) -> None:
        """Waits for a result; a worker whose stream has ended gets no more tasks."""
        try:
            taken = self._pool.receive(self._pass, self._timeout or None)
        except WorkerDied as death:
            self._died = True
            self._active[death.worker] = False
            self._tasks = {number: worker for number, worker in self._tasks.items() if worker != death.worker}
            raise RuntimeError(str(death)) from death.__cause__
        if taken is None:
            raise RuntimeError(f"DataLoader timed out after {self._timeout} seconds")
        worker, number, result = taken
        del self._tasks[number]
        if isinstance(result, EndOfStream):
            self._active[worker] = False
            self._give_task()
        else:
            self._results[number] = result

    def _ready(self) -> int | None:
        """The number of the result to be given now, if it is there."""
        if not self._in_order:
            return next(iter(self._results), None)
        while self._next_number < self._number:
            if self._next_number in self._results:
                return self._next_number
            if self._next_number in self._tasks:
                return None
            self._next_number += 1  # given before, or of a stream that had ended
        return None

    def _next_data(self) -> Any:
        number = self._ready()
        while number is None and self._tasks:
            self._take_result()
            number = self._ready()
        if number is None:
            if not self._persistent:
                self._close()
            raise StopIteration
        result = self._results.pop(number)
        self._give_task()
        if isinstance(result, Failure):
            result.reraise()
        return result

    def _too_many(self) -> str:
        return super()._too_many() + (
            "For multiprocessing data-loading, this could be caused by not properly configuring the "
            "IterableDataset replica at each worker. Please see "
            "https://pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset for examples."
        )
