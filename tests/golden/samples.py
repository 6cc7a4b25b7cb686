"""The arguments that the ``sample`` lines of the operator tables describe, without any tensor library.

A sample is a Python argument list in a small language: ``real(2, 3), real(3).expand(2, 3), dim=1``. Its makers give
`Array`s, whose elements follow from the operator, the sample's text and the maker's place in it alone, so that a stored
result stays right when other samples come or go:

    real(*shape, lo=-2, hi=2)   no two equal, none near an integer; integers for integral dtypes, 0 and 1 for bool
    pos(*shape)                 in (0.2, 3)
    apart(*shape)               0.3 < |x| < 2, both signs
    unit(*shape), prob(*shape)  in (-0.95, 0.95) and (0.05, 0.95)
    special(n)                  zeros, infinities, nan, the smallest and largest …; for values, not for gradients
    index(*shape, high=n)       int64 in [0, n)
    ints(*values)               int64, these values
    mask(*shape)                bool
    result(array)               the array as the result of an operator, for operators that change it

An array takes ``.t()``, ``.transpose(…)``, ``.permute(…)``, ``.reshape(…)``, ``.expand(…)``, ``.sort()``,
``.constant()`` and ``[…]``. Floating values lie on a coarse binary grid, so they are the same number in every floating
dtype, bfloat16 included.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

FLOATING = ("float16", "bfloat16", "float32", "float64")
COMPLEX = ("complex64", "complex128")
INTEGRAL = ("uint8", "int8", "int16", "int32", "int64")
DTYPES = ("bool", *INTEGRAL, *FLOATING, *COMPLEX)
NEAR_INTEGER = 0.05


class SampleError(Exception):
    """A sample that cannot be evaluated."""


class DType(str):
    """The name of a dtype as an argument."""


@dataclass(frozen=True)
class Array:
    """A tensor to be made: a stretch of memory and a view of it. bfloat16 is kept in float32."""

    dtype: str
    storage: np.ndarray
    view: np.ndarray = field(repr=False)
    differentiable: bool = True
    is_result: bool = False

    @property
    def shape(self) -> tuple[int, ...]:
        return self.view.shape

    @property
    def offset(self) -> int:
        if self.view.size == 0:
            return 0
        start = self.view.__array_interface__["data"][0] - self.storage.__array_interface__["data"][0]
        return start // self.storage.itemsize

    @property
    def strides(self) -> tuple[int, ...]:
        if self.view.size == 0:
            return contiguous_strides(self.shape)
        return tuple(step // self.storage.itemsize for step in self.view.strides)

    @property
    def is_dense(self) -> bool:
        """Does the view show the whole memory in row-major order?"""
        return self.strides == contiguous_strides(self.shape) and self.storage.size == self.view.size

    @property
    def memory(self) -> np.ndarray:
        """What is to be put in memory: in the view's shape if it is dense, else flat."""
        return self.view if self.is_dense else self.storage

    @property
    def is_leaf(self) -> bool:
        """May a gradient be asked for?"""
        return self.differentiable and self.is_floating

    @property
    def is_floating(self) -> bool:
        return self.dtype in FLOATING or self.dtype in COMPLEX

    def _viewed(self, view: np.ndarray) -> Array:
        return replace(self, view=view)

    def t(self) -> Array:
        return self._viewed(self.view.T)

    def transpose(self, dim0: int, dim1: int) -> Array:
        return self._viewed(np.swapaxes(self.view, dim0, dim1))

    def permute(self, *dims: int) -> Array:
        return self._viewed(np.transpose(self.view, dims))

    def reshape(self, *shape: int) -> Array:
        view = self.view.reshape(shape)
        if not np.shares_memory(view, self.storage):
            return replace(self, storage=view.reshape(-1), view=view)
        return self._viewed(view)

    def constant(self) -> Array:
        """The array as an operand that never requires a gradient."""
        return replace(self, differentiable=False)

    def sort(self) -> tuple[Array, Array]:
        """The elements sorted along the last dimension, and their indices."""
        order = np.argsort(self.view, axis=-1, kind="stable")
        elements = np.take_along_axis(self.view, order, axis=-1)
        return array_of(elements, self.dtype), array_of(order, "int64", differentiable=False)

    def expand(self, *shape: int) -> Array:
        return self._viewed(np.broadcast_to(self.view, shape))

    def __getitem__(self, index: Any) -> Array:
        index = index if isinstance(index, tuple) else (index,)
        view = self.view[(*index, ...) if Ellipsis not in index else index]
        if not np.shares_memory(view, self.storage) and view.size:
            raise ValueError("an index of a sample must give a view")
        return self._viewed(view)


