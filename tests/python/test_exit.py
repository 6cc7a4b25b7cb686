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
