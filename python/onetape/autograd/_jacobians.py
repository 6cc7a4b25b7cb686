"""Jacobians by finite differences, by backward and in forward mode: what gradcheck compares.

A Jacobian of an output with respect to an input has a row for each element of the input and a column for each of the
output. With respect to a complex input it holds d/dx + i d/dy for z = x + iy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, TypeAlias

import onetape._C as _C
from onetape._C import Tensor
from onetape.autograd import forward_ad
from onetape.autograd._engine import grad

__all__: list[str] = []

Direction: TypeAlias = Tensor | tuple[Tensor, Tensor]
"""Of an input, flat; of a complex one two, for its parts."""
Function: TypeAlias = Callable[..., Any]


class GradcheckError(RuntimeError):
    """A gradient differs from the finite difference."""


def as_tuple(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def is_differentiable(value: Any) -> bool:
    """Is it a tensor that can have a gradient?"""
    return isinstance(value, Tensor) and (value.is_floating_point() or value.is_complex())


def wanted(values: tuple[Any, ...]) -> list[tuple[int, Tensor]]:
    """The tensors that require a gradient, with their places."""
    return [(i, x) for i, x in enumerate(values) if isinstance(x, Tensor) and x.requires_grad]


def real_dtype(t: Tensor) -> Any:
    if not t.is_complex():
        return t.dtype
    return _C.float64 if t.dtype == _C.complex128 else _C.float32


def real(t: Tensor) -> Tensor:
    return t.to(real_dtype(t))


def imag(t: Tensor) -> Tensor:
    return (t * -1j).to(real_dtype(t))


def _places(t: Tensor) -> Iterator[tuple[int, ...]]:
    return product(*(range(size) for size in t.shape))


# ---- finite differences ----


def _same_kind(a: Tensor, b: Tensor, eps: float, place: tuple[int, ...] | None) -> None:
    where = "" if place is None else f"on index {place} "
    for what, first, second in (("shape", a.shape, b.shape), ("dtype", a.dtype, b.dtype)):
        if first != second:
            raise AssertionError(
                f"Expected `func` to return outputs with the same {what} when inputs are perturbed {where}by {eps}, "
                f"but got: {what}s {first} and {second}."
            )


def _value(y: Tensor) -> Tensor:
    """An output as it is now, for a difference."""
    return (y if is_differentiable(y) else y.to(_C.float64)).detach().clone()


def _difference(
    function: Function, inputs: tuple[Any, ...], entry: Tensor, step: Any, eps: float, place: tuple[int, ...] | None
) -> list[Tensor]:
    """For each output, flat: its change when the entry, a part of an input, goes from -step to +step, over 2 eps."""
    before = entry.clone()
    values = []
    try:
        for moved in (before - step, before + step):
            entry.copy_(moved)
            values.append([_value(y) for y in as_tuple(function(*inputs))])
    finally:
        entry.copy_(before)
    for a, b in zip(*values, strict=True):
        _same_kind(a, b, eps, place)
    return [((b - a) / (2 * eps)).reshape(-1) for a, b in zip(*values, strict=True)]


def _slopes(
    function: Function,
    inputs: tuple[Any, ...],
    entry: Tensor,
    steps: tuple[Any, Any],
    eps: float,
    place: tuple[int, ...] | None,
) -> list[Tensor]:
    """The same for a complex entry, too: along its real part plus i times along its imaginary part."""
    slopes = _difference(function, inputs, entry, steps[0], eps, place)
    if not entry.is_complex():
        return slopes
    return [
        a + b * 1j for a, b in zip(slopes, _difference(function, inputs, entry, steps[1] * 1j, eps, place), strict=True)
    ]


def numerical_jacobians(
    function: Function, inputs: tuple[Any, ...], x: Tensor, outputs: int, eps: float
) -> list[Tensor]:
    """Of every output with respect to the input x."""
    data = x.data
    rows = [_slopes(function, inputs, data[place], (eps, eps), eps, place) for place in _places(data)]
    if not rows:
        return [x.new_zeros((0, y.numel())) for y in as_tuple(function(*inputs))][:outputs]
    return [_C.stack(column) for column in zip(*rows, strict=True)]


def numerical_slopes(function: Function, inputs: tuple[Any, ...], x: Tensor, u: Direction, eps: float) -> list[Tensor]:
    """Of every output along the direction u of the input x."""
    parts = u if isinstance(u, tuple) else (u, u)
    steps = (parts[0].reshape(x.shape) * eps, parts[1].reshape(x.shape) * eps)
    return _slopes(function, inputs, x.data, steps, eps, None)


# ---- backward ----


def _column(gradient: Tensor | None, x: Tensor, kinds: dict[str, bool], check_dtypes: bool) -> Tensor:
    if gradient is None:
        return x.new_zeros((x.numel(),))
    kinds["size"] = kinds["size"] and gradient.size() == x.size()
    kinds["dtype"] = kinds["dtype"] and gradient.dtype == x.dtype
    if check_dtypes and not kinds["dtype"]:
        raise GradcheckError("Gradient has dtype mismatch")
    if not kinds["size"]:
        raise GradcheckError("Analytical gradient has incorrect size")
    return gradient.detach().to(x.dtype).reshape(-1)


def backward_jacobians(
    inputs: tuple[Any, ...], output: Tensor, seeds: list[Tensor], check_dtypes: bool
) -> list[Tensor]:
    """Of one output with respect to every input that requires a gradient; a column for each seed."""
    leaves = [x for _, x in wanted(inputs)]
    kinds = {"size": True, "dtype": True}
    columns: list[list[Tensor]] = [[] for _ in leaves]
    for seed in seeds:
        grads = grad(output, leaves, seed, retain_graph=True, allow_unused=True)
        for column, g, x in zip(columns, grads, leaves, strict=True):
            column.append(_column(g, x, kinds, check_dtypes))
    return [
        _C.stack(column, 1) if column else x.new_zeros((x.numel(), 0))
        for column, x in zip(columns, leaves, strict=True)
    ]


def units(output: Tensor) -> list[Tensor]:
    """A seed for each element of the output."""
    seeds = []
    for place in _places(output):
        seed = _C.zeros_like(output)
        seed[place] = 1
        seeds.append(seed)
    return seeds


def checked_backward_jacobians(
    inputs: tuple[Any, ...], output: Tensor, seeds: list[Tensor], nondet_tol: float, check_dtypes: bool
) -> list[Tensor]:
    """The same, after checking that a second backward pass gives the same."""
    first = backward_jacobians(inputs, output, seeds, check_dtypes)
    second = backward_jacobians(inputs, output, seeds, check_dtypes)
    for a, b in zip(first, second, strict=True):
        if a.numel() != 0 and (a - b).abs().max().item() > nondet_tol:
            raise GradcheckError(
                "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times "
                "gives different values, although analytical gradient matches numerical gradient.The tolerance for "
                f"nondeterminism was {nondet_tol}."
            )
    return first


# ---- forward mode ----


def tangents_along(
    function: Function, inputs: tuple[Any, ...], which: int, direction: Tensor, check_dtypes: bool
) -> list[Tensor]:
    """For each differentiable output, flat: its tangent where input number `which` alone has one that is not zero."""
    with forward_ad.dual_level():
        arguments = list(inputs)
        for i, x in wanted(inputs):
            tangent = direction if i == which else _C.zeros_like(x)
            arguments[i] = forward_ad.make_dual(x.detach(), tangent)
        result = []
        for output in as_tuple(function(*arguments)):
            if not is_differentiable(output):
                continue
            primal, found = forward_ad.unpack_dual(output)
            if check_dtypes and found is not None and primal.is_complex() != found.is_complex():
                raise GradcheckError("Forward AD gradient has dtype mismatch.")
            result.append((_C.zeros_like(primal) if found is None else found).detach().reshape(-1))
        return result


def forward_jacobians(
    function: Function, inputs: tuple[Any, ...], which: int, outputs: list[Tensor], check_dtypes: bool
) -> list[Tensor]:
    """Of every differentiable output with respect to input number `which`."""
    x = inputs[which].detach()
    rows = [tangents_along(function, inputs, which, unit, check_dtypes) for unit in units(x)]
    if not rows:
        return [y.new_zeros((0, y.numel())) for y in outputs]
    return [_C.stack(column) for column in zip(*rows, strict=True)]
