"""Comparing gradients with finite differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import onetape._C as _C
from onetape._C import Tensor

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]


class GradcheckError(RuntimeError):
    """A gradient differs from the finite difference."""


def _tuple(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def _outputs(function: Callable[..., Any], inputs: tuple[Any, ...]) -> list[Tensor]:
    return [y for y in _tuple(function(*inputs)) if isinstance(y, Tensor) and y.requires_grad]


def _numbers(t: Tensor) -> list[Any]:
    flat = t.detach().contiguous().view(-1).tolist()
    assert isinstance(flat, list)
    return flat


def _numerical(function: Callable[..., Any], inputs: tuple[Any, ...], x: Tensor, eps: float) -> list[list[list[float]]]:
    """For each output: a row for each element of x, how much each element of the output changes with it."""
    columns: list[list[list[float]]] = []
    data = x.detach()
    for place in _places(tuple(x.shape)):
        element = data
        for i in place:
            element = element.select(0, i)
        value = element.item()
        values = []
        for step in (eps, -eps):
            element.fill_(value + step)
            values.append([_numbers(y) for y in _tuple(function(*inputs)) if isinstance(y, Tensor)])
        element.fill_(value)
        columns.append(
            [
                [(a - b) / (2 * eps) for a, b in zip(ya, yb, strict=True)]
                for ya, yb in zip(values[0], values[1], strict=True)
            ]
        )
    outputs = len(columns[0]) if columns else 0
    return [[column[k] for column in columns] for k in range(outputs)]


def _places(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    places: list[tuple[int, ...]] = [()]
    for size in shape:
        places = [(*place, i) for place in places for i in range(size)]
    return places


def _analytical(output: Tensor, x: Tensor) -> list[list[float]]:
    """The same table by backward: a row for each element of x."""
    rows: list[list[float]] = []
    for place in _places(tuple(output.shape)):
        seed = _C.zeros_like(output)
        element = seed
        for i in place:
            element = element.select(0, i)
        element.fill_(1)
        (grad,) = _C._grad((output,), (x,), (seed,), True, False, True)
        rows.append([0.0] * x.numel() if grad is None else _numbers(grad))
    return [list(column) for column in zip(*rows, strict=True)] if rows else [[] for _ in range(x.numel())]


def _close(a: float, b: float, atol: float, rtol: float) -> bool:
    return a == b or abs(a - b) <= atol + rtol * abs(b)


def _agree(analytical: list[list[float]], numerical: list[list[float]], atol: float, rtol: float) -> bool:
    pairs = zip(analytical, numerical, strict=True)
    return all(_close(a, n, atol, rtol) for row, other in pairs for a, n in zip(row, other, strict=True))


def _check(function: Callable[..., Any], inputs: tuple[Any, ...], eps: float, atol: float, rtol: float) -> str | None:
    """What is wrong, or None."""
    wanted = [(i, x) for i, x in enumerate(inputs) if isinstance(x, Tensor) and x.requires_grad]
    if not wanted:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of the them have "
            "requires_grad=True."
        )
    for i, x in wanted:
        numerical = _numerical(function, inputs, x, eps)
        outputs = [y for y in _tuple(function(*inputs)) if isinstance(y, Tensor)]
        for k, y in enumerate(outputs):
            if not y.requires_grad:
                continue
            analytical = _analytical(y, x)
            table = numerical[k] if numerical else []
            if not _agree(analytical, table, atol, rtol):
                head = f"Jacobian mismatch for output {k} with respect to input {i},"
                return f"{head}\nnumerical:{table}\nanalytical:{analytical}\n"
    return None


def gradcheck(
    func: Callable[..., Any],
    inputs: Tensor | Sequence[Any],
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    check_undefined_grad: bool = True,
    nondet_tol: float = 0.0,
    check_batched_grad: bool = False,
    fast_mode: bool = False,
) -> bool:
    """Whether the gradients of func are those that small changes of its inputs give; meant for float64 inputs.

    An input is moved by eps either way; a gradient a agrees with a difference n if abs(a - n) <= atol + rtol * abs(n).
    """
    wrong = _check(func, _tuple(inputs), eps, atol, rtol)
    if wrong and raise_exception:
        raise GradcheckError(wrong)
    return wrong is None


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Tensor | Sequence[Any],
    grad_outputs: Tensor | Sequence[Tensor] | None = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    gen_non_contig_grad_outputs: bool = False,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    fast_mode: bool = False,
) -> bool:
    """gradcheck of the gradient of func: whether its second derivatives are right."""
    all_inputs = _tuple(inputs)
    outputs = _outputs(func, all_inputs)
    if grad_outputs is None:
        grad_outputs = [_C.randn_like(y).requires_grad_() for y in outputs]
    seeds = _tuple(grad_outputs)
    n = len(all_inputs)

    def gradient(*args: Any) -> tuple[Tensor, ...]:
        values = args[:n]
        ys = _outputs(func, values)
        wanted = tuple(x for x in values if isinstance(x, Tensor) and x.requires_grad)
        grads = _C._grad(tuple(ys), wanted, args[n:], True, True, True)
        return tuple(g for g in grads if g is not None)

    return gradcheck(gradient, (*all_inputs, *seeds), eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception)
