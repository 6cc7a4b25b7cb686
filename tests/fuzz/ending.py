"""A process that ends in one of many ways, whatever its threads, tensors and exit functions are doing.

``python -m tests.fuzz.ending SEED 1 PROGRESS``: the file PROGRESS says -1 once the end has begun.
"""

from __future__ import annotations

import atexit
import gc
import os
import random
import sys
import threading
import time
import warnings
from typing import Any

import onetape as torch


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad * 2


def train(large: bool) -> None:
    x = torch.rand(200_000 if large else 100, requires_grad=True)
    while True:
        y = (Double.apply(x) * x).sum()
        y.register_hook(lambda grad: grad)
        y.backward()


def churn() -> None:
    """Makes cycles through graphs and leaves them to the collector."""
    while True:
        x = torch.rand(10, requires_grad=True)
        y = Double.apply(x)
        y.register_hook(lambda grad, y=y: grad)  # type: ignore[misc]
        if random.random() < 0.1:
            gc.collect()


class Late:
    def __init__(self, kept: Any) -> None:
        self.kept = kept

    def __del__(self) -> None:
        (self.kept * 2).sum().backward()


def end(seed: int, progress: str) -> None:
    rng = random.Random(seed)
    kept = torch.rand(10, requires_grad=True)

    def last_words() -> None:
        (kept * 2).sum().backward()

    for _ in range(rng.choice([0, 1, 2, 4])):
        work, args = rng.choice([(train, (rng.random() < 0.3,)), (churn, ())])
        threading.Thread(target=work, args=args, daemon=True).start()
    sys.modules["graph"] = Double.apply(kept)
    if rng.random() < 0.5:
        atexit.register(last_words)
    if rng.random() < 0.3:
        sys.modules["late"] = Late(kept)  # type: ignore[assignment]
    time.sleep(rng.random() * 0.05)
    if progress != "-":
        with open(progress, "wb") as file:
            file.write(b"%20d" % -1)
    way = rng.random()
    if way < 0.3:
        sys.exit(0)
    if way < 0.35:
        os._exit(0)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    end(int(sys.argv[1]), sys.argv[3])