def contiguous_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    strides = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


def storage_dtype(dtype: str) -> np.dtype:
    return np.dtype("float32" if dtype == "bfloat16" else dtype)


def rounded(values: Any, dtype: str) -> np.ndarray:
    """The values as an array of the dtype (bfloat16: float32 with the nearest values that bfloat16 has)."""
    with np.errstate(over="ignore", invalid="ignore"):
        array = np.asarray(values).astype(storage_dtype(dtype))
    if dtype != "bfloat16":
        return array
    bits = array.view(np.uint32).astype(np.uint64)
    bits = (bits + 0x7FFF + ((bits >> np.uint64(16)) & np.uint64(1))) & np.uint64(0xFFFF0000)
    return np.where(np.isnan(array), array, bits.astype(np.uint32).view(np.float32)).astype(np.float32)


def array_of(values: Any, dtype: str, **properties: bool) -> Array:
    """A contiguous array of these values."""
    values = rounded(values, dtype)
    storage = np.ascontiguousarray(values).reshape(-1).copy()
    return Array(dtype, storage, storage.reshape(values.shape), **properties)


# ---- elements ----


def random_bits(seed: int, count: int) -> np.ndarray:
    """count 64-bit numbers by the splitmix64 recurrence."""
    with np.errstate(over="ignore"):
        z = np.uint64(seed) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def pick(candidates: np.ndarray, count: int, seed: int) -> np.ndarray:
    """count of the candidates in a mixed order: different ones while there are enough."""
    rounds = -(-count // max(len(candidates), 1)) if count else 0
    parts = [candidates[np.argsort(random_bits(seed + k, len(candidates)), kind="stable")] for k in range(rounds)]
    return np.concatenate(parts)[:count] if parts else candidates[:0]


def grid(lo: float, hi: float, count: int, gap: float) -> np.ndarray:
    """Numbers between lo and hi, none near an integer, none within gap of 0: at least count of them."""
    step = 2.0 ** (np.ceil(np.log2(max(abs(lo), abs(hi)))) - 7)
    while True:
        points = np.arange(np.floor(lo / step), np.ceil(hi / step) + 1) * step
        points = points[(points > lo) & (points < hi) & (np.abs(points) > gap)]
        points = points[np.abs(points - np.round(points)) > NEAR_INTEGER]
        if len(points) >= count:
            return points
        step /= 2


def integers(lo: int, hi: int, dtype: str, without_zero: bool) -> np.ndarray:
    limits = np.iinfo(dtype)
    values = np.arange(max(lo, limits.min), min(hi, limits.max) + 1)
    return values[values != 0] if without_zero else values


SPECIAL_INTEGERS = (0, 1, -1, "max", "min", 2, -2, 3, 7, 5)
SPECIAL_COMPLEX = (0, 1, -1, 1j, -1j, 1 + 1j, -2 + 0.5j, 0.25 - 3j, 1e-3j, 100)


def special_values(dtype: str) -> np.ndarray:
    if dtype == "bool":
        return np.array([False, True] * 5)
    if dtype in INTEGRAL:
        limits = np.iinfo(dtype)
        values = [{"max": limits.max, "min": limits.min}.get(v, v) for v in SPECIAL_INTEGERS]
        return np.array([abs(v) if limits.min == 0 else v for v in values])
    if dtype in COMPLEX:
        return np.array(SPECIAL_COMPLEX)
    limits = np.finfo("float32" if dtype == "bfloat16" else dtype)
    largest = 3.3895313892515355e38 if dtype == "bfloat16" else float(limits.max)
    tiny = float(limits.tiny)
    return np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, tiny, largest, -0.5])


# ---- makers ----


