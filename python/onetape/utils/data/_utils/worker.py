"""What runs in a worker: a process or a thread that fetches batches."""

from __future__ import annotations

import gc
import os
import random
import shutil
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from queue import SimpleQueue
from typing import Any

import onetape._C as _C
from onetape._C import Generator
from onetape.utils.data._utils import transfer
from onetape.utils.data._utils.fetch import Fetcher, StreamFetcher, fetcher_for

__all__ = ["EndOfStream", "Failure", "Job", "Random", "WorkerInfo", "get_worker_info"]

_ORPHAN_CHECK = 5.0
"""Seconds after which a worker looks whether the loader's process still exists, if nothing else tells it."""


@dataclass(frozen=True)
class Random:
    """Generators of a worker thread's own; those of the modules are shared by all threads."""

    random_generator: random.Random
    torch_generator: Generator
    numpy_generator: Any = None


@dataclass(frozen=True)
class WorkerInfo:
    """A worker, as seen from inside.

    id: 0 to num_workers - 1
    seed: where its random numbers start: the loader's base seed plus id
    dataset: its copy of the dataset; in threads the dataset itself
    rng: in threads, generators of its own
    worker_method: "multiprocessing" or "thread"
    """

    id: int
    num_workers: int
    seed: int
    dataset: Any
    rng: Random | None = None
    worker_method: str = "multiprocessing"


_of_process: WorkerInfo | None = None
_of_thread = threading.local()


def get_worker_info() -> WorkerInfo | None:
    """In a worker of a DataLoader: which one it is. Elsewhere None."""
    info: WorkerInfo | None = getattr(_of_thread, "info", None)
    return info or _of_process


@dataclass(frozen=True)
class Job:
    """What the workers of a loader have to do."""

    dataset: Any
    batched: bool
    collate: Callable[[Any], Any]
    drop_last: bool
    init: Callable[[int], Any] | None
    base_seed: int
    num_workers: int

    def fetcher(self) -> Fetcher:
        """What fetches a pass."""
        return fetcher_for(self.dataset, self.batched, self.collate, self.drop_last)


class EndOfStream:
    """Says that a worker's stream has no more samples."""


class _KeyErrorText(str):
    """A text that KeyError shows as it is."""

    def __repr__(self) -> str:
        return str(self)


@dataclass
class Failure:
    """An exception in a worker, to be raised again in the loader's thread."""

    kind: type[BaseException]
    text: str
    cause: BaseException | None = None

    @classmethod
    def now(cls, where: str, place: str, keep: bool) -> Failure:
        """From the exception being handled. It goes along itself only if said, since not all can be pickled."""
        error = sys.exc_info()[1]
        assert error is not None
        kind = type(error)
        lines = "".join(traceback.format_exception(error))
        text = f"Caught {kind.__name__} in DataLoader worker {where}.\nOriginal {lines}"
        if place:
            text += f"\nThe worker was at {place}.\n"
        return cls(kind, text, error if keep else None)

    def reraise(self) -> None:
        """Raises an exception of the same class that tells worker, traceback and sample."""
        text = _KeyErrorText(self.text) if self.kind is KeyError else self.text
        try:
            error = self.kind(text)
        except Exception:
            # A class with arguments of its own.
            error = RuntimeError(text)
        raise error from self.cause


class Work:
    """The state of a worker between batches: its fetcher, and the pass that belongs to."""

    def __init__(self, job: Job, worker: int, where: str, keep_errors: bool) -> None:
        self.job = job
        self.where = f"{where} {worker}"
        self.keep_errors = keep_errors
        # What ends a process would end a thread without anybody noticing.
        self.caught = BaseException if keep_errors else Exception
        self.pass_number = 0
        self.fetcher: Fetcher | None = None
        self.failed: Failure | None = None
        try:
            if job.init is not None:
                job.init(worker)
        except self.caught:
            self.failed = self._failure("")

    def _failure(self, place: str) -> Failure:
        return Failure.now(self.where, place, self.keep_errors)

    def fetch(self, pass_number: int, index: Any) -> Any:
        """The batch, an EndOfStream or a Failure."""
        if self.failed is not None:
            return self.failed
        try:
            if self.fetcher is None or pass_number != self.pass_number:
                self.pass_number = pass_number
                self.fetcher = None
                self.fetcher = self.job.fetcher()
            return self.fetcher.fetch(index)
        except self.caught as error:
            if isinstance(error, StopIteration) and isinstance(self.fetcher, StreamFetcher):
                self.fetcher.ended = True
                return EndOfStream()
            return self._failure(self.fetcher.place() if self.fetcher else "")


