"""A process may end, or fork, whatever its threads, tensors and exit functions are doing."""

import subprocess
import sys
from pathlib import Path

import pytest

import onetape as torch

ROOT = Path(torch.__file__).resolve().parents[1]

ENDING = """
import atexit, random, sys, threading, time
import onetape as torch

rng = random.Random(int(sys.argv[1]))

class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2

def train(large):
    x = torch.rand(200_000 if large else 100, requires_grad=True)
    while True:
        y = (Double.apply(x) * x).sum()
        y.register_hook(lambda grad: grad)
        y.backward()

def last_words():
    (kept * 2).sum().backward()

class Late:
    def __del__(self):
        last_words()

kept = torch.rand(10, requires_grad=True)
for _ in range(rng.choice([0, 1, 2, 4])):
    threading.Thread(target=train, args=(rng.random() < 0.3,), daemon=True).start()
sys.modules["graph"] = Double.apply(kept)
if rng.random() < 0.5:
    atexit.register(last_words)
late = Late() if rng.random() < 0.3 else None
time.sleep(rng.random() * 0.05)
if rng.random() < 0.3:
    sys.exit(0)
"""

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


def run(program: str, *arguments: str) -> None:
    command = [sys.executable, "-W", "ignore", "-c", program, *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("seed", range(24))
def test_interpreter_ends_with_threads_in_the_engine(seed: int) -> None:
    run(ENDING, str(seed))


def test_fork_after_use() -> None:
    run(FORKING)
