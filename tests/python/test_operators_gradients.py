"""Gradients: first and second ones are PyTorch's, first ones agree with finite differences; what is recorded when."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import onetape as torch
from tests.golden import store
from tests.golden.samples import Array, random_bits
from tests.python.support import operators as ops
from tests.python.support.operators import CASES, Golden, parametrize

STEP = 1e-6
ONCE = ("ctc_loss",)
"""Operators whose gradient has none itself, as in PyTorch."""
WITHOUT_SLOPE = ("ctc_loss", "embedding", "embedding_bag", "fmod", "gumbel_softmax", "remainder")
"""Operators with jumps at whole quotients, which the samples' values have, and with rows that get no gradient."""
WITH_GRADIENTS = [c for c in CASES if "grads" in c.content and c.op.differentiable]
WITHOUT_GRADIENTS = [c for c in CASES if "grads" in c.content and not c.op.differentiable]
RECORDED = [
    c
    for c in CASES
    if c.succeeds
    and c.op.differentiable
    and "unrecorded" not in c.content
    and c.dtype == "float64"
    and not c.is_special
    and c.variant != "mixed"
]


def run(case: Golden, leaves: list[torch.Tensor] | None) -> Any:
    return ops.call(case.op, ops.to_onetape(case.args, leaves), ops.to_onetape(case.kwargs, leaves))


def differentiable(result: Any) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """The recorded results, each with the gradient to be put on it."""
    tensors = ops.tensors_in(result)
    return [(t, on) for t, on in zip(tensors, ops.cotangents(tensors), strict=True) if t.requires_grad]


def gradients(result: Any, leaves: list[torch.Tensor], create_graph: bool) -> list[torch.Tensor | None]:
    pairs = differentiable(result)
    results, on = [list(column) for column in zip(*pairs, strict=True)]
    return list(torch.autograd.grad(results, leaves, on, create_graph=create_graph, allow_unused=True))


def second_gradients(firsts: list[torch.Tensor | None], leaves: list[torch.Tensor]) -> list[torch.Tensor | None]:
    squares = [(g * g).sum() for g in firsts if g is not None and g.requires_grad]
    return list(torch.autograd.grad(squares, leaves, allow_unused=True)) if squares else [None] * len(leaves)


@parametrize(WITH_GRADIENTS)
def test_gradient(case: Golden) -> None:
    leaves: list[torch.Tensor] = []
    result = run(case, leaves)
    twice = "second" in case.content
    firsts = gradients(result, leaves, create_graph=twice)
    for place, gradient in enumerate(firsts):
        ops.assert_gradient(gradient, case.content["grads"][place], f"gradient of input {place}", case.op)
    if twice:
        for place, gradient in enumerate(second_gradients(firsts, leaves)):
            ops.assert_gradient(gradient, case.content["second"][place], f"second gradient of input {place}", case.op)


@parametrize(WITHOUT_GRADIENTS)
def test_no_gradient(case: Golden) -> None:
    """What the table says to have no gradient has none or zeros, as in PyTorch."""
    leaves: list[torch.Tensor] = []
    result = run(case, leaves)
    found = gradients(result, leaves, create_graph=False) if differentiable(result) else [None] * len(leaves)
    for place, gradient in enumerate(found):
        stored = case.content["grads"][place]
        assert stored is None or not any(stored["data"]), "PyTorch has a gradient"
        ops.assert_gradient(gradient, stored, f"gradient of input {place}", case.op)


def moved(value: Any, amount: float, places: list[int]) -> Any:
    """An argument with its differentiable arrays moved in a fixed direction; the places count them."""
    if isinstance(value, Array):
        if not value.is_leaf:
            return value
        places.append(0)
        storage = value.storage + amount * direction(value, len(places))
        strides = tuple(step * storage.itemsize for step in value.strides)
        view = np.lib.stride_tricks.as_strided(storage[value.offset :], value.shape, strides)
        return replace(value, storage=storage, view=view)
    if isinstance(value, dict):
        return {key: moved(item, amount, places) for key, item in value.items()}
    return [moved(item, amount, places) for item in value] if isinstance(value, list) else value


def direction(array: Array, place: int) -> np.ndarray:
    return (random_bits(place, array.storage.size) >> np.uint64(11)).astype(np.float64) / 2.0**52 - 1


def seen(array: Array, storage: np.ndarray) -> np.ndarray:
    """The part of the memory that the leaf shows."""
    if array.is_result and not array.is_dense:
        return storage
    strides = tuple(step * storage.itemsize for step in array.strides)
    return np.lib.stride_tricks.as_strided(storage[array.offset :], array.shape, strides)


def arrays_in(value: Any) -> list[Array]:
    if isinstance(value, Array):
        return [value] if value.is_leaf else []
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [a for item in items for a in arrays_in(item)]


@parametrize(c for c in WITH_GRADIENTS if c.dtype == "float64" and not c.is_special and c.op.name not in WITHOUT_SLOPE)
def test_finite_differences(case: Golden) -> None:
    """Along one direction: the change of the weighed sum of the results, against the gradient times the direction."""
    leaves: list[torch.Tensor] = []
    result = run(case, leaves)
    recorded = [t.requires_grad for t in ops.tensors_in(result)]
    weights = [ops.numpy_of(on) for on in ops.cotangents(ops.tensors_in(result))]

    def weighed(amount: float) -> float:
        args, kwargs = moved([case.args, case.kwargs], amount, [])
        results = ops.tensors_in(ops.call(case.op, ops.to_onetape(args), ops.to_onetape(kwargs)))
        values = [ops.numpy_of(t) for t in results]
        parts = [(v, w) for v, w, wanted in zip(values, weights, recorded, strict=True) if wanted]
        return sum(float((v * w).sum()) for v, w in parts if np.isfinite(v).all())

    measured = (weighed(STEP) - weighed(-STEP)) / (2 * STEP)
    expected = 0.0
    arrays = arrays_in([case.args, case.kwargs])
    for place, (array, gradient) in enumerate(zip(arrays, gradients(result, leaves, False), strict=True), 1):
        if gradient is not None:
            expected += float((ops.numpy_of(gradient) * seen(array, direction(array, place))).sum())
    assert abs(measured - expected) <= 1e-6 * max(1.0, abs(expected)), f"measured {measured}, gradient says {expected}"


def assert_recorded(value: Any, stored: Any) -> None:
    if isinstance(stored, list):
        for item, one in zip(value, stored, strict=True):
            assert_recorded(item, one)
    elif isinstance(value, torch.Tensor):
        name = value.grad_fn.name().split("::")[-1] if value.grad_fn is not None else None
        expected = stored.get("node")
        assert name == expected or (name and expected == store.ANY_NODE), "name of the graph node"


@parametrize(RECORDED)
def test_node(case: Golden) -> None:
    """A result has PyTorch's node or, as there, none; nothing is recorded without need or in no-grad mode."""
    leaves: list[torch.Tensor] = []
    result = run(case, leaves)
    assert_recorded(result, case.content["result"])
    for tensor in ops.tensors_in(result):
        assert tensor.requires_grad == (tensor.grad_fn is not None or any(tensor is leaf for leaf in leaves))
    assert not any(t.requires_grad for t in ops.tensors_in(run(case, None))), "no operand requires a gradient"
    with torch.no_grad():
        assert not any(t.grad_fn for t in ops.tensors_in(run(case, []))), "in no-grad mode"
