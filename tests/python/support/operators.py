"""What the table-driven tests share: the cases with their golden answers, and values to and from onetape."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import onetape as torch
from native.codegen.tables import Op, load
from tests.golden import store
from tests.golden.plan import IN_CPP, SEED, is_public
from tests.golden.samples import Array, DType

ROOT = Path(__file__).resolve().parents[3]
OPERATORS = {op.id: op for op in load(ROOT / "native" / "ops") if is_public(op)}
TOLERANCES = {
    # relative, absolute
    "float16": (2e-3, 1e-3),
    "bfloat16": (1.6e-2, 1e-2),
    "float32": (4e-6, 2e-6),
    "float64": (1e-11, 1e-12),
    "complex64": (4e-6, 4e-6),
    "complex128": (1e-11, 1e-12),
}


@dataclass(frozen=True)
class Golden:
    """A case of an operator with PyTorch's answer to it."""

    op: Op
    content: dict[str, Any]

    @property
    def sample(self) -> str:
        return self.content["sample"]

    @property
    def dtype(self) -> str:
        return self.content["dtype"]

    @property
    def variant(self) -> str:
        return self.content["variant"]

    @property
    def args(self) -> list[Any]:
        return store.decode(self.content["args"])

    @property
    def kwargs(self) -> dict[str, Any]:
        return {key: store.decode(value) for key, value in self.content["kwargs"].items()}

    @property
    def is_special(self) -> bool:
        return "special(" in self.sample

    @property
    def succeeds(self) -> bool:
        return "result" in self.content and "undeclared" not in self.content

    def __str__(self) -> str:
        variant = "" if self.variant == "plain" else f"-{self.variant}"
        return f"{self.op.id}({self.sample}){variant}-{self.dtype}"


def all_cases() -> list[Golden]:
    found = []
    for op in OPERATORS.values():
        stored = store.read(op.family)["ops"].get(op.id, {"cases": []})
        found += [Golden(op, case) for case in stored["cases"]]
    return found


CASES = all_cases()


def parametrize(cases: Iterable[Golden]) -> Any:
    return pytest.mark.parametrize("case", [pytest.param(case, id=str(case)) for case in cases])


# ---- values to and from onetape ----


