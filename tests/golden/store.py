"""The golden files: what PyTorch answers to every sample of every operator table, one compressed JSON file a family.

    {"torch": version, "seed": seed, "ops": {id: {"params": …, "results": …, "forms": …, "cases": [case, …]}}}

A case holds ``sample`` (its text), ``variant`` (plain, or how the maker changed the sample), ``dtype``, ``args`` and
``kwargs``; then either ``error`` (class and first line) or ``result``, and for differentiable inputs ``grads`` and
``second``. More keys are there where they are needed:

    absent          PyTorch lacks the operator; there are no cases
    undeclared      PyTorch has the dtype, the table does not declare it; with ``result`` where onetape may have it
    unrecorded      PyTorch refuses the call while recording
    inplace_error   the in-place form refuses what the other accepts
    layouts         the result depends on where the operands stand in memory (see layouts.py)

`encode` says how values are written.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from native.codegen.tables import Op
from tests.golden.samples import COMPLEX, Array, DType, contiguous_strides, rounded

FOLDER = Path(__file__).resolve().parent
ANY_NODE = "*"
"""Stands for the name of a graph node that may have any."""
MAKE = "python tests/golden/make_golden.py"
"""The command that makes the files; it needs PyTorch."""


# ---- values ----


def numbers(values: np.ndarray, dtype: str) -> list[Any]:
    """Elements in row-major order as the shortest JSON numbers that give them back; complex ones as two numbers."""
    flat = np.asarray(values).reshape(-1)
    if dtype in COMPLEX:
        half = "float32" if dtype == "complex64" else "float64"
        return numbers(np.stack([flat.real, flat.imag], axis=-1), half)
    if dtype == "bfloat16":
        return [float(f"{value:.4g}") for value in flat.tolist()]
    if dtype in ("float16", "float32"):
        return [float(str(value)) for value in flat]
    return [int(value) for value in flat] if dtype != "float64" else flat.tolist()


def elements(data: list[Any], dtype: str) -> np.ndarray:
    """The opposite of `numbers`: a flat array (bfloat16 as float32)."""
    if dtype in COMPLEX:
        pairs = np.array(data, dtype="float64").reshape(-1, 2)
        return np.ascontiguousarray(pairs).view("complex128").reshape(-1).astype(dtype)
    if dtype in ("bool", "float16", "bfloat16", "float32", "float64"):
        return rounded(np.array(data, dtype="float64"), dtype)
    return np.array(data, dtype=dtype)


def encode(value: Any) -> Any:
    """An argument as JSON: arrays, dtypes and complex numbers as objects with one telling key."""
    if isinstance(value, Array):
        body: dict[str, Any] = {"tensor": value.dtype, "shape": list(value.shape)}
        if not value.is_dense:
            body |= {"stride": list(value.strides), "offset": value.offset}
        body["data"] = numbers(value.storage, value.dtype)
        if not value.is_leaf:
            body["constant"] = True
        if value.is_result:
            body["is_result"] = True
        return body
    if isinstance(value, DType):
        return {"dtype": str(value)}
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    return [encode(item) for item in value] if isinstance(value, (list, tuple)) else value


def decode(value: Any) -> Any:
    """The argument that `encode` wrote."""
    if isinstance(value, list):
        return [decode(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "dtype" in value:
        return DType(value["dtype"])
    if "complex" in value:
        return complex(*value["complex"])
    storage = elements(value["data"], value["tensor"])
    shape = tuple(value["shape"])
    strides = tuple(value.get("stride", contiguous_strides(shape)))
    offset = value.get("offset", 0) if all(shape) else 0
    view = np.lib.stride_tricks.as_strided(storage[offset:], shape, tuple(s * storage.itemsize for s in strides))
    return Array(value["tensor"], storage, view, not value.get("constant", False), value.get("is_result", False))


def cotangent(shape: tuple[int, ...], dtype: str, place: int) -> np.ndarray:
    """The gradient that the tests put on the result at this place: a fixed pattern of multiples of 1/32 in (-1, 1)."""

    def pattern(first: int, step: int, count: int) -> np.ndarray:
        k = first + step * np.arange(count)
        return ((37 * k + 17 * place + 11) % 63 - 31) / 32

    count = int(np.prod(shape, dtype=np.int64))
    if dtype in COMPLEX:
        return (pattern(0, 2, count) + 1j * pattern(1, 2, count)).astype(dtype).reshape(shape)
    return rounded(pattern(0, 1, count), dtype).reshape(shape)


# ---- files ----


def path_of(family: str) -> Path:
    return FOLDER / f"{family}.json.gz"


@cache
def read(family: str) -> dict[str, Any]:
    """A family's golden values; an empty set where there is no file yet."""
    path = path_of(family)
    if not path.exists():
        return {"ops": {}}
    return json.loads(gzip.decompress(path.read_bytes()))


def text_of(content: dict[str, Any]) -> str:
    """The content as JSON with one case a line."""

    def lines() -> Iterator[str]:
        head = {key: value for key, value in content.items() if key != "ops"}
        yield json.dumps(head, sort_keys=True)[:-1] + ', "ops": {'
        for number, (op_id, op) in enumerate(sorted(content["ops"].items())):
            facts = {key: value for key, value in op.items() if key != "cases"}
            yield ("," if number else "") + json.dumps(op_id) + ": " + json.dumps(facts)[:-1] + ', "cases": ['
            yield ",\n".join(json.dumps(case, ensure_ascii=False) for case in op["cases"])
            yield "]}"
        yield "}}"

    return "\n".join(lines()) + "\n"


def write(family: str, content: dict[str, Any]) -> None:
    """Writes a family's file: the same bytes for the same content."""
    path_of(family).write_bytes(gzip.compress(text_of(content).encode(), compresslevel=9, mtime=0))


def facts_of(op: Op) -> dict[str, Any]:
    """What a reader needs to call an operator without its table."""
    return {
        "name": op.name,
        "params": [[p.type, p.name, p.default, p.keyword_only] for p in op.params],
        "results": [[r.type, r.name] for r in op.results],
        "forms": op.forms,
        "differentiable": op.differentiable,
        "tolerance": op.tolerances,
    }
