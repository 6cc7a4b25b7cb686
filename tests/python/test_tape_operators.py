"""Every operator of the tables on a tape: it gives what the operator gives, bit for bit, also for other elements than
it was recorded with, and so does its gradient."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import onetape as torch
from onetape import jit
from tests.golden.plan import SEED
from tests.golden.samples import Array
from tests.python.support import operators as ops
from tests.python.support.operators import CASES, Golden, parametrize

DTYPES = ("float32", "bfloat16", "int64", "bool", "complex64")
MASKS = ("index", "index_put", "masked_scatter")
FORM_CHANGES = ("as_strided_", "resize_", "resize_as_", "set_", "squeeze_", "t_", "transpose_", "unsqueeze_")
"""What changes sizes or memory of a tensor in place."""
NUMBERS = (
    "ctc_loss",
    "embedding_bag",
    "gaussian_nll_loss",
    "index_fill",
    "multi_margin_loss",
    "multilabel_margin_loss",
)
"""Whose gradients know what the operator computed from elements."""


def on_tape(case: Golden) -> bool:
    return case.op.tape.startswith("none") or case.op.results[0].type not in ("Tensor", "Tensor[]")


SUCCEEDING = [c for c in CASES if c.succeeds and c.dtype in DTYPES]


def decides(case: Golden) -> bool:
    """Does Python's form of the operator take a tensor for a number?"""
    return case.op.id == "narrow_tensor" or (case.op.id == "clamp_tensor" and case.variant == "scalar")


RECORDED = [c for c in SUCCEEDING if not on_tape(c) and not decides(c) and c.op.name not in FORM_CHANGES]
REFUSED = [c for c in SUCCEEDING if c not in RECORDED and c.dtype == "float32" and c.variant == "plain"]
WITH_GRADIENTS = [c for c in RECORDED if "grads" in c.content and c.op.differentiable and c.dtype == "float32"]


def knows_numbers(case: Golden) -> bool:
    return case.op.name in NUMBERS or (case.op.name == "cross_entropy" and "label_smoothing" in case.sample)


DIFFERENTIABLE = [c for c in WITH_GRADIENTS if not knows_numbers(c)]


def turned(value: Any) -> Any:
    """An argument with the elements in its memory in the opposite order, and so still of its operator's domain."""
    if isinstance(value, Array):
        storage = value.storage[::-1].copy()
        strides = tuple(step * storage.itemsize for step in value.strides)
        return replace(
            value, storage=storage, view=np.lib.stride_tricks.as_strided(storage[value.offset :], value.shape, strides)
        )
    if isinstance(value, dict):
        return {key: turned(item) for key, item in value.items()}
    return type(value)(turned(item) for item in value) if isinstance(value, (list, tuple)) else value


def refilled(value: Any, tensors: list[torch.Tensor]) -> Any:
    """The arguments with these tensors in the places of their own, taken from the front of the list."""
    if isinstance(value, torch.Tensor):
        return tensors.pop(0)
    if isinstance(value, dict):
        return {key: refilled(item, tensors) for key, item in value.items()}
    return type(value)(refilled(item, tensors) for item in value) if isinstance(value, (list, tuple)) else value


def program(case: Golden, then: Callable[[Any, list[torch.Tensor]], Any]) -> Callable[..., list[torch.Tensor]]:
    """A function of the case's tensors; `then` makes the outputs of its result."""
    args, kwargs = ops.to_onetape(case.args), ops.to_onetape(case.kwargs)

    def run(*tensors: torch.Tensor) -> list[torch.Tensor]:
        left = list(tensors)
        given = refilled(args, left), refilled(kwargs, left)
        return then(ops.call(case.op, *given), list(tensors))

    return run


def inputs(case: Golden, turn: bool, leaves: list[torch.Tensor] | None = None) -> list[torch.Tensor]:
    args, kwargs = (turned(case.args), turned(case.kwargs)) if turn else (case.args, case.kwargs)
    return ops.tensors_in([*ops.to_onetape(args, leaves), *ops.to_onetape(kwargs, leaves).values()])


def bits(value: Any) -> list[tuple[Any, ...]]:
    return [(t.dtype, tuple(t.shape), ops.numpy_of(t.detach()).tobytes()) for t in ops.tensors_in(value)]


def attempt(function: Callable[..., Any], given: list[torch.Tensor]) -> Any:
    """What a call gives, or the kind of its failure: an operator may refuse turned elements."""
    torch.manual_seed(SEED)
    try:
        return bits(function(*given)) + bits(given)
    except (RuntimeError, ValueError, IndexError) as error:
        return type(error)


@parametrize(RECORDED)
def test_value(case: Golden) -> None:
    def results(result: Any, _: list[torch.Tensor]) -> list[torch.Tensor]:
        return ops.tensors_in(result)

    run = program(case, results)
    expected = [attempt(run, inputs(case, turn)) for turn in (False, True)]
    if any(t.dtype in (torch.bool, torch.uint8) for t in inputs(case, False)) and case.op.name in MASKS:
        pytest.skip("a mask may decide how much there is")
    with torch.no_grad():
        tape = jit.record(run, *inputs(case, False))
        for turn in (False, True, True, False):
            assert attempt(lambda *given: list_of(tape(*given)), inputs(case, turn)) == expected[turn], (
                f"turned: {turn}"
            )


def list_of(value: Any) -> list[torch.Tensor]:
    return [value] if isinstance(value, torch.Tensor) else list(value)


@parametrize(DIFFERENTIABLE)
def test_gradient(case: Golden) -> None:
    def gradients(result: Any, tensors: list[torch.Tensor]) -> list[torch.Tensor]:
        all_results = ops.tensors_in(result)
        on = [torch.full_like(t, 0.5 + place) for place, t in enumerate(all_results)]
        pairs = [(t, g) for t, g in zip(all_results, on, strict=True) if t.requires_grad]
        leaves = [t for t in tensors if t.requires_grad and t.is_leaf]
        found = torch.autograd.grad([t for t, _ in pairs], leaves, [g for _, g in pairs], allow_unused=True)
        return [g for g in found if g is not None]

    if any(array.is_result for array in _arrays(case)):
        pytest.skip("changes its operand, which is no leaf")
    run = program(case, gradients)
    expected = [attempt(run, inputs(case, turn, [])) for turn in (False, True)]
    tape = jit.record(run, *inputs(case, False, []))
    for turn in (False, True, True, False):
        assert attempt(lambda *given: list_of(tape(*given)), inputs(case, turn, [])) == expected[turn], (
            f"turned: {turn}"
        )


def _arrays(case: Golden) -> list[Array]:
    from tests.golden.samples import arrays_in

    return arrays_in([*case.args, *case.kwargs.values()])


@parametrize(c for c in WITH_GRADIENTS if knows_numbers(c))
def test_gradient_that_knows_numbers(case: Golden) -> None:
    """It is right, or refused, never the gradient of other elements."""
    try:
        test_gradient(case)
    except RuntimeError as error:
        assert str(error).startswith("Tape: ")


@parametrize(REFUSED)
def test_refusal(case: Golden) -> None:
    """What a tape cannot have is refused with the reason, and the recording ends."""
    run = program(case, lambda result, _: ops.tensors_in(result))
    before = inputs(case, False)
    if case.op.name in FORM_CHANGES and run(*before)[0].stride() == inputs(case, False)[0].stride():
        pytest.skip("changes nothing here")
    with pytest.raises(RuntimeError, match="^Tape: "):
        jit.record(run, *inputs(case, False))
    assert len(jit.record(lambda x: x + 1, torch.ones(2))) == 1
