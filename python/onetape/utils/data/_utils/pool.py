"""The workers of a loader, seen from the loader."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import threading
import time
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from queue import Empty, SimpleQueue
from typing import Any
from weakref import WeakSet

from onetape.utils.data._utils import transfer
from onetape.utils.data._utils.worker import Failure, Job, run_process, run_thread

__all__ = ["Pool", "ProcessPool", "ThreadPool", "WorkerDied"]

_GRACE = 5.0
"""Seconds that workers have to finish what they are doing when they are no longer needed."""

_ends: WeakSet[Connection] = WeakSet()
"""The loaders' ends of all pipes: a forked worker closes those it inherits."""


class WorkerDied(Exception):
    """Tells which worker has ended, and, as its cause, how."""

    def __init__(self, worker: int, pid: int) -> None:
        super().__init__(f"DataLoader worker (pid(s) {pid}) exited unexpectedly")
        self.worker = worker


class Pool:
    """Workers that take tasks and give results. Both carry the number of the pass and the task's own."""

    def send(self, worker: int, pass_number: int, number: int, index: Any) -> None:
        """Gives a worker a task; does not wait."""
        raise NotImplementedError

    def receive(self, pass_number: int, timeout: float | None) -> tuple[int, int, Any] | None:
        """A worker with the number and the result of a task of this pass; None if none comes in time.

        Raises WorkerDied: once for each worker that has.
        """
        raise NotImplementedError

    def new_pass(self, pass_number: int) -> None:
        """Lets the workers skip what is left of earlier passes."""

    def close(self) -> None:
        """Ends the workers."""
        raise NotImplementedError


def _how_it_ended(process: Any) -> RuntimeError:
    code = process.exitcode
    if code is not None and code < 0:
        return RuntimeError(f"DataLoader worker (pid {process.pid}) is killed by signal: {signal.strsignal(-code)}. ")
    return RuntimeError(f"DataLoader worker (pid {process.pid}) ended with exit code {code}. ")


class ProcessPool(Pool):
    """Worker processes."""

    def __init__(self, job: Job, context: Any) -> None:
        self._owner = os.getpid()
        self._folder = transfer.make_folder()
        self._connections: list[Connection] = []
        self._processes: list[Any] = []
        self._dead: set[int] = set()
        self._closed = False
        context = context or multiprocessing.get_context()
        try:
            for worker in range(job.num_workers):
                self._start(job, worker, context)
        except BaseException:
            self.close()
            raise

    def _start(self, job: Job, worker: int, context: Any) -> None:
        mine, theirs = context.Pipe()
        _ends.add(mine)
        others = list(_ends) if context.get_start_method() == "fork" else []
        arguments = (job, worker, theirs, others, self._folder)
        process = context.Process(target=run_process, args=arguments, daemon=True)
        self._connections.append(mine)
        try:
            process.start()
        finally:
            theirs.close()
        self._processes.append(process)

    def send(self, worker: int, pass_number: int, number: int, index: Any) -> None:
        with suppress(OSError):  # from a dead worker, which receive() reports
            self._connections[worker].send((pass_number, number, index))

    def receive(self, pass_number: int, timeout: float | None) -> tuple[int, int, Any] | None:
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            alive = [i for i in range(len(self._processes)) if i not in self._dead]
            sources = [self._connections[i] for i in alive] + [self._processes[i].sentinel for i in alive]
            ready = wait(sources, None if deadline is None else max(0.0, deadline - time.monotonic()))
            if not ready:
                return None
            for worker in alive:
                if self._connections[worker] not in ready and self._processes[worker].sentinel not in ready:
                    continue
                try:
                    if not self._connections[worker].poll():
                        raise EOFError
                    of_pass, number, message = self._connections[worker].recv()
                except (EOFError, OSError):
                    raise self._died(worker) from _how_it_ended(self._processes[worker])
                if of_pass == pass_number:
                    return worker, number, self._taken(worker, message)
                transfer.discard(message)

    def _taken(self, worker: int, message: Any) -> Any:
        try:
            return transfer.load(message)
        except Exception:
            return Failure.now(f"process {worker}", "", keep=True)

    def _died(self, worker: int) -> WorkerDied:
        self._dead.add(worker)
        process = self._processes[worker]
        process.join(_GRACE)
        return WorkerDied(worker, process.pid)

    def close(self) -> None:
        if self._closed or os.getpid() != self._owner:
            return  # a forked process inherits the object, but not the workers
        self._closed = True
        for connection in self._connections:
            with suppress(OSError):
                connection.send(None)
            connection.close()
        deadline = time.monotonic() + _GRACE
        for process in self._processes:
            process.join(max(0.0, deadline - time.monotonic()))
        for end in ("terminate", "kill"):
            stuck = [process for process in self._processes if process.is_alive()]
            for process in stuck:
                getattr(process, end)()
            for process in stuck:
                process.join(1)
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


class ThreadPool(Pool):
    """Worker threads of this process, which share the dataset."""

    def __init__(self, job: Job) -> None:
        self._results: SimpleQueue[Any] = SimpleQueue()
        self._tasks: list[SimpleQueue[Any]] = []
        self._wanted = [0]
        self._threads = []
        for worker in range(job.num_workers):
            tasks: SimpleQueue[Any] = SimpleQueue()
            arguments = (job, worker, tasks, self._results, self._wanted)
            thread = threading.Thread(target=run_thread, args=arguments, name=f"DataLoader-{worker}", daemon=True)
            self._tasks.append(tasks)
            self._threads.append(thread)
            thread.start()

    def send(self, worker: int, pass_number: int, number: int, index: Any) -> None:
        self._tasks[worker].put((pass_number, number, index))

    def receive(self, pass_number: int, timeout: float | None) -> tuple[int, int, Any] | None:
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            try:
                worker, of_pass, number, result = self._results.get(timeout=left)
            except Empty:
                return None
            if of_pass == pass_number:
                return worker, number, result

    def new_pass(self, pass_number: int) -> None:
        self._wanted[0] = pass_number

    def close(self) -> None:
        self._wanted[0] = -1
        for tasks in self._tasks:
            tasks.put(None)
        deadline = time.monotonic() + _GRACE
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(max(0.0, deadline - time.monotonic()))
