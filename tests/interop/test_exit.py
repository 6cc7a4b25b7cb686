"""A process with both languages may end while threads of Python are inside the engine.

Threads that call Java at that moment are JPype's to stop: the JVM holds them, and they hold the interpreter's lock.
"""

import subprocess
import sys
from pathlib import Path

import pytest

import onetape as torch

ROOT = Path(torch.__file__).resolve().parents[1]

ENDING = """
import atexit, random, sys, threading, time
import jpype
import onetape as torch
from onetape import jvm

rng = random.Random(int(sys.argv[1]))
jvm.start()
java = jpype.JClass("org.onetape.global.torch")
x = torch.rand(10, requires_grad=True)

def in_python():
    while True:
        y = (x * x).sum()
        y.register_hook(lambda grad: grad)
        y.backward()

for _ in range(rng.choice([0, 1, 3])):
    threading.Thread(target=in_python, daemon=True).start()
kept = java.rand([2, 2])
if rng.random() < 0.5:
    atexit.register(lambda: (x * 2).sum().backward())
time.sleep(rng.random() * 0.1)
if rng.random() < 0.3:
    sys.exit(0)
"""


@pytest.mark.parametrize("seed", range(8))
def test_both_runtimes_end(seed: int) -> None:
    command = [sys.executable, "-W", "ignore", "-c", ENDING, str(seed)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
