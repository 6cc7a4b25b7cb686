"""Scenarios of matrices that stay orthogonal."""

from __future__ import annotations

import math
from typing import Any

from tests.golden.training.scenarios import Scenario, attempt

SHAPES = ((3, 3), (5, 3), (3, 5), (2, 4, 3), (4, 1))
MAPS = ("matrix_exp", "cayley", "householder", None)


def values(torch: Any, shape: tuple[int, ...], start: float) -> Any:
    """Numbers that make matrices of full rank."""
    numbers = [math.sin(1.7 * i + start + 0.3 * i * i) for i in range(math.prod(shape))]
    return torch.tensor(numbers, dtype=torch.float64).reshape(shape)


def mapped(shape: tuple[int, ...], name: str | None, trivialized: bool) -> Scenario:
    """First value, another one with its gradient, and assignment. What is drawn does not show."""

    def scenario(torch: Any) -> Any:
        torch.manual_seed(3)
        layer = torch.nn.Linear(3, 3).double()
        layer.weight = torch.nn.Parameter(values(torch, shape, 1))
        torch.nn.utils.parametrizations.orthogonal(layer, "weight", name, use_trivialization=trivialized)
        entry = layer.parametrizations.weight
        square = shape[-1] == shape[-2]
        first = layer.weight if square or not trivialized else None
        entry.original.data.copy_(values(torch, shape, 5) * 0.5 + entry.original.data)
        if trivialized:
            base = entry[0].base
            entry[0].base = torch.eye(base.size(-1), dtype=base.dtype).expand(base.shape).clone()
        weight = layer.weight
        (weight * values(torch, shape, 9)).sum().backward()
        answers = [repr(layer), list(layer.state_dict()), first, weight, entry.original.grad]
        return [*answers, assigned(layer, values(torch, shape, 7), square or not trivialized)]

    return scenario


def assigned(layer: Any, value: Any, shows: bool) -> Any:
    try:
        layer.weight = value
    except NotImplementedError as error:
        return str(error)
    return layer.weight if shows else None


def refused(torch: Any) -> Any:
    nn, orthogonal = torch.nn, torch.nn.utils.parametrizations.orthogonal
    twisted = nn.Linear(2, 2)
    twisted.weight = nn.Parameter(torch.ones(2, 2, dtype=torch.complex64))
    square = orthogonal(nn.Linear(2, 2))

    def assign() -> None:
        square.weight = torch.ones(3, 3)

    return [
        attempt(action)
        for action in (
            lambda: orthogonal(nn.Linear(2, 2), "bias"),
            lambda: orthogonal(nn.Linear(2, 2), "count"),
            lambda: orthogonal(nn.Linear(2, 2), "weight", "rotation"),
            lambda: orthogonal(twisted, "weight", "householder"),
            assign,
        )
    ]


def unitary(torch: Any) -> Any:
    answers = []
    for name in ("matrix_exp", "cayley"):
        layer = torch.nn.Linear(3, 3)
        start = values(torch, (3, 3), 1) + values(torch, (3, 3), 2) * torch.tensor(1j, dtype=torch.complex128)
        layer.weight = torch.nn.Parameter(start)
        torch.nn.utils.parametrizations.orthogonal(layer, "weight", name, use_trivialization=False)
        weight = layer.weight
        (weight * values(torch, (3, 3), 4)).abs().sum().backward()
        answers.append([weight, layer.parametrizations.weight.original.grad])
    return answers


EXACT: dict[str, Scenario] = {"refused": refused}
CLOSE: dict[str, Scenario] = {
    "unitary": unitary,
    **{
        f"{name} {shape} {'trivialized' if trivialized else 'plain'}": mapped(shape, name, trivialized)
        for shape in SHAPES
        for name in MAPS
        for trivialized in (True, False)
    },
}
