"""Every operator of the tables on the device `meta`: all that can be known of a result without elements is what the CPU
has, and so it is of gradients. Operators that need elements say so."""

from __future__ import annotations

import itertools
import re
from typing import Any

import pytest

import onetape as torch
from tests.golden.samples import Array
from tests.python.support import operators as ops
from tests.python.support.operators import CASES, Golden, parametrize

BY_ELEMENTS = {
    "argwhere",
    "bincount",
    "equal",
    "masked_select",
    "nonzero",
    "unique",
    "unique_consecutive",
    "_unique2",
}
"""Operators the shape or value of whose result the elements decide."""


def meta_tensor(array: Array, leaves: list[torch.Tensor] | None) -> torch.Tensor:
    """The tensor of the CPU that the golden files mean, on meta, made in the same steps."""
    there = torch.from_numpy(array.memory)
    dense = torch.empty_strided(there.shape, there.stride(), dtype=getattr(torch, array.dtype), device="meta")
    if array.is_result and leaves is not None and array.is_leaf:
        leaves.append(dense.requires_grad_())
    memory = dense.clone() if array.is_result else dense
    tensor = memory if array.is_dense else torch.as_strided(memory, array.shape, array.strides, array.offset)
    if not array.is_result and leaves is not None and array.is_leaf:
        leaves.append(tensor.requires_grad_())
    return tensor


def on_meta(value: Any, leaves: list[torch.Tensor] | None = None) -> Any:
    """An argument with all its tensors on meta."""
    return ops.to_onetape(value, leaves, meta_tensor)


def arguments(case: Golden, leaves: list[torch.Tensor] | None = None) -> tuple[Any, dict[str, Any]]:
    names = [p.name for p in case.op.params]
    args = [
        ops.to_onetape(value) if name in case.op.elsewhere and name == "batch_sizes" else on_meta(value, leaves)
        for name, value in itertools.zip_longest(names[: len(case.args)], case.args)
    ]
    kwargs = on_meta(case.kwargs, leaves)
    if any(p.type == "Options" for p in case.op.params):
        kwargs["device"] = "meta"
    return args, kwargs


def known(tensor: torch.Tensor) -> tuple[Any, ...]:
    """What is known of a tensor without its elements."""
    return tensor.shape, tensor.stride(), tensor.storage_offset(), tensor.dtype, tensor.requires_grad


def nodes(tensors: list[torch.Tensor]) -> list[str | None]:
    return [t.grad_fn.name() if t.grad_fn else None for t in tensors]


def needs_elements(case: Golden) -> bool:
    """Do elements decide what the result is, or how large?"""
    if case.op.results[0].type not in ("Tensor", "Tensor[]") or case.op.name in BY_ELEMENTS:
        return True
    if case.op.id in ("repeat_interleave_tensor", "narrow_tensor", "where_condition"):
        return True
    if case.op.name == "index_put" and "mask" in case.sample:
        return True
    if case.op.id == "clamp_tensor":
        return case.variant == "scalar"  # Python's form takes it for a number
    if case.op.name == "one_hot":
        return len(case.args) == 1 and not case.kwargs
    return False


COMPUTED = [case for case in CASES if case.succeeds]


@parametrize(COMPUTED)
def test_value(case: Golden) -> None:
    expected = ops.call(case.op, ops.to_onetape(case.args), ops.to_onetape(case.kwargs))
    args, kwargs = arguments(case)
    if needs_elements(case):
        with pytest.raises((NotImplementedError, RuntimeError)) as raised:
            ops.call(case.op, args, kwargs)
        line = str(raised.value).splitlines()[0]
        assert re.match(r"aten::\w+: attempted to run this operator with Meta tensors|Tensor.item\(\) cannot be", line)
        return
    result = ops.call(case.op, args, kwargs)
    assert isinstance(result, type(expected))
    found = ops.tensors_in(result)
    assert [known(t) for t in found] == [known(t) for t in ops.tensors_in(expected)]
    assert all(t.device.type == "meta" for t in found)


WITH_GRADIENTS = [case for case in COMPUTED if "grads" in case.content and case.op.differentiable]


def gradients(result: Any, leaves: list[torch.Tensor], twice: bool) -> tuple[list[Any], list[Any]]:
    """What is known of the first gradients, and of those of their squares."""
    outputs = [t for t in ops.tensors_in(result) if t.requires_grad]
    on = [torch.ones_like(t) for t in outputs]
    first = torch.autograd.grad(outputs, leaves, on, create_graph=twice, allow_unused=True)
    squares = [(g * g).abs().sum() for g in first if g is not None and g.requires_grad]
    second = torch.autograd.grad(squares, leaves, allow_unused=True) if squares else ()
    assert all(g is None or g.device == leaves[0].device for g in (*first, *second))
    return tuple([None if g is None else known(g) for g in found] for found in (first, second))


@parametrize(case for case in WITH_GRADIENTS if not needs_elements(case))
def test_gradient(case: Golden) -> None:
    leaves: list[torch.Tensor] = []
    args, kwargs = ops.to_onetape(case.args, leaves), ops.to_onetape(case.kwargs, leaves)
    on_cpu = ops.call(case.op, args, kwargs)
    twins: list[torch.Tensor] = []
    args, kwargs = arguments(case, twins)
    without_elements = ops.call(case.op, args, kwargs)
    found, expected = ops.tensors_in(without_elements), ops.tensors_in(on_cpu)
    assert [known(t) for t in found] == [known(t) for t in expected]
    assert nodes(found) == nodes(expected)
    twice = "second" in case.content
    assert gradients(without_elements, twins, twice) == gradients(on_cpu, leaves, twice)
