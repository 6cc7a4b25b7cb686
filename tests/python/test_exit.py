"""A process may end, or fork, whatever its threads, tensors and exit functions are doing (see also `make fuzz`)."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import onetape as torch

PACKAGE = Path(torch.__file__).resolve().parents[1]
ROOT = Path(__file__).resolve().parents[2]

FORKING = """
import os
import onetape as torch

def work():
    x = torch.rand(300, 300, requires_grad=True)
    (x @ x).exp().mean().backward()
    torch.rand(2_000_000).exp().sum()

work()
child = os.fork()
work()
if child == 0:
    os._exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
"""

WAITING_LAST = """
import atexit, threading
stop = threading.Event()

def train():
    while not stop.is_set():
        x = torch.rand(10, requires_grad=True)
        y = x * 2
        y.register_hook(lambda grad: grad)
        y.sum().backward()

def wait():
    stop.set()
    for worker in workers:
        worker.join()

atexit.register(wait)  # before the engine's own, so it runs after it
import onetape as torch
workers = [threading.Thread(target=train, daemon=True) for _ in range(3)]
for worker in workers:
    worker.start()
"""

FORKING_AMONG_THREADS = """
import os, sys, threading
import onetape as torch

def train():
    while True:
        x = torch.rand(10, requires_grad=True)
        y = x * 2
        y.register_hook(lambda grad: grad)
        y.sum().backward()

for _ in range(3):
    threading.Thread(target=train, daemon=True).start()
for _ in range(20):
    child = os.fork()
    if child == 0:
        sys.exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
"""


def run(*arguments: str) -> None:
    path = os.pathsep.join([str(PACKAGE), str(ROOT)])
    done = subprocess.run(
        [sys.executable, "-W", "ignore", *arguments],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("seed", range(24))
def test_interpreter_ends_with_threads_in_the_engine(seed: int) -> None:
    run("-m", "tests.fuzz.ending", str(seed), "1", "-")


def test_fork_after_use() -> None:
    run("-c", FORKING)


def test_exit_functions_that_run_last_may_wait_for_threads_in_the_engine() -> None:
    run("-c", WAITING_LAST)


def test_children_forked_while_threads_are_in_the_engine_end() -> None:
    run("-c", FORKING_AMONG_THREADS)
