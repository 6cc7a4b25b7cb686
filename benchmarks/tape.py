"""What a tape gains: ``python -m benchmarks.tape`` prints each case eager and from a tape, taking turns."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import onetape as torch
from onetape import jit, nn

Call = Callable[[], object]


@dataclass
class Case:
    """What is measured, and what both do besides."""

    eager: Call
    tape: Call
    besides: Call | None = None


def seed() -> Case:
    """(w·x + b)² of scalars, forward and backward. Clearing the gradients between the steps is not counted."""
    x, w, b = (torch.tensor(value, requires_grad=True) for value in (2.0, 3.0, 1.0))

    def step() -> torch.Tensor:
        y = w * x + b
        y = y * y
        y.backward()
        return y.detach()

    def clear() -> None:
        x.grad = w.grad = b.grad = None

    tape = jit.record(step)

    def followed(call: Call) -> Call:
        def run() -> None:
            call()
            x.grad = w.grad = b.grad = None

        return run

    clear()
    return Case(followed(step), followed(tape), clear)


def mlp() -> Case:
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
    return Case(eager, lambda: step(images, labels))


def recorded(function: Callable[..., torch.Tensor], *inputs: torch.Tensor, reordered: bool = False) -> Case:
    tape = jit.record(function, *inputs)
    if reordered:
        tape = tape.reordered()
    return Case(lambda: function(*inputs), lambda: tape(*inputs))


def chain() -> Case:
    """A GELU made of bounds and products: ten operators on 1 M elements."""
    return recorded(
        lambda x: (((x * 1.702 + 3).clamp(0, 6) * x * 0.16666667 + x * 0.044715) * x + 1) * 0.5, torch.randn(1_000_000)
    )


def gelu() -> Case:
    """GELU by tanh, written out: nine operators on 1 M elements."""
    return recorded(
        lambda x: x * 0.5 * (1 + torch.tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))), torch.randn(1_000_000)
    )


def rows() -> Case:
    """The mean square of what is left of a linear form, for each of 2,000 rows of 500."""
    return recorded(
        lambda x, y: ((x * 0.5 + y) * (x * 0.5 + y)).mean(-1), torch.randn(2000, 500), torch.randn(2000, 500)
    )


def total() -> Case:
    """The same over all elements, where sums may be reordered."""
    return recorded(
        lambda x, y: ((x * 0.5 + y) * (x * 0.5 + y)).mean(),
        torch.randn(2000, 500),
        torch.randn(2000, 500),
        reordered=True,
    )


def best_of(case: Case, repeats: int = 15) -> tuple[float, float]:
    """Seconds eager and from the tape, taking turns, without what both do besides."""
    calls = [case.eager, case.tape] + ([case.besides] if case.besides else [])
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
    besides = best[2] if case.besides else 0.0
    return best[0] - besides, best[1] - besides


def main() -> None:
    print(f"{'case':8} {'eager':>12} {'tape':>12} {'ratio':>7}   ({torch.get_num_threads()} threads)")
    for case in (seed, mlp, chain, gelu, rows, total):
        eager, tape = best_of(case())
        print(f"{case.__name__:8} {eager * 1e6:9.2f} µs {tape * 1e6:9.2f} µs {eager / tape:6.2f}x")


if __name__ == "__main__":
    main()
