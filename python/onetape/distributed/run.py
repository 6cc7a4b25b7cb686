"""Starts the processes of a group on this machine, and looks after them.

    python -m onetape.distributed.run --nproc-per-node 2 script.py --its-arguments
    python -m onetape.distributed.run --nproc-per-node 2 -m package.module
    python -m onetape.distributed.run --nproc-per-node 2 --java -cp app.jar Main

Each process gets RANK, WORLD_SIZE, LOCAL_RANK and the other variables of torchrun in its environment. Its output comes
with its rank before each line. When one fails, the others are stopped; the group is started again up to --max-restarts
times, and then the first failure is told.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from types import FrameType
from typing import IO

# What is kept of each rank's errors, to be told when it fails.
KEPT_LINES = 60
# So long may a process that is told to end take before it is killed.
PATIENCE = 10.0
FLAGS = ("-m", "--module", "--no-python", "--no_python", "--no-prefix", "-h", "--help")
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def split_java(given: list[str]) -> tuple[list[str], list[str]]:
    """What stands before --java and it, and what stands behind, which may begin like options of ours."""
    place = 0
    while place < len(given) and given[place].startswith("-"):
        if given[place] == "--java":
            return given[: place + 1], given[place + 1 :]
        place += 1 if given[place] in FLAGS or "=" in given[place] else 2
    return given, []


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(
        prog="python -m onetape.distributed.run", description=__doc__.split("\n\n")[0], allow_abbrev=False
    )
    parser.add_argument("--nproc-per-node", "--nproc_per_node", type=int, default=1, help="processes on this machine")
    parser.add_argument("--nnodes", type=int, default=1, help="machines")
    parser.add_argument("--node-rank", "--node_rank", type=int, default=0, help="which machine this is")
    parser.add_argument("--master-addr", "--master_addr", default="127.0.0.1", help="the machine with rank 0")
    parser.add_argument("--master-port", "--master_port", type=int, default=0, help="its port; 0 for a free one")
    parser.add_argument("--max-restarts", "--max_restarts", type=int, default=0, help="how often to start again")
    parser.add_argument("--no-prefix", action="store_true", help="leave the output as it is")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("-m", "--module", action="store_true", help="the script is a module of Python")
    kind.add_argument("--no-python", "--no_python", action="store_true", help="the script is a program")
    kind.add_argument("--java", action="store_true", help="what follows are the arguments of java")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="the script and its arguments")
    own, java = split_java(list(sys.argv[1:] if given is None else given))
    options = parser.parse_args(own)
    options.command = [*options.command, *java]
    if not options.command:
        parser.error("there is no script to run")
    if options.nproc_per_node < 1 or options.nnodes < 1 or options.max_restarts < 0:
        parser.error("--nproc-per-node and --nnodes must be at least 1, --max-restarts at least 0")
    if not 0 <= options.node_rank < options.nnodes:
        parser.error(f"--node-rank must be below --nnodes, which is {options.nnodes}")
    if options.nnodes > 1 and not options.master_port:
        parser.error("--master-port must be given with more than one machine")
    return options


def command_of(options: argparse.Namespace) -> list[str]:
    """The command of each process."""
    command = list(options.command)
    if options.no_python:
        return command
    if not options.java:
        return [sys.executable, "-u", *(["-m"] if options.module else []), *command]
    home = os.environ.get("JAVA_HOME")
    program = shutil.which("java", path=f"{home}/bin" if home else None) or shutil.which("java")
    if not program:
        raise SystemExit("run: there is no java, neither in JAVA_HOME nor on the PATH")
    # The library itself need not be named.
    own = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "onetape.jar")
    for name in ("-cp", "-classpath", "--class-path"):
        if name in command[:-1]:
            command[command.index(name) + 1] += os.pathsep + own
            return [program, *command]
    return [program, "-cp", own, *command]


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("", 0))
        port: int = probe.getsockname()[1]
        return port


def environment(options: argparse.Namespace, local_rank: int, port: int, attempt: int, token: str) -> dict[str, str]:
    """What torchrun sets, and the token by which the group knows its own."""
    world = options.nproc_per_node * options.nnodes
    rank = options.node_rank * options.nproc_per_node + local_rank
    own: Mapping[str, object] = {
        "RANK": rank,
        "WORLD_SIZE": world,
        "LOCAL_RANK": local_rank,
        "LOCAL_WORLD_SIZE": options.nproc_per_node,
        "GROUP_RANK": options.node_rank,
        "GROUP_WORLD_SIZE": options.nnodes,
        "ROLE_RANK": rank,
        "ROLE_WORLD_SIZE": world,
        "ROLE_NAME": "default",
        "MASTER_ADDR": options.master_addr,
        "MASTER_PORT": port,
        "TORCHELASTIC_RUN_ID": "onetape",
        "TORCHELASTIC_RESTART_COUNT": attempt,
        "TORCHELASTIC_MAX_RESTARTS": options.max_restarts,
        "TORCHELASTIC_USE_AGENT_STORE": "False",
    }
    everything = {**os.environ, **{name: str(value) for name, value in own.items()}}
    everything.setdefault("OMP_NUM_THREADS", "1")
    if options.nnodes == 1:
        everything.setdefault("ONETAPE_STORE_TOKEN", token)
    return everything


class Rank:
    """One process, whose output is passed on line by line."""

    def __init__(self, rank: int, command: list[str], variables: dict[str, str], prefix: bool) -> None:
        self.rank = rank
        self.errors: deque[str] = deque(maxlen=KEPT_LINES)
        # A group of its own, so that signals reach what it starts, too, and come through us alone.
        self.process = subprocess.Popen(
            command, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
        )
        name = f"[rank {rank}] " if prefix else ""
        self.readers = [
            threading.Thread(target=self._pass_on, args=(source, target, name, kept), daemon=True)
            for source, target, kept in (
                (self.process.stdout, sys.stdout, False),
                (self.process.stderr, sys.stderr, True),
            )
        ]
        for reader in self.readers:
            reader.start()

    def _pass_on(self, source: IO[bytes], target: IO[str], name: str, kept: bool) -> None:
        for line in source:
            text = line.decode(errors="replace")
            if kept:
                self.errors.append(text)
            target.write(name + text if text.endswith("\n") else f"{name}{text}\n")
            target.flush()

    def send(self, number: int) -> None:
        """Sends a signal to the process and those that it started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)

    def finish(self) -> None:
        """Once it has ended: its last output is passed on, and what it left running is killed."""
        self.send(signal.SIGKILL)
        for reader in self.readers:
            reader.join(5)

    def describe(self) -> str:
        """How it failed."""
        status = self.process.returncode
        how = f"exit status {status}" if status >= 0 else f"signal {signal.Signals(-status).name}"
        text = f"rank {self.rank} (process {self.process.pid}) failed first: {how}\n"
        return text + "".join(f"    {line}" for line in self.errors)


