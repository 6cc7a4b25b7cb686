"""Gradients of every operator on other ways: under hooks, with saved tensors packed, under a checkpoint, in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import onetape as torch
from onetape.autograd.graph import saved_tensors_hooks
from onetape.utils.checkpoint import checkpoint
from tests.golden import store
from tests.golden.samples import Array
from tests.python.support import operators as ops
from tests.python.support.operators import CASES, Golden, parametrize
from tests.python.test_operators_gradients import (
    ONCE,
    arrays_in,
    differentiable,
    direction,
    gradients,
    moved,
    second_gradients,
    seen,
)

CHOSEN = [
    c
    for c in CASES
    if "grads" in c.content and c.op.differentiable and c.dtype in ("float64", "complex128") and c.variant != "mixed"
]
STEP = 1e-6
Gradients = list[torch.Tensor | None]


class Call:
    """A case with leaves of its own."""

    def __init__(self, case: Golden) -> None:
        self.case = case
        self.leaves: list[torch.Tensor] = []
        self.args = ops.to_onetape(case.args, self.leaves)
        self.kwargs = ops.to_onetape(case.kwargs, self.leaves)

    def run(self) -> Any:
        return ops.call(self.case.op, self.args, self.kwargs)


def assert_same(found: Gradients, expected: Gradients, factor: float = 1) -> None:
    """The same bits, but for a factor that is a power of two."""
    for place, (a, b) in enumerate(zip(found, expected, strict=True)):
        assert (a is None) == (b is None), f"gradient of input {place}"
        if a is not None and b is not None:
            np.testing.assert_array_equal(ops.numpy_of(a), factor * ops.numpy_of(b), f"gradient of input {place}")


def both(result: Any, leaves: list[torch.Tensor], twice: bool) -> tuple[Gradients, Gradients]:
    """First and, where wanted, second gradients."""
    firsts = gradients(result, leaves, create_graph=twice)
    return firsts, second_gradients(firsts, leaves) if twice else []


@parametrize(CHOSEN)
def test_hooks(case: Golden) -> None:
    """A hook that returns the gradient changes nothing, one that doubles it doubles what flows on, a node's sees it."""
    plain = Call(case)
    expected = gradients(plain.run(), plain.leaves, create_graph=False)
    for factor in (1, 2):
        call = Call(case)
        result = call.run()
        met: list[torch.Tensor] = []
        pairs = differentiable(result)
        for tensor, _ in pairs:
            tensor.register_hook(lambda gradient: gradient * factor if factor != 1 else gradient)  # noqa: B023
            if tensor.grad_fn is not None:
                tensor.grad_fn.register_prehook(lambda grads: met.extend(g for g in grads if g is not None))  # noqa: B023
        if pairs[0][0].grad_fn is None:
            continue  # a leaf came back: its gradient is the one before hooks
        assert_same(gradients(result, call.leaves, create_graph=False), expected, factor)
        assert len(met) >= 1
        for gradient in met:
            weights = [ops.numpy_of(on) * factor for _, on in pairs]
            assert any(np.array_equal(ops.numpy_of(gradient), w, equal_nan=True) for w in weights)


def assert_alike(case: Golden, run: Callable[[Call], Any]) -> None:
    """First and second gradients have the bits that they have without what `run` does around the call."""
    twice = "second" in case.content
    plain, other = Call(case), Call(case)
    expected = both(plain.run(), plain.leaves, twice)
    found = both(run(other), other.leaves, twice)
    assert_same(found[0], expected[0])
    assert_same(found[1], expected[1])


@parametrize(CHOSEN)
def test_saved_tensors_packed(case: Golden) -> None:
    """What is saved comes back through functions, as an array: the gradients stay as they are."""
    packed: list[int] = []

    def pack(tensor: torch.Tensor) -> Any:
        packed.append(1)
        return ops.numpy_of(tensor), tensor.dtype

    def unpack(kept: Any) -> torch.Tensor:
        return torch.from_numpy(kept[0].copy()).to(kept[1])

    def run(call: Call) -> Any:
        with saved_tensors_hooks(pack, unpack):
            return call.run()

    assert_alike(case, run)


@parametrize(CHOSEN)
def test_checkpoint(case: Golden) -> None:
    """What is computed again gives the same bits."""

    def run(call: Call) -> Any:
        return checkpoint(call.run, use_reentrant=False)

    assert_alike(case, run)