# ---- processes ----


def _seed_process(base_seed: int, worker: int) -> int:
    seed = base_seed + worker
    random.seed(seed)
    _C.default_generator.manual_seed(seed)
    if "numpy" in sys.modules:
        import numpy as np

        # All words of the seed, so that neighbouring workers have nothing in common.
        sequence = np.random.SeedSequence([worker, base_seed & 0xFFFFFFFF, base_seed >> 32, 0])
        np.random.seed(sequence.generate_state(4))
    return seed


def _receive(connection: Connection, tasks: SimpleQueue[Any], wanted: list[int], folder: str | None) -> None:
    """Takes tasks as they come, so that the loader never waits to hand one over. None is the end."""
    parent = os.getppid()
    task: Any = ...
    while task is not None:
        try:
            task = connection.recv() if wait([connection], _ORPHAN_CHECK) else ...
            orphaned = os.getppid() != parent
        except (EOFError, OSError):
            orphaned = True  # a loader says when it is done
        if orphaned:  # nobody is left who could want anything, or clear away
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)
            os._exit(1)
        if task is not ...:
            wanted[0] = -1 if task is None else task[0]
            tasks.put(task)


def run_process(job: Job, worker: int, connection: Connection, others: list[Connection], folder: str | None) -> None:
    """The main function of a worker process.

    others: ends of pipes that a forked process inherits, but must not hold open
    """
    global _of_process
    for other in others:
        other.close()
    gc.freeze()  # what a fork inherits is not this process's to collect, and is shared as long as nobody touches it
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the loader's process decides what an interruption means
    _C.set_num_threads(1)
    seed = _seed_process(job.base_seed, worker)
    _of_process = WorkerInfo(worker, job.num_workers, seed, job.dataset)
    tasks: SimpleQueue[Any] = SimpleQueue()
    wanted = [0]
    threading.Thread(target=_receive, args=(connection, tasks, wanted, folder), daemon=True).start()
    work = Work(job, worker, "process", keep_errors=False)
    while (task := tasks.get()) is not None:
        pass_number, number, index = task
        if pass_number != wanted[0]:
            continue
        path = None if folder is None else os.path.join(folder, f"{worker}-{pass_number}-{number}")
        result = work.fetch(pass_number, index)
        try:
            message = transfer.dump(result, path)
        except Exception:
            message = transfer.dump(_unsendable(result, work), None)
        del result
        try:
            connection.send((pass_number, number, message))
        except OSError:
            transfer.discard(message)
            return  # the loader is gone


def _unsendable(result: Any, work: Work) -> Failure:
    """Called while the exception is handled that pickling the result ended in."""
    if isinstance(result, Failure):
        return Failure(RuntimeError, result.text)  # of a class that the loader's process cannot have
    return Failure.now(work.where, work.fetcher.place() if work.fetcher else "", keep=False)


# ---- threads ----


def _thread_random(base_seed: int, worker: int) -> Random:
    seed = base_seed + worker
    numpy_generator = None
    if "numpy" in sys.modules:
        import numpy as np

        numpy_generator = np.random.default_rng([worker, base_seed & 0xFFFFFFFF, base_seed >> 32, 0])
    return Random(random.Random(seed), Generator().manual_seed(seed), numpy_generator)


def run_thread(job: Job, worker: int, tasks: SimpleQueue[Any], results: SimpleQueue[Any], wanted: list[int]) -> None:
    """The main function of a worker thread. Tasks of other passes than the wanted one are skipped."""
    rng = _thread_random(job.base_seed, worker)
    _of_thread.info = WorkerInfo(worker, job.num_workers, job.base_seed + worker, job.dataset, rng, "thread")
    work = Work(job, worker, "thread", keep_errors=True)
    while (task := tasks.get()) is not None:
        pass_number, number, index = task
        if pass_number == wanted[0]:
            results.put((worker, pass_number, number, work.fetch(pass_number, index)))
