"""Gradients where operands are equal, lie at a bound or have no slope; which of equal elements is the median."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.golden.autograd.record import Log, case

NAN = float("nan")
INFINITY = float("inf")


def leaf(torch: Any, *values: float) -> Any:
    return torch.tensor(list(values), dtype=torch.float64, requires_grad=True)


def note(log: Log, function: Callable[..., Any], *inputs: Any) -> None:
    fresh = [x.detach().clone().requires_grad_() for x in inputs]
    result = function(*fresh)
    result.sum().backward()
    log(result.grad_fn.name(), [[str(g) for g in x.grad.tolist()] for x in fresh])


@case
def at_the_bounds_of_clamp(torch: Any, log: Log) -> None:
    x = leaf(torch, -1, 0, 0, 1, NAN, 2, 2, 3, INFINITY)
    low = leaf(torch, 0, 0, 0, 0, 0, 2, 5, NAN, INFINITY)
    high = leaf(torch, 1, 0, 2, 1, 1, 2, 1, 9, INFINITY)
    note(log, lambda t: t.clamp(0, 2), x)
    note(log, lambda t: t.clamp(0), x)
    note(log, lambda t: t.clamp(max=2), x)
    note(log, lambda t: t.clamp(1, 1), x)
    note(log, lambda t: t.clamp(3, 1), x)
    note(log, lambda t: t.clamp(-INFINITY, INFINITY), x)
    note(log, lambda t: t.clone().clamp_(0, 2), x)
    note(log, lambda t: t.clamp_min(0), x)
    note(log, lambda t: t.clamp_max(2), x)
    note(log, torch.clamp, x, low, high)
    note(log, torch.clamp, x, low)
    note(log, lambda t, bound: torch.clamp(t, max=bound), x, high)
    note(log, torch.clamp_min, x, low)
    note(log, torch.clamp_max, x, high)


@case
def of_two_equal_ones(torch: Any, log: Log) -> None:
    a = leaf(torch, 1, 2, 3, NAN, 1, 0)
    b = leaf(torch, 1, 3, 2, 1, NAN, -0.0)
    for name in ("maximum", "minimum", "fmax", "fmin"):
        function = getattr(torch, name)
        note(log, function, a, b)
        note(log, lambda t, f=function: f(t, b.detach()), a)
        note(log, lambda t, f=function: f(a.detach(), t), b)


@case
def where_there_is_no_slope(torch: Any, log: Log) -> None:
    note(log, torch.atan2, leaf(torch, 0, 0, 1, -0.0, 0), leaf(torch, 0, 1, 0, -0.0, -1))
    note(log, torch.hypot, leaf(torch, 3, 1), leaf(torch, 4, 0))


@case
def second_gradients_of_choices(torch: Any, log: Log) -> None:
    x = leaf(torch, 1, 2, 3)
    for function in (torch.maximum, torch.fmax, torch.clamp_min):
        (gradient,) = torch.autograd.grad(function(x, leaf(torch, 1, 1, 4).detach()).sum(), x, create_graph=True)
        log(gradient.requires_grad)
        (gradient,) = torch.autograd.grad((function(x, x.detach() * 1) ** 2).sum(), x, create_graph=True)
        log(torch.autograd.grad(gradient.sum(), x))


@case
def medians_of_equal_elements(torch: Any, log: Log) -> None:
    for values in ([1, 1, 1], [1] * 10, [2, 1, 2, 1, 2, 1], [3, 1, 2, 2, 2, 9, 0, 2], [NAN, 1, NAN, 2], [0, 1, 2] * 15):
        x = leaf(torch, *values)
        found = x.median(0)
        found.values.backward()
        log(found.indices.item(), x.grad.tolist().index(1))