IN_PLACE = [
    c
    for c in CHOSEN
    if "inplace" in c.op.forms
    and "inplace_error" not in c.content
    and isinstance(c.args[0], Array)
    and not c.is_special
]


def in_place(case: Golden, call: Call, view: bool) -> tuple[torch.Tensor, torch.Tensor]:
    """The changed tensor and the whole that it is a view of, or twice the same."""
    whole = call.args[0] * 1
    self = whole.view_as(whole) if view else whole
    torch.manual_seed(ops.SEED)
    result = getattr(torch.Tensor, case.op.name + "_")(self, *call.args[1:], **call.kwargs)
    assert result is self
    return self, whole


@parametrize(IN_PLACE)
def test_in_place(case: Golden) -> None:
    """In place on a result, or on a view of one: first and second gradients are those of the other form."""
    twice = "second" in case.content
    plain = Call(case)
    result = plain.run()
    if result.dtype != plain.args[0].dtype or result.shape != plain.args[0].shape or not result.requires_grad:
        pytest.skip("the result does not fit into self")
    expected = both(result, plain.leaves, twice)
    for view in (False, True):
        for which in range(1 + view):
            call = Call(case)
            changed = in_place(case, call, view)[which]
            found = both(changed, call.leaves, twice)
            for place, (one, other) in enumerate(
                zip([*found[0], *found[1]], [*expected[0], *expected[1]], strict=True)
            ):
                assert_close(one, other, case, f"gradient {place} of {'a view' if view else 'a result'}, {which}")


def assert_close(one: torch.Tensor | None, other: torch.Tensor | None, case: Golden, what: str) -> None:
    """No gradient is as good as zeros."""
    a, b = (None if g is None else ops.numpy_of(g) for g in (one, other))
    if a is None or b is None:
        present = b if a is None else a
        assert present is None or not present.any(), what
    else:
        ops.assert_values(a, b, case.dtype, what, case.op, scale=10)


SECOND_BY_DIFFERENCES = [c for c in CHOSEN if "second" not in c.content and not c.is_special and c.op.name not in ONCE]


def first_weighed(case: Golden, amount: complex, create_graph: bool) -> tuple[torch.Tensor | None, list[torch.Tensor]]:
    """The first gradients weighed and added up, of the case moved in its fixed direction; and the leaves."""
    args, kwargs = moved([case.args, case.kwargs], amount, []) if amount else (case.args, case.kwargs)
    leaves: list[torch.Tensor] = []
    result = ops.call(case.op, ops.to_onetape(args, leaves), ops.to_onetape(kwargs, leaves))
    weighed = None
    for place, gradient in enumerate(gradients(result, leaves, create_graph)):
        if gradient is not None:
            weights = store.cotangent(tuple(gradient.shape), case.dtype, place + 5)
            product = (gradient * torch.from_numpy(weights)).sum()
            part = product.abs() if gradient.is_complex() else product
            weighed = part if weighed is None else weighed + part
    return weighed, leaves


@parametrize(SECOND_BY_DIFFERENCES)
def test_second_gradient(case: Golden) -> None:
    """Where there is no second gradient of PyTorch's: against the change of the first ones along a direction."""
    weighed, leaves = first_weighed(case, 0, create_graph=True)
    if weighed is None or not weighed.numel():
        return
    turn = 0.6 + 0.8j if case.dtype == "complex128" else 1
    ends = [first_weighed(case, sign * STEP * turn, create_graph=False)[0] for sign in (1, -1)]
    assert ends[0] is not None and ends[1] is not None
    measured = (ends[0].item() - ends[1].item()) / (2 * STEP)
    seconds: Gradients = [None] * len(leaves)
    if weighed.requires_grad:
        seconds = list(torch.autograd.grad(weighed, leaves, allow_unused=True))
    expected = 0.0
    for place, (array, second) in enumerate(zip(arrays_in([case.args, case.kwargs]), seconds, strict=True), 1):
        if second is not None:
            along = seen(array, direction(array, place)) * np.conj(turn)
            expected += float((ops.numpy_of(second) * along).real.sum())
    assert abs(measured - expected) <= 1e-5 * max(1.0, abs(measured)), f"measured {measured}, gradient says {expected}"
