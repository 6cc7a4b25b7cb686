"""What the profiler costs an operator: ``python -m benchmarks.profiler``, best of interleaved repeats.

Each case is a chain of small operators, so that what is measured is the call and not the computation.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

import onetape as torch
from onetape.profiler import profile

OPERATORS = 20_000
REPEATS = 7


def forward(x: torch.Tensor) -> Callable[[], object]:
    """Operators without a graph."""

    def run() -> None:
        y = x
        for _ in range(OPERATORS):
            y = y.neg()

    return run


def graph(x: torch.Tensor) -> Callable[[], object]:
    """Half as many operators that record a node, and the runs of those nodes."""

    def run() -> None:
        y = leaf
        for _ in range(OPERATORS // 2):
            y = y * 0.5
        y.backward()

    leaf = x.clone().requires_grad_()
    return run


def seconds(run: Callable[[], object], around: AbstractContextManager[object]) -> float:
    with around:
        begin = time.perf_counter()
        run()
        return time.perf_counter() - begin


def main() -> None:
    torch.set_num_threads(1)
    ways: dict[str, Callable[[], AbstractContextManager[object]]] = {
        "off": nullcontext,
        "times": profile,
        "times, shapes": lambda: profile(record_shapes=True),
        "times, shapes, memory": lambda: profile(record_shapes=True, profile_memory=True),
        "times, calls": lambda: profile(with_stack=True),
    }
    for case in (forward, graph):
        run = case(torch.tensor(1.0))
        best = dict.fromkeys(ways, float("inf"))
        for _ in range(REPEATS):
            for name, way in ways.items():
                best[name] = min(best[name], seconds(run, way()))
        for name, spent in best.items():
            more = (spent - best["off"]) / OPERATORS * 1e9
            print(f"{case.__name__:8} {name:22} {spent / OPERATORS * 1e9:7.1f} ns an operator, {more:+7.1f}")


if __name__ == "__main__":
    main()