def to_onetape(
    value: Any,
    leaves: list[torch.Tensor] | None = None,
    tensor: Callable[[Array, list[torch.Tensor] | None], torch.Tensor] | None = None,
) -> Any:
    """An argument for onetape; the leaves that want a gradient are added to the list, if there is one.

    tensor: makes the tensors, instead of tensor_of.
    """
    if isinstance(value, Array):
        return (tensor or tensor_of)(value, leaves)
    if isinstance(value, DType):
        return getattr(torch, value)
    if isinstance(value, dict):
        return {key: to_onetape(item, leaves, tensor) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(to_onetape(item, leaves, tensor) for item in value)
    return value


def tensor_of(array: Array, leaves: list[torch.Tensor] | None) -> torch.Tensor:
    dense = torch.from_numpy(array.memory.copy())
    dense = dense.to(torch.bfloat16) if array.dtype == "bfloat16" else dense
    if array.is_result and leaves is not None and array.is_leaf:
        leaves.append(dense.requires_grad_())
    memory = dense.clone() if array.is_result else dense
    tensor = memory if array.is_dense else torch.as_strided(memory, array.shape, array.strides, array.offset)
    if not array.is_result and leaves is not None and array.is_leaf:
        leaves.append(tensor.requires_grad_())
    return tensor


def numpy_of(tensor: torch.Tensor) -> np.ndarray:
    """The elements; those of bfloat16 as float32."""
    plain = tensor.data
    return (plain.to(torch.float32) if plain.dtype == torch.bfloat16 else plain).numpy().copy()


def dtype_name(tensor: torch.Tensor) -> str:
    return str(tensor.dtype).removeprefix("torch.")


def tensors_in(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    return [t for item in value for t in tensors_in(item)] if isinstance(value, (list, tuple)) else []


# ---- calls ----


def spellings(op: Op, name: str | None = None) -> dict[str, Callable[..., Any]]:
    """How Python code reaches an operator by its name or an alias: as a function, in nn.functional, as a method."""
    name = name or op.name
    owners = {
        "function": torch._C if name in IN_CPP else torch,
        "functional": torch.nn.functional if "functional" in op.forms else None,
        "method": torch.Tensor,
    }
    return {form: getattr(owner, name) for form, owner in owners.items() if form in op.forms}


def call(op: Op, args: Any, kwargs: dict[str, Any]) -> Any:
    """Runs an operator from the seed that the golden values are from."""
    torch.manual_seed(SEED)
    return next(iter(spellings(op).values()))(*args, **kwargs)


def exception_of(name: str) -> type[Exception]:
    """The built-in exception; PyTorch's own ones are kinds of RuntimeError."""
    return getattr(builtins, name, RuntimeError)


def assert_raises(error: list[str], function: Callable[[], Any]) -> None:
    """The call must fail as PyTorch does: this exception, this first line."""
    kind, line = error
    with pytest.raises(exception_of(kind)) as info:
        function()
    assert (str(info.value).splitlines() or [""])[0] == line
    assert type(info.value) is exception_of(kind), f"{type(info.value).__name__} instead of {kind}"


# ---- comparison ----


def assert_values(actual: np.ndarray, expected: np.ndarray, dtype: str, what: str, op: Op, scale: float = 1) -> None:
    """Equal within the operator's tolerance, or the usual one, times the scale."""
    if dtype not in TOLERANCES:
        np.testing.assert_array_equal(actual, expected, err_msg=what)
        return
    relative, absolute = (scale * bound for bound in TOLERANCES[dtype])
    relative = max(relative, scale * op.tolerances.get(dtype, 0))
    np.testing.assert_allclose(actual, expected, rtol=relative, atol=absolute, equal_nan=True, err_msg=what)


def assert_tensor(tensor: torch.Tensor, stored: dict[str, Any], what: str, op: Op, scale: float = 1) -> None:
    """dtype, shape and elements."""
    assert isinstance(tensor, torch.Tensor), f"{what}: not a tensor but {tensor!r}"
    assert dtype_name(tensor) == stored["tensor"], what
    assert list(tensor.shape) == stored["shape"], what
    expected = store.elements(stored["data"], stored["tensor"]).reshape(stored["shape"])
    assert_values(numpy_of(tensor), expected, stored["tensor"], what, op, scale)


def assert_result(value: Any, stored: Any, op: Op, what: str = "result") -> None:
    """The value of a call against its golden one: tensors, tuples and lists of them, numbers."""
    if isinstance(stored, list):
        assert isinstance(value, (list, tuple)), f"{what}: not a sequence but {value!r}"
        assert len(value) == len(stored), what
        for place, (item, one) in enumerate(zip(value, stored, strict=True)):
            assert_result(item, one, op, f"{what}[{place}]")
    elif isinstance(stored, dict) and "tensor" in stored:
        assert_tensor(value, stored, what, op)
    else:
        expected = to_onetape(store.decode(stored))
        assert type(value) is type(expected), what
        assert value == pytest.approx(expected, nan_ok=True) if isinstance(expected, float) else value == expected, what


def assert_gradient(gradient: torch.Tensor | None, stored: dict[str, Any] | None, what: str, op: Op) -> None:
    """None is as good as zeros."""
    if stored is None:
        assert gradient is None or not numpy_of(gradient).any(), f"{what}: PyTorch has none"
    elif gradient is None:
        assert not any(stored["data"]), f"{what}: none"
    else:
        assert_tensor(gradient, stored, what, op, scale=10)


def cotangents(results: list[torch.Tensor]) -> list[torch.Tensor]:
    """The gradients that the golden file put on the results."""
    found = []
    for place, result in enumerate(results):
        pattern = store.cotangent(tuple(result.shape), dtype_name(result), place)
        found.append(torch.from_numpy(pattern).to(result.dtype))
    return found
