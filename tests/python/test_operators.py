"""Values: every operator, sample and dtype gives what PyTorch gives or fails as it fails, and leaves operands alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import onetape as torch
from tests.golden.layouts import LAYOUTS, laid_out, made_contiguous
from tests.golden.plan import DENSE_NUMBERS, LAYOUT_DTYPES
from tests.golden.samples import arrays_in
from tests.python.support import operators as ops
from tests.python.support.operators import CASES, Golden, parametrize

REFUSALS = (RuntimeError, TypeError, ValueError)


def changes_first(case: Golden) -> bool:
    return case.op.name.endswith("_")


def unchanged(case: Golden, tensors: list[torch.Tensor], before: list[np.ndarray]) -> bool:
    """Operands stay as they were, but for the one that an in-place form changes and running statistics."""
    kept = slice(1, None) if changes_first(case) else slice(None)
    arrays = arrays_in([*case.args, *case.kwargs.values()])
    triples = list(zip(arrays, tensors, before, strict=True))[kept]
    return all(
        array.is_result or np.array_equal(ops.numpy_of(t), old, equal_nan=t.is_floating_point())
        for array, t, old in triples
    )


def refused_or_right(case: Golden, args: Any, kwargs: dict[str, Any]) -> None:
    """A dtype that the table does not declare is refused; mixed with others it may also be converted."""
    try:
        result = ops.call(case.op, args, kwargs)
    except REFUSALS:
        return
    assert "result" in case.content, "the table does not declare this dtype"
    ops.assert_result(result, case.content["result"], case.op)


@parametrize(CASES)
def test_value(case: Golden) -> None:
    args, kwargs = ops.to_onetape(case.args), ops.to_onetape(case.kwargs)
    tensors = ops.tensors_in([*args, *kwargs.values()])
    before = [ops.numpy_of(t) for t in tensors]
    if "error" in case.content:
        ops.assert_raises(case.content["error"], lambda: ops.call(case.op, args, kwargs))
    elif "undeclared" in case.content:
        refused_or_right(case, args, kwargs)
    else:
        result = ops.call(case.op, args, kwargs)
        ops.assert_result(result, case.content["result"], case.op)
        assert_sharing(result, case.content["result"], tensors)
    assert unchanged(case, tensors, before), "an operand was changed"


def memory(tensor: torch.Tensor) -> int:
    """The address of the storage."""
    return tensor.data_ptr() - tensor.storage_offset() * tensor.element_size()


def assert_sharing(value: Any, stored: Any, inputs: list[torch.Tensor]) -> None:
    """A result is a view, or the operand itself, where it is so in PyTorch; a view has the same strides and offset."""
    if isinstance(stored, list):
        for item, one in zip(value, stored, strict=True):
            assert_sharing(item, one, inputs)
    elif isinstance(value, torch.Tensor):
        for place, given in enumerate(inputs):
            assert (value is given) == (stored.get("is_input") == place), f"is the result operand {place} itself?"
        if "view_of" in stored:
            given = inputs[stored["view_of"]]
            assert memory(value) == memory(given), "the result must be a view"
            assert list(value.stride()) == stored["stride"]
            assert value.storage_offset() == stored["offset"]


def with_layouts() -> Iterator[Any]:
    """Cases with the layouts that an operand of theirs can have."""
    for case in CASES:
        if case.succeeds and case.variant == "plain" and case.dtype in LAYOUT_DTYPES:
            arrays = [a for a in arrays_in([*case.args, *case.kwargs.values()]) if not a.is_result]
            for layout, change in LAYOUTS.items():
                other_numbers = layout == "expanded" and case.op.id in DENSE_NUMBERS
                if any(change(a) is not None for a in arrays) and not other_numbers:
                    yield pytest.param(case, layout, id=f"{case}-{layout}")


@pytest.mark.parametrize(("case", "layout"), [*with_layouts()])
def test_layout(case: Golden, layout: str) -> None:
    """Where the elements of the operands stand in memory makes no difference, except where it does in PyTorch."""
    args, kwargs = laid_out(case.args, layout), laid_out(case.kwargs, layout)
    expected = case.content.get("layouts", {}).get(layout)
    if expected is None:
        plain = ops.call(case.op, *ops.to_onetape([made_contiguous(args), made_contiguous(kwargs)]))
        expected = {"result": encode(plain)}
    args, kwargs = ops.to_onetape([args, kwargs])
    if "error" in expected:
        ops.assert_raises(expected["error"], lambda: ops.call(case.op, args, kwargs))
    else:
        ops.assert_result(ops.call(case.op, args, kwargs), expected["result"], case.op)


def encode(value: Any) -> Any:
    """A result in the form of the golden files."""
    if isinstance(value, (list, tuple)):
        return [encode(item) for item in value]
    if not isinstance(value, torch.Tensor):
        return value
    name = ops.dtype_name(value)
    return {"tensor": name, "shape": list(value.shape), "data": ops.store.numbers(ops.numpy_of(value), name)}
