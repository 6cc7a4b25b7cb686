"""Runs a function in several real processes that are ranks of a group."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import traceback
from collections.abc import Callable
from datetime import timedelta
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

import onetape.distributed as dist
from onetape.distributed.run import free_port as free_port


def _child(pipe: Connection, function: Callable[..., Any], rank: int, world: int, url: str, arguments: Any) -> None:
    try:
        if url:
            dist.init_process_group("gloo", url, timedelta(seconds=30), world, rank)
        pipe.send_bytes(pickle.dumps((True, function(*arguments))))
        if url and dist.is_initialized():
            dist.destroy_process_group()
    except BaseException:
        pipe.send_bytes(pickle.dumps((False, traceback.format_exc())))


class Ranks:
    """Processes that run `function(*arguments)` as ranks of a group, all but the rank `leave_out`.

    With "" as `url` they make no group themselves, and get their rank as first argument.
    """

    def __init__(
        self,
        world: int,
        function: Callable[..., Any],
        *arguments: Any,
        url: str | None = None,
        leave_out: int = -1,
    ) -> None:
        if url is None:
            url = f"tcp://127.0.0.1:{free_port()}"
        spawn = multiprocessing.get_context("spawn")
        self.pipes: dict[int, Connection] = {}
        self.processes: dict[int, BaseProcess] = {}
        for rank in set(range(world)) - {leave_out}:
            mine, theirs = spawn.Pipe(duplex=False)
            own = arguments if url else (rank, *arguments)
            process = spawn.Process(target=_child, args=(theirs, function, rank, world, url, own), daemon=True)
            process.start()
            theirs.close()
            self.pipes[rank] = mine
            self.processes[rank] = process

    def answer(self, rank: int, seconds: float = 60) -> Any:
        """What the function returned there; AssertionError with the trace of what it raised."""
        fine, value = self.outcome(rank, seconds)
        assert fine, f"rank {rank}:\n{value}"
        return value

    def outcome(self, rank: int, seconds: float = 60) -> tuple[bool, Any]:
        """(True, what it returned) or (False, the trace)."""
        assert self.pipes[rank].poll(seconds), f"rank {rank} does not answer"
        try:
            answer: tuple[bool, Any] = pickle.loads(self.pipes[rank].recv_bytes())
        except EOFError:
            return False, f"rank {rank} has gone"
        return answer

    def end(self) -> None:
        """Waits for the processes, and kills those that do not end."""
        for process in self.processes.values():
            process.join(10)
            if process.is_alive():
                process.kill()
                process.join()

    def __enter__(self) -> Ranks:
        return self

    def __exit__(self, failed: object, *_: object) -> None:
        for process in self.processes.values() if failed else ():
            process.kill()
        self.end()


def run(world: int, function: Callable[..., Any], *arguments: Any, url: str | None = None) -> list[Any]:
    """What the function returns in each rank."""
    os.environ["OMP_NUM_THREADS"] = "1"
    with Ranks(world, function, *arguments, url=url) as ranks:
        return [ranks.answer(rank) for rank in range(world)]
