"""Arguments nobody means: values at the edges of what a parameter takes, and objects that lie or raise when asked."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

import onetape as torch

DTYPES = [torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.bfloat16]
DTYPES += [torch.float32, torch.float64, torch.complex64, torch.complex128]
NUMBERS = [0, 1, -1, 2, 3, -2, 7, 64, 2**31 - 1, -(2**31), 2**31, 2**63 - 1, -(2**63), 2**63, 2**70, True, False]
REALS = [0.0, -0.0, 0.5, -1.5, 1e-320, 1e308, float("inf"), float("-inf"), float("nan"), 1 + 2j]
WORDS = ["", "mean", "sum", "none", "ij,jk->ik", "...", "i->", "cpu", "cuda:7", "tanh", "é\0", "x" * 5000, "\ud800"]


class Raises:
    """Raises whatever it is asked."""

    def __init__(self, error: type[BaseException]) -> None:
        self.error = error

    def fail(self, *_: Any, **__: Any) -> Any:
        raise self.error("on purpose")

    __index__ = __int__ = __float__ = __bool__ = __len__ = __iter__ = __getitem__ = __array__ = __dlpack__ = fail
    __eq__ = __repr__ = __array_interface__ = fail


class Lies:
    """A sequence that says another length than it has, and an index that is none."""

    def __init__(self, says: int, has: int) -> None:
        self.says, self.has = says, has

    def __len__(self) -> int:
        return self.says

    def __getitem__(self, i: int) -> Any:
        if i >= self.has:
            raise IndexError(i)
        return i

    def __index__(self) -> Any:
        return "no number"


class Changes(list):  # type: ignore[type-arg]
    """A list that loses its items while it is read."""

    def __iter__(self) -> Any:
        for item in list(self):
            self.clear()
            yield item

    def __getitem__(self, i: Any) -> Any:
        item = super().__getitem__(i)
        self.clear()
        return item


class Shrinks:
    """An index that empties a list when it is asked for its value."""

    def __init__(self, victim: list[Any]) -> None:
        self.victim = victim

    def __index__(self) -> int:
        self.victim.clear()
        return 1


def itself() -> list[Any]:
    ring: list[Any] = []
    ring.append(ring)
    return ring


def deep(levels: int) -> Any:
    value: Any = 1.0
    for _ in range(levels):
        value = [value]
    return value


def shrinking() -> list[Any]:
    victim: list[Any] = [2, 3, 4]
    victim.insert(1, Shrinks(victim))
    return victim


class Nasty:
    """Draws values. The results of earlier calls come back as later arguments."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.longest = 2**62
        self.pool: list[Any] = []

    def shape(self) -> list[int]:
        r = self.rng
        if r.random() < 0.08:
            return r.choice([[2**40], [2**31, 2**31], [2**62, 4], [-1], [3, -1], [0, 2**62], [1] * 65, [2**20, 2**20]])
        return [r.choice([0, 1, 2, 3, 4, 5]) for _ in range(r.choice([0, 1, 1, 2, 2, 2, 3, 4]))]

    def tensor(self) -> torch.Tensor:
        r = self.rng
        dtype = r.choice([torch.float32, torch.float64, torch.float32, torch.int64, *DTYPES])
        shape = [r.choice([0, 1, 2, 2, 3, 3, 4]) for _ in range(r.choice([0, 1, 2, 2, 2, 3, 4]))]
        t = torch.zeros(shape, dtype=dtype)
        if dtype.is_floating_point or dtype.is_complex:
            t.fill_(r.choice([0.0, 1.0, -2.5, float("nan"), float("inf")]))
            if r.random() < 0.5:
                t = torch.rand(shape, dtype=torch.float32).to(dtype)
            if r.random() < 0.4:
                t.requires_grad_()
                if r.random() < 0.6:
                    t = t * 1
        elif r.random() < 0.7:
            t = torch.randint(0, 3, shape).to(dtype)
        if t.dim() > 1 and r.random() < 0.3:
            views: list[Callable[[], torch.Tensor]] = [
                lambda: t.transpose(0, 1),
                lambda: t[:1].expand(t.shape),
                lambda: t[1:],
            ]
            return r.choice(views)()
        return t

    def sequence(self) -> Any:
        r = self.rng
        makers: list[Callable[[], Any]] = [
            self.shape,
            lambda: tuple(self.shape()),
            lambda: [self.tensor() for _ in range(r.choice([0, 1, 2, 3]))],
            lambda: tuple(self.tensor() for _ in range(r.choice([1, 2]))),
            lambda: [self.tensor(), None],
            lambda: [self.value() for _ in range(r.choice([1, 2, 3]))],
            lambda: Lies(r.choice([0, 3, 2**40, -1]), r.choice([0, 2, 5])),
            lambda: Changes([1, 2, 3]),
            lambda: Changes([self.tensor(), self.tensor()]),
            shrinking,
            itself,
            lambda: deep(r.choice([3, 70, 3000])),
            lambda: [[1, 2], [3]],
            lambda: range(r.choice([3, self.longest])),
            lambda: {1: 2},
            lambda: (i for i in range(3)),
            lambda: [r.choice(NUMBERS) for _ in range(r.choice([1, 2, 3]))],
        ]
        return r.choice(makers)()

    def array(self) -> Any:
        r = self.rng
        makers: list[Callable[[], Any]] = [
            lambda: np.zeros(self.rng.choice([(), (2, 3), (0,), (3,)])),
            lambda: np.arange(12.0).reshape(3, 4)[::-1, ::2],
            lambda: np.array(["a", "b"]),
            lambda: np.array([object()]),
            lambda: np.zeros(3, dtype=">f8"),
            lambda: np.zeros(2, dtype=[("a", "i4")]),
            lambda: np.frombuffer(b"12345678", dtype="f8"),
            lambda: np.float32(3),
            lambda: memoryview(bytearray(16)),
            lambda: bytearray(8),
            lambda: b"abcdefgh",
        ]
        return r.choice(makers)()

    def number(self) -> Any:
        return self.rng.choice([self.rng.choice(NUMBERS), self.rng.choice(NUMBERS[:7]), self.rng.choice(REALS)])

    def odd(self) -> Any:
        r = self.rng
        makers: list[Callable[[], Any]] = [
            lambda: None,
            lambda: Raises(r.choice([ValueError, KeyError, RuntimeError, MemoryError, RecursionError])),
            lambda: Lies(2, 2),
            lambda: slice(r.choice(NUMBERS), r.choice(NUMBERS), r.choice(NUMBERS)),
            lambda: Ellipsis,
            lambda: r.choice(DTYPES),
            lambda: torch.device("cpu"),
            lambda: torch.Generator(),
            lambda: torch.Size([2, 3]),
            lambda: lambda *args: args[0] if args else None,
            lambda: Raises(ValueError).fail,
            lambda: object(),
            lambda: torch.Tensor,
            lambda: torch.nn.Linear(2, 3),
            lambda: {"a": 1},
            lambda: torch.tensor(2.0).storage if hasattr(torch.Tensor, "storage") else None,
        ]
        return r.choice(makers)()

    def value(self) -> Any:
        r = self.rng
        if self.pool and r.random() < 0.25:
            return r.choice(self.pool)
        draw = r.choices(
            [self.tensor, self.number, self.sequence, self.odd, self.array, self.word], [7, 4, 4, 3, 1, 1]
        )[0]
        return draw()

    def word(self) -> Any:
        return self.rng.choice(WORDS)

    def for_type(self, kind: str) -> Any:
        """A value that a parameter of this type of the tables may take, or for once another."""
        r = self.rng
        if r.random() < 0.25:
            return self.value()
        if "Tensor[]" in kind:
            return [self.tensor() for _ in range(r.choice([0, 1, 2, 3]))]
        if "Tensor" in kind:
            return self.number() if "Scalar" in kind and r.random() < 0.4 else self.tensor()
        if "[]" in kind:
            return self.shape() if r.random() < 0.8 else self.sequence()
        if kind.startswith("str"):
            return self.word()
        if kind.startswith("bool"):
            return r.random() < 0.5
        if kind.startswith("dtype"):
            return r.choice(DTYPES)
        if kind.startswith("int"):
            return r.choice(NUMBERS[:8]) if r.random() < 0.7 else r.choice(NUMBERS)
        return self.number()