class Makers:
    """The makers for one evaluation of a sample; each call of a maker has its own elements."""

    def __init__(self, key: str, dtype_at: Callable[[int], str], shape: tuple[int, ...] | None):
        self._key = key
        self._dtype_at = dtype_at
        self._shape = shape
        self.values: list[Array] = []
        self._calls = 0

    def _seed(self) -> int:
        self._calls += 1
        return zlib.crc32(f"{self._key}|{self._calls - 1}".encode())

    def _value(self, shape: tuple[int, ...], lo: float, hi: float, whole: tuple[int, int] | None, gap: float) -> Array:
        shape = shape if self._shape is None else self._shape
        dtype = self._dtype_at(len(self.values))
        seed = self._seed()
        count = int(np.prod(shape, dtype=np.int64))
        if dtype == "bool":
            elements: np.ndarray = random_bits(seed, count) >> np.uint64(63) == 1
        elif dtype in INTEGRAL:
            first, last = whole if whole else (int(np.ceil(lo)), int(np.floor(hi)))
            reach = max(last, count) if whole else last
            low = -reach if first < 0 and whole else first
            elements = pick(integers(low, reach, dtype, gap > 0), count, seed)
        else:
            elements = pick(grid(lo, hi, count, gap), count, seed)
            if dtype in COMPLEX:
                elements = elements + 1j * pick(grid(lo, hi, count, gap), count, seed + 7919)
        array = array_of(np.reshape(elements, shape), dtype)
        self.values.append(array)
        return array

    def real(self, *shape: int, lo: float | None = None, hi: float | None = None) -> Array:
        given = lo is not None or hi is not None
        lo, hi = -2 if lo is None else lo, 2 if hi is None else hi
        return self._value(shape, lo, hi, None if given else (-9, 9), 0)

    def pos(self, *shape: int) -> Array:
        return self._value(shape, 0.2, 3, (1, 9), 0.2)

    def apart(self, *shape: int) -> Array:
        return self._value(shape, -2, 2, (-9, 9), 0.3)

    def unit(self, *shape: int) -> Array:
        return self._value(shape, -0.95, 0.95, None, 0)

    def prob(self, *shape: int) -> Array:
        return self._value(shape, 0.05, 0.95, (0, 1), 0)

    def special(self, count: int) -> Array:
        """The special values, rotated by the maker's place so that two of them meet in many pairs."""
        dtype = self._dtype_at(len(self.values))
        values = np.roll(np.resize(special_values(dtype), count), 3 * len(self.values))
        array = array_of(values, dtype, differentiable=False)
        self.values.append(array)
        return array

    def index(self, *shape: int, high: int) -> Array:
        bits = random_bits(self._seed(), int(np.prod(shape, dtype=np.int64)))
        return array_of((bits >> np.uint64(33)).astype(np.int64).reshape(shape) % high, "int64", differentiable=False)

    @staticmethod
    def ints(*values: int) -> Array:
        return array_of(values, "int64", differentiable=False)

    def mask(self, *shape: int) -> Array:
        bits = random_bits(self._seed(), int(np.prod(shape, dtype=np.int64)))
        return array_of((bits >> np.uint64(63) == 1).reshape(shape), "bool", differentiable=False)

    @staticmethod
    def result(array: Array) -> Array:
        return replace(array, is_result=True)

    def namespace(self) -> dict[str, Any]:
        names = ("real", "pos", "apart", "unit", "prob", "special", "index", "ints", "mask", "result")
        space: dict[str, Any] = {name: getattr(self, name) for name in names}
        space.update({name: DType(name) for name in DTYPES})
        return {**space, "inf": float("inf"), "nan": float("nan")}


@dataclass(frozen=True)
class Arguments:
    """What a sample gives to its operator."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    values: tuple[Array, ...]
    """The arrays whose elements have the dtype under test, before views."""

    def arrays(self) -> list[Array]:
        """All arrays, in the order of the arguments."""
        return [a for value in (*self.args, *self.kwargs.values()) for a in arrays_in(value)]


def arrays_in(value: Any) -> list[Array]:
    if isinstance(value, Array):
        return [value]
    return [a for item in value for a in arrays_in(item)] if isinstance(value, (list, tuple)) else []


def evaluate(
    op_id: str,
    text: str,
    dtype: str | Callable[[int], str],
    shape: tuple[int, ...] | None = None,
) -> Arguments:
    """The arguments of a sample for a dtype (or one for each array); shape replaces that of every maker of values."""
    makers = Makers(f"{op_id}|{text}", (lambda _: dtype) if isinstance(dtype, str) else dtype, shape)

    def call(*args: Any, **kwargs: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return args, kwargs

    space = {**makers.namespace(), "call": call, "__builtins__": {}}
    try:
        args, kwargs = eval(f"call({text})", space)
    except Exception as error:
        raise SampleError(f"{op_id}({text}): {error}") from error
    return Arguments(args, kwargs, tuple(makers.values))
