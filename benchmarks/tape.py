"""What a tape gains: ``python -m benchmarks.tape`` prints each case eager and from a tape, taking turns."""

from __future__ import annotations

import time
from collections.abc import Callable

import onetape as torch
from onetape import jit, nn

Call = Callable[[], object]


def seed() -> tuple[Call, Call]:
    """(w·x + b)² of scalars, forward and backward."""
    x, w, b = (torch.tensor(value, requires_grad=True) for value in (2.0, 3.0, 1.0))

    def step() -> torch.Tensor:
        y = w * x + b
        y = y * y
        y.backward()
        return y.detach()

    def cleared(call: Call) -> Call:
        def run() -> None:
            call()
            x.grad = w.grad = b.grad = None

        return run

    tape = jit.record(step)
    x.grad = w.grad = b.grad = None
    return cleared(step), cleared(tape)


def mlp() -> tuple[Call, Call]:
    """One SGD step of an MLP 784-128-10 with batch 64."""
    torch.manual_seed(0)
    images, labels = torch.randn(64, 784), torch.randint(0, 10, (64,))
    loss_of = nn.CrossEntropyLoss()

    def made() -> tuple[nn.Module, torch.optim.Optimizer]:
        model = nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))
        return model, torch.optim.SGD(model.parameters(), lr=0.01)

    model, optimizer = made()
    other, other_optimizer = made()

    def eager() -> None:
        optimizer.zero_grad()
        loss_of(model(images), labels).backward()
        optimizer.step()

    step = jit.compile_step(lambda x, y: loss_of(other(x), y), other_optimizer)
    return eager, lambda: step(images, labels)


def gelu() -> tuple[Call, Call]:
    """A chain of ten element-wise operators on 1 M elements."""
    x = torch.randn(1_000_000)

    def chain(x: torch.Tensor) -> torch.Tensor:
        inner = (x * x * x * 0.044715 + x) * 0.7978845608028654
        return (inner.clamp(-8, 8).sigmoid() * 2 - 1 + 1) * x * 0.5

    tape = jit.record(chain, x)
    return lambda: chain(x), lambda: tape(x)


def best_of(calls: tuple[Call, Call], repeats: int = 15) -> list[float]:
    """Seconds of each, taking turns."""
    for call in calls * 3:
        call()
    start = time.perf_counter()
    calls[0]()
    count = max(1, int(0.02 / max(time.perf_counter() - start, 1e-7)))
    best = [float("inf")] * len(calls)
    for _ in range(repeats):
        for place, call in enumerate(calls):
            start = time.perf_counter()
            for _ in range(count):
                call()
            best[place] = min(best[place], (time.perf_counter() - start) / count)
    return best


def main() -> None:
    print(f"{'case':8} {'eager':>12} {'tape':>12} {'ratio':>7}   ({torch.get_num_threads()} threads)")
    for case in (seed, mlp, gelu):
        eager, tape = best_of(case())
        print(f"{case.__name__:8} {eager * 1e6:9.2f} µs {tape * 1e6:9.2f} µs {eager / tape:6.2f}x")


if __name__ == "__main__":
    main()
