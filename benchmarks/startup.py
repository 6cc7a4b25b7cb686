"""From the start of Python to the first gradient, above a bare Python."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = """
import {library} as torch
x = torch.tensor(2.0, requires_grad=True)
(x * x).backward()
assert x.grad.item() == 4
"""


def wall(python: str, program: str) -> float:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python") if "onetape" in program else ""}
    start = time.perf_counter()
    subprocess.run([python, "-c", program], env=environment, check=True)
    return time.perf_counter() - start


def first_gradient(python: str, library: str, repeats: int) -> float:
    program = PROGRAM.format(library=library)
    wall(python, program)
    bare = min(wall(python, "pass") for _ in range(repeats + 4))
    return min(wall(python, program) for _ in range(repeats + 4)) - bare


def rows(peer: str | None, repeats: int) -> list[dict]:
    ours = first_gradient(sys.executable, "onetape", repeats)
    theirs = first_gradient(peer, "torch", repeats) if peer else None
    return [{"case": "first gradient", "peer": "PyTorch", "onetape": ours, "theirs": theirs, "unit": "s"}]
