"""Reductions in the loops of a tape: to the last bit what operators give, unless sums may be reordered."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import onetape as torch
from onetape import jit, nn

Tensor = torch.Tensor
REDUCTIONS: list[Callable[[Tensor], Tensor]] = [
    lambda x: x.sum(-1),
    lambda x: x.mean(-1, keepdim=True),
    lambda x: x.prod(-1),
    lambda x: x.amax(-1),
    lambda x: x.amin(-1),
    lambda x: x.sum(),
    lambda x: x.mean(),
    lambda x: x.sum(0),
]
SHAPES = [
    (5,),
    (64,),
    (2048,),
    (2049,),
    (100_003,),
    (3, 7),
    (7, 64),
    (1, 2000),
    (130, 100),
    (40, 2048),
    (6, 5000),
    (65, 999),
]


def same(a: Tensor, b: Tensor) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and a.numpy().tobytes() == b.numpy().tobytes()


@pytest.fixture(params=[1, 2, 3])
def threads(request: pytest.FixtureRequest) -> object:
    before = torch.get_num_threads()
    torch.set_num_threads(request.param)
    yield request.param
    torch.set_num_threads(before)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_bits_are_those_of_the_operators(shape: tuple[int, ...], dtype: torch.dtype, threads: int) -> None:
    def function(x: Tensor, y: Tensor) -> list[Tensor]:
        z = (x * y + 0.25).tanh() * y - x
        return [reduction((z + number) * x) for number, reduction in enumerate(REDUCTIONS)]

    def draw() -> list[Tensor]:
        return [torch.randn(shape, dtype=dtype) for _ in range(2)]

    tape = jit.record(lambda *v: tuple(function(*v)), *draw())
    reordered = tape.reordered()
    for _ in range(3):
        inputs = draw()
        expected = function(*inputs)
        for place, (mine, near, theirs) in enumerate(zip(tape(*inputs), reordered(*inputs), expected, strict=True)):
            assert same(mine, theirs)
            # Long products meet 0 and infinity in their own order.
            assert place == 2 or torch.allclose(near, theirs, rtol=1e-4, atol=1e-3)


def test_what_is_reduced_is_given_too() -> None:
    def function(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        a = x * 2 - 1
        b = a * a
        return b.sum(-1), b, b.mean(-1) * 3

    tape = jit.record(function, torch.randn(50, 300))
    for each in (tape, tape.reordered()):
        for _ in range(3):
            x = torch.randn(50, 300)
            for mine, theirs in zip(each(x), function(x), strict=True):
                assert same(mine, theirs)


def test_threads_may_change_between_runs() -> None:
    before = torch.get_num_threads()
    try:
        tape = jit.record(lambda x: (x * x - 0.5).sum(-1), torch.randn(3, 2000))
        wide = jit.record(lambda x: (x * x - 0.5).sum(-1), torch.randn(31, 2000))
        for count in (2, 1, 7, 2):
            torch.set_num_threads(count)
            for each, rows in ((tape, 3), (wide, 31)):
                x = torch.randn(rows, 2000)
                assert same(each(x), (x * x - 0.5).sum(-1))
    finally:
        torch.set_num_threads(before)


def test_reordered_sums_do_not_depend_on_threads() -> None:
    before = torch.get_num_threads()
    x = torch.randn(700_001)
    tape = jit.record(lambda x: ((x - 0.3) * x).sum(), x).reordered()
    tape(x)
    try:
        results = []
        for count in (1, 2, 5):
            torch.set_num_threads(count)
            results.append(tape(x).item())
        assert len(set(results)) == 1
        exact = np.sum((x.numpy().astype(np.float64) - 0.3) * x.numpy())
        assert results[0] == pytest.approx(exact, rel=1e-5)
    finally:
        torch.set_num_threads(before)


def test_the_option_is_kept_and_shown(tmp_path: object) -> None:
    tape = jit.record(lambda x: (x * 2).sum(), torch.randn(9000))
    assert "another order" not in str(tape)
    assert "another order" in str(tape.reordered())
    path = f"{tmp_path}/sums.tape"
    tape.reordered().save(path)
    assert "another order" in str(jit.load(path))


def test_traces_and_steps_take_the_option() -> None:
    x = torch.randn(10_000)
    traced = jit.trace(lambda x: (x * 2 - 1).sum(), x, reorder_sums=True)
    assert "another order" in str(traced.tapes[0])
    assert torch.allclose(traced(x), (x * 2 - 1).sum(), rtol=1e-4, atol=1e-2)
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    step = jit.compile_step(lambda x: (model(x) * 2).square().mean(), optimizer, reorder_sums=True)
    losses = [step(torch.ones(3000, 4)).item() for _ in range(5)]
    assert "another order" in str(step.tapes[0]) and losses[-1] < losses[0]