class Group:
    """The processes of one attempt."""

    def __init__(self, options: argparse.Namespace, attempt: int) -> None:
        port = options.master_port or free_port()
        token = secrets.token_hex(16)
        command = command_of(options)
        self.ranks: list[Rank] = []
        self.stopping: int | None = None
        for local in range(options.nproc_per_node):
            variables = environment(options, local, port, attempt, token)
            self.ranks.append(Rank(int(variables["RANK"]), command, variables, not options.no_prefix))

    def watch(self) -> Rank | None:
        """Waits for the end of all; the one that failed first, or None."""
        while True:
            running = [rank for rank in self.ranks if rank.process.poll() is None]
            failed = [rank for rank in self.ranks if rank.process.returncode not in (None, 0)]
            if failed or not running or self.stopping is not None:
                self.stop(self.stopping or signal.SIGTERM)
                return self._first(failed) if failed else None
            time.sleep(0.02)

    def _first(self, failed: list[Rank]) -> Rank:
        """Of those that are found at once: one that a signal ended, or that does not blame another."""
        blaming = "failed on rank"
        return min(failed, key=lambda rank: (rank.process.returncode > 0, any(blaming in line for line in rank.errors)))

    def stop(self, number: int) -> None:
        """Tells those that run to end, and kills them if they do not."""
        for rank in self.ranks:
            if rank.process.poll() is None:
                rank.send(number)
        deadline = time.monotonic() + PATIENCE
        for rank in self.ranks:
            try:
                rank.process.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                rank.send(signal.SIGKILL)
                rank.process.wait()
            rank.finish()


def main(given: Sequence[str] | None = None) -> int:
    """Runs the command line; the exit status."""
    options = arguments(given)
    group: Group | None = None
    stopped: list[int] = []

    def stop(number: int, _: FrameType | None) -> None:
        stopped.append(number)
        if group is not None:
            group.stopping = number

    for number in SIGNALS:
        signal.signal(number, stop)
    for attempt in range(options.max_restarts + 1):
        group = Group(options, attempt)
        if stopped:
            group.stopping = stopped[0]
        failed = group.watch()
        if stopped:
            print(f"run: stopped by {signal.Signals(stopped[0]).name}", file=sys.stderr)
            return 128 + stopped[0]
        if failed is None:
            return 0
        print(f"run: {failed.describe()}", end="", file=sys.stderr)
        if attempt < options.max_restarts:
            print(f"run: starting again ({attempt + 1} of {options.max_restarts})", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
