"""Forward mode for every operator of the tables: tangents agree with gradients, also those of gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import onetape as torch
from onetape.autograd import forward_ad
from tests.golden.samples import Array, random_bits
from tests.python.support import operators as ops
from tests.python.support.operators import CASES, Golden, parametrize
from tests.python.test_operators_gradients import ONCE, gradients, run

CHOSEN = [
    c
    for c in CASES
    if "grads" in c.content
    and c.op.differentiable
    and c.dtype in ("float64", "complex128")
    and not c.is_special
    and c.variant != "mixed"
    and c.op.name not in ONCE
    and not (c.op.name == "embedding" and "True" in c.sample)  # no second derivative with scale_grad_by_freq
    and "scale_grad_by_freq=True" not in c.sample
]
TWICE = [c for c in CHOSEN if "second" in c.content]
IN_PLACE = [c for c in CHOSEN if "inplace" in c.op.forms and isinstance(c.args[0], Array) and c.args[0].is_leaf]


def direction(t: torch.Tensor, place: int) -> torch.Tensor:
    """A fixed tensor like t, with elements between -1 and 1."""
    bits = random_bits(place, 2 * max(t.numel(), 1)) >> np.uint64(11)
    flat = torch.from_numpy(bits.astype(np.float64) / 2.0**52 - 1)
    parts = flat[: t.numel()] + flat[t.numel() : 2 * t.numel()] * 1j if t.is_complex() else flat[: t.numel()]
    return parts.to(t.dtype).reshape(t.shape)


class Duals:
    """Arguments for a call inside a level: differentiable arrays become duals."""

    def __init__(self, requires_grad: bool = False) -> None:
        self.requires_grad = requires_grad
        self.leaves: list[torch.Tensor] = []
        self.directions: list[torch.Tensor] = []

    def of(self, value: Any) -> Any:
        if isinstance(value, Array) and value.is_leaf:
            return self._dual(value)
        if isinstance(value, dict):
            return {key: self.of(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return type(value)(self.of(item) for item in value)
        return ops.to_onetape(value)

    def _dual(self, array: Array) -> torch.Tensor:
        memory = torch.from_numpy(array.memory.copy())
        if array.is_result:
            return self._strided(self._made(memory).clone(), array)
        return self._made(self._strided(memory, array))

    def _strided(self, memory: torch.Tensor, array: Array) -> torch.Tensor:
        if array.is_dense:
            return memory
        return torch.as_strided(memory, array.shape, array.strides, array.offset)

    def _made(self, t: torch.Tensor) -> torch.Tensor:
        self.leaves.append(t.requires_grad_(self.requires_grad))
        self.directions.append(direction(t, len(self.leaves)))
        return forward_ad.make_dual(t, self.directions[-1])

    def call(self, case: Golden) -> Any:
        return ops.call(case.op, self.of(case.args), self.of(case.kwargs))


def inner(a: Any, b: Any) -> torch.Tensor:
    """The sum of the products, of complex numbers the real inner product."""
    total: Any = torch.zeros((), dtype=torch.float64)
    for x, y in zip(a, b, strict=True):
        if x is None or y is None:
            continue
        product = (x * y.conj()).sum() if x.is_complex() or y.is_complex() else (x * y).sum()
        total = total + product.to(torch.float64)
    return total


def assert_close(measured: torch.Tensor, expected: torch.Tensor) -> None:
    a, b = measured.item(), expected.item()
    assert np.isclose(a, b, rtol=1e-9, atol=1e-10, equal_nan=True), f"{a}, but by backward {b}"


@parametrize(CHOSEN)
def test_tangent(case: Golden) -> None:
    """The cotangents times the tangents of the results are the gradients times the tangents of the operands."""
    leaves: list[torch.Tensor] = []
    result = run(case, leaves)
    recorded = [t.requires_grad for t in ops.tensors_in(result)]
    with forward_ad.dual_level():
        duals = Duals()
        outputs = ops.tensors_in(duals.call(case))
        pairs = [forward_ad.unpack_dual(y) for y in outputs]
        for pair, t, expected in zip(pairs, ops.tensors_in(result), recorded, strict=True):
            assert (pair.tangent is not None) == expected, "which results have a tangent"
            np.testing.assert_array_equal(ops.numpy_of(pair.primal), ops.numpy_of(t))
            assert not pair.primal.requires_grad
            if pair.tangent is not None:
                assert pair.tangent.shape == t.shape
                assert pair.tangent.dtype == t.dtype
                assert not pair.tangent.requires_grad
    assert forward_ad.unpack_dual(outputs[0]).tangent is None
    tangents = [pair.tangent for pair in pairs]
    found = gradients(result, leaves, False)
    assert_close(inner(tangents, ops.cotangents(ops.tensors_in(result))), inner(found, duals.directions))


@parametrize(TWICE)
def test_tangent_of_gradient(case: Golden) -> None:
    """Forward over reverse: the gradients' tangents are the second derivative along the operands' tangents."""
    leaves: list[torch.Tensor] = []
    firsts = gradients(run(case, leaves), leaves, create_graph=True)
    weights = [None if g is None else direction(g, 7 + i) for i, g in enumerate(firsts)]
    weighed = [(g, w) for g, w in zip(firsts, weights, strict=True) if g is not None and g.requires_grad]
    seconds: list[Any] = [None] * len(leaves)
    if weighed:
        gs, ws = zip(*weighed, strict=True)
        seconds = list(torch.autograd.grad(gs, leaves, ws, allow_unused=True))
    with forward_ad.dual_level():
        duals = Duals(requires_grad=True)
        found = gradients(duals.call(case), duals.leaves, create_graph=False)
        tangents = [None if g is None else forward_ad.unpack_dual(g).tangent for g in found]
    assert_close(inner(tangents, weights), inner(seconds, duals.directions))


@parametrize(TWICE)
def test_gradient_of_tangent(case: Golden) -> None:
    """Reverse over forward: the gradient of the weighed tangents is that of the gradients times the directions."""
    leaves: list[torch.Tensor] = []
    firsts = gradients(run(case, leaves), leaves, create_graph=True)
    with forward_ad.dual_level():
        duals = Duals(requires_grad=True)
        outputs = ops.tensors_in(duals.call(case))
        pairs = [
            (forward_ad.unpack_dual(y).tangent, on)
            for y, on in zip(outputs, ops.cotangents(outputs), strict=True)
            if y.requires_grad
        ]
        tangents = [(t, on) for t, on in pairs if t is not None and t.requires_grad]
    expected: list[Any] = [None] * len(leaves)
    weighed = [(g, d) for g, d in zip(firsts, duals.directions, strict=True) if g is not None and g.requires_grad]
    if weighed:
        gs, ds = zip(*weighed, strict=True)
        expected = list(torch.autograd.grad(gs, leaves, ds, allow_unused=True))
    found: list[Any] = [None] * len(leaves)
    if tangents:
        ts, ons = zip(*tangents, strict=True)
        found = list(torch.autograd.grad(ts, duals.leaves, ons, allow_unused=True))
    weights = [direction(x, 11 + i) for i, x in enumerate(leaves)]
    assert_close(inner(found, weights), inner(expected, weights))


@parametrize(IN_PLACE)
def test_tangent_in_place(case: Golden) -> None:
    """The in-place form gives self the tangent that the result of the other form has; its views see it."""
    with forward_ad.dual_level():
        duals = Duals()
        args, kwargs = duals.of(case.args), duals.of(case.kwargs)
        expected = ops.call(case.op, args, kwargs)
        if not isinstance(expected, torch.Tensor) or expected.dtype != args[0].dtype or expected.shape != args[0].shape:
            pytest.skip("the result does not fit into self")
        whole = args[0].clone()
        self = whole.view_as(whole)
        torch.manual_seed(ops.SEED)
        getattr(self, f"{case.op.name}_")(*args[1:], **kwargs)
        wanted = forward_ad.unpack_dual(expected).tangent
        for t in (self, whole):
            tangent = forward_ad.unpack_dual(t).tangent
            assert (tangent is None) == (wanted is None)
            if tangent is not None:
                np.testing.assert_allclose(ops.numpy_of(tangent), ops.numpy_of(wanted), rtol=1e-12, atol=1e-13)
