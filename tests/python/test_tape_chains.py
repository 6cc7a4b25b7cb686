"""Loops of a tape's plan: arithmetic that passes from kernel to kernel in registers gives what the operators give."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest

import onetape as torch
from onetape import jit

Tensor = torch.Tensor
INPUTS = 3
SIZES = [(), (1,), (3,), (16,), (127,), (128,), (129,), (5, 61), (2051,), (40_003,)]


def same(a: Tensor, b: Tensor) -> bool:
    """The same bits, but for those that say where a nan came from."""
    x, y = a.numpy(), b.numpy()
    nan = np.isnan(x)
    return x.dtype == y.dtype and np.array_equal(nan, np.isnan(y)) and x[~nan].tobytes() == y[~nan].tobytes()


def special(shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
    """Ordinary numbers, and on the way zeros of both signs, infinities and nan."""
    x = torch.randn(shape, dtype=dtype)
    flat = x.view(-1)
    for place, value in enumerate([0.0, -0.0, float("inf"), float("-inf"), float("nan"), 1e-40]):
        flat[place * 7 :: 53] = value
    return x


def draw(rng: random.Random) -> Callable[..., list[Tensor]]:
    """A function of three tensors: up to twenty operators, each on results of before or numbers."""
    binary = ["a + b", "a - b", "a * b", "a / b", "a.add(b, alpha=2)", "a.maximum(b)"]
    with_number = ["a + 0.5", "1.5 - a", "a * 3", "a / 7", "2 / a", "a - 1", "a.sub(1.25, alpha=3)"]
    unary = ["-a", "a.relu()", "a.clamp(-1, 2)", "a.clamp(min=-0.5)", "a.clamp(max=0.75)", "a.abs()", "a.tanh()"]
    lines = []
    for number in range(rng.randint(2, 20)):
        text = rng.choice(rng.choice([binary, with_number, unary]))
        latest = INPUTS + number - 1
        a = latest if number > 0 and rng.random() < 0.7 else rng.randint(0, latest)
        b = a if rng.random() < 0.2 else rng.randint(0, latest)
        first, second = (a, b) if rng.random() < 0.6 else (b, a)
        lines.append(f"    v.append(eval_({text!r}, v[{first}], v[{second}]))")
    count = INPUTS + len(lines)
    given = sorted({count - 1, *(rng.randint(INPUTS, count - 1) for _ in range(rng.randint(0, 2)))})
    source = "def program(*v):\n    v = list(v)\n" + "\n".join(lines) + f"\n    return [v[i] for i in {given}]"
    names: dict[str, object] = {"eval_": lambda text, a, b: eval(text, {}, {"a": a, "b": b})}
    exec(source, names)
    program = names["program"]
    assert callable(program)
    return program


@pytest.mark.parametrize("seed", range(60))
def test_random_loops(seed: int) -> None:
    rng = random.Random(seed)
    torch.manual_seed(seed)
    program = draw(rng)
    dtype = rng.choice([torch.float32, torch.float32, torch.float64])
    shape = SIZES[seed % len(SIZES)]
    tape = jit.record(lambda *v: tuple(program(*v)), *(special(shape, dtype) for _ in range(INPUTS)))
    for _ in range(3):
        inputs = [special(shape, dtype) for _ in range(INPUTS)]
        given = tape(*inputs)
        for mine, theirs in zip([given] if isinstance(given, Tensor) else given, program(*inputs), strict=True):
            assert same(mine, theirs)


def test_a_number_from_a_tensor() -> None:
    scale, x = torch.randn(1), torch.randn(300, 7)
    tape = jit.record(lambda s, x: (x * s + s) / s - s * x, scale, x)
    for _ in range(3):
        scale, x = torch.randn(1), torch.randn(300, 7)
        assert same(tape(scale, x), (x * scale + scale) / scale - scale * x)


def test_dtypes_side_by_side() -> None:
    def function(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        a, b = x * 2, y * 2
        c, d = a + 1, b + 1
        return c * a, d * b

    tape = jit.record(function, torch.randn(999), torch.randn(999, dtype=torch.float64))
    for _ in range(3):
        x, y = torch.randn(999), torch.randn(999, dtype=torch.float64)
        for mine, theirs in zip(tape(x, y), function(x, y), strict=True):
            assert same(mine, theirs)


def test_threads_share_a_loop() -> None:
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        x = torch.randn(300_001)
        tape = jit.record(lambda x: ((x * x - 1) * 0.5).tanh() * x + x, x)
        for _ in range(3):
            x = torch.randn(300_001)
            assert same(tape(x), ((x * x - 1) * 0.5).tanh() * x + x)
    finally:
        torch.set_num_threads(before)
