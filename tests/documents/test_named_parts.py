"""What the documents name without a listing of its own: formulas, pictures and advice, each as a program."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import onetape as torch
from onetape import nn
from onetape.autograd import Function, gradcheck, gradgradcheck
from onetape.utils.data import DataLoader, TensorDataset

Picture = Callable[[], tuple[torch.Tensor, dict[str, torch.Tensor]]]


def leaf(*values: float, dtype: torch.dtype = torch.float64) -> torch.Tensor:
    return torch.tensor(values if len(values) > 1 else values[0], dtype=dtype, requires_grad=True)


# ---- principles ----


def test_the_chain_rule_of_a_square() -> None:
    w, x, b = leaf(1.5), leaf(-2.0), leaf(0.25)
    ((w * x + b) ** 2).backward()
    inner = 1.5 * -2.0 + 0.25
    assert [t.grad.item() for t in (w, x, b)] == [2 * inner * -2.0, 2 * inner * 1.5, 2 * inner]


def test_forward_mode_reverse_mode_and_differences_agree() -> None:
    def square(w: torch.Tensor, x: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (w * x + b) ** 2

    point = tuple(torch.tensor(v, dtype=torch.float64) for v in (1.5, -2.0, 0.25))
    reverse = torch.func.grad(square, argnums=(0, 1, 2))(*point)
    for i in range(3):
        direction = tuple(torch.tensor(float(i == j), dtype=torch.float64) for j in range(3))
        _, forward = torch.func.jvp(square, point, direction)
        ahead = square(*(p + 1e-6 * d for p, d in zip(point, direction, strict=True)))
        behind = square(*(p - 1e-6 * d for p, d in zip(point, direction, strict=True)))
        assert forward.item() == reverse[i].item()
        assert ((ahead - behind) / 2e-6).item() == pytest.approx(reverse[i].item(), rel=1e-8)


# ---- the graph ----


def names_of_nodes(result: torch.Tensor) -> list[str]:
    """The operations of a graph without branches, from its result on."""
    names, node = [], result.grad_fn
    while node is not None:
        names.append(node.name())
        node = next((below for below, _ in node.next_functions if below is not None), None)
    return names


def test_the_graph_is_what_ran() -> None:
    def model(x: torch.Tensor) -> torch.Tensor:
        while x.item() < 10:
            x = x * 3
        return x.exp() if x.item() < 15 else x.neg()

    assert names_of_nodes(model(leaf(4.0))) == ["ExpBackward0", "MulBackward0", "AccumulateGrad"]
    assert names_of_nodes(model(leaf(2.0))) == ["NegBackward0", "MulBackward0", "MulBackward0", "AccumulateGrad"]
    x = leaf(2.0)
    model(x).backward()
    assert x.grad.item() == -9


@pytest.mark.parametrize("length", [1, 4])
def test_a_recurrent_network_runs_for_as_long_as_its_input(length: int) -> None:
    torch.manual_seed(0)
    cell = nn.RNNCell(2, 3)
    state = torch.zeros(1, 3)
    for x in torch.randn(length, 1, 2):
        state = cell(x, state)
    known = json.loads(torch.graph(state).json())
    assert [node["name"] for node in known["nodes"]].count("RnnLayerBackward0") == length
    state.sum().backward()
    assert all(p.grad is not None and p.grad.abs().sum().item() > 0 for p in (cell.weight_ih, cell.bias_hh))


def test_no_gradient_arrives_where_the_graph_is_cut() -> None:
    cut, kept, constant = leaf(2.0), leaf(3.0), torch.tensor(4.0, dtype=torch.float64)
    (cut.detach() * kept * constant).backward()
    assert cut.grad is None and constant.grad is None
    assert kept.grad.item() == 8


def test_parameters_are_leaves_that_want_gradients() -> None:
    layer = nn.Linear(3, 2)
    own = nn.Parameter(torch.zeros(2))
    for parameter in (*layer.parameters(), own):
        assert parameter.requires_grad and parameter.is_leaf and parameter.grad_fn is None
    assert not layer(torch.ones(1, 3)).is_leaf


class Affine(Function):
    """input · weightᵀ + bias"""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x, weight)
        return x.mm(weight.t()) + bias

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        x, weight = ctx.saved_tensors
        return grad.mm(weight), grad.t().mm(x), grad.sum(0)


def picture_of_a_square() -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    a, x, b = leaf(3.0), leaf(2.0), leaf(1.0)
    loss = (a * x + b).pow(2)
    return loss, {"a": a, "x": x, "b": b, "L": loss}


def picture_of_a_sum() -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    x, w, b = leaf(2.0), leaf(3.0), leaf(1.0)
    z = w * x + b
    return z, {"x": x, "w": w, "b": b, "z": z}


def picture_of_an_input_without_gradient() -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    x, w, b = torch.tensor([1.0, 2.0]), leaf(0.5, -1.0), leaf(0.1)
    y = w * x + b
    return y, {"w": w, "b": b, "y": y}


def picture_of_a_mean() -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    a = leaf(2.0, 3.0)
    c = (a * 3).mean()
    return c, {"a": a, "c": c}


def picture_of_a_product_of_matrices() -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    w = torch.ones(5, 3, requires_grad=True)
    z = (torch.ones(1, 5) @ w).mean()
    return z, {"w": w, "z": z}


def picture_of_a_function_of_ones_own() -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    x, w, b = (torch.ones(*size, requires_grad=True) for size in ((3, 10), (5, 10), (5,)))
    y = Affine.apply(x, w, b)
    return y, {"x": x, "w": w, "b": b, "y": y}


PICTURES: list[tuple[Picture, set[str]]] = [
    (
        picture_of_a_square,
        {"a>MulBackward0", "x>MulBackward0", "MulBackward0>AddBackward0", "b>AddBackward0"}
        | {"AddBackward0>PowBackward0", "PowBackward0>L"},
    ),
    (
        picture_of_a_sum,
        {"w>MulBackward0", "x>MulBackward0", "MulBackward0>AddBackward0", "b>AddBackward0", "AddBackward0>z"},
    ),
    # Broadcasting is an operation of its own in the graph.
    (
        picture_of_an_input_without_gradient,
        {"w>MulBackward0", "MulBackward0>AddBackward0", "b>ExpandBackward0", "ExpandBackward0>AddBackward0"}
        | {"AddBackward0>y"},
    ),
    (picture_of_a_mean, {"a>MulBackward0", "MulBackward0>MeanBackward0", "MeanBackward0>c"}),
    (picture_of_a_product_of_matrices, {"w>MmBackward0", "MmBackward0>MeanBackward0", "MeanBackward0>z"}),
    (
        picture_of_a_function_of_ones_own,
        {"x>AffineBackward", "w>AffineBackward", "b>AffineBackward", "AffineBackward>y"},
    ),
]


@pytest.mark.parametrize(("picture", "arrows"), PICTURES, ids=[picture.__name__ for picture, _ in PICTURES])
def test_pictures(picture: Picture, arrows: set[str]) -> None:
    result, named = picture()
    graph = torch.graph(result, params=named)
    known = json.loads(graph.json())
    names = [node["name"] for node in known["nodes"]]
    assert {f"{names[start]}>{names[end]}" for start, end, _ in known["edges"]} == arrows
    svg = graph.svg()
    assert all(name in svg for name in names)


# ---- training ----


def test_parts_of_a_batch_add_up_to_the_whole() -> None:
    torch.manual_seed(0)
    inputs, targets = torch.randn(12, 3), torch.randn(12, 1)
    whole, parts = nn.Linear(3, 1), nn.Linear(3, 1)
    parts.load_state_dict(whole.state_dict())
    criterion = nn.MSELoss()
    steps = [(model, torch.optim.SGD(model.parameters(), lr=0.1)) for model in (whole, parts)]

    model, optimizer = steps[0]
    criterion(model(inputs), targets).backward()
    optimizer.step()

    model, optimizer = steps[1]
    loader = DataLoader(TensorDataset(inputs, targets), batch_size=4)
    optimizer.zero_grad()
    for some, wanted in loader:
        (criterion(model(some), wanted) / len(loader)).backward()
    optimizer.step()

    for one, other in zip(whole.parameters(), parts.parameters(), strict=True):
        assert torch.allclose(one.grad, other.grad) and torch.allclose(one, other)


# ---- functions of one's own ----


class Rounded(Function):
    """The nearest whole number, with the slope of the line through them."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x.round()

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        return grad


def test_a_straight_through_estimator() -> None:
    plain, straight = leaf(0.4, 1.6), leaf(0.4, 1.6)
    (plain.round() * 3).sum().backward()
    (Rounded.apply(straight) * 3).sum().backward()
    assert plain.grad.tolist() == [0, 0]
    assert straight.grad.tolist() == [3, 3]


class ForeignSine(Function):
    """The sine as another library computes it."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        return torch.from_numpy(np.sin(x.detach().numpy()))

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        (x,) = ctx.saved_tensors
        return grad * torch.from_numpy(np.cos(x.detach().numpy()))


def test_a_function_that_another_library_computes() -> None:
    x = leaf(0.5, -1.0, 2.0)
    assert torch.equal(ForeignSine.apply(x), torch.from_numpy(np.sin(np.array([0.5, -1.0, 2.0]))))
    assert gradcheck(ForeignSine.apply, (x,))


class Cube(Function):
    """x³, with a backward of differentiable operators, computed anew from the input alone."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        (x,) = ctx.saved_tensors
        return grad * 3 * x**2


def test_a_penalty_on_the_norm_of_a_gradient() -> None:
    x = leaf(1.0, -2.0)
    assert gradgradcheck(Cube.apply, (x,))
    (gradient,) = torch.autograd.grad(Cube.apply(x).sum(), x, create_graph=True)
    gradient.square().sum().backward()  # Σ 9 x⁴
    assert x.grad.tolist() == [36.0, -288.0]


# ---- memory ----


def test_reshape_copies_only_where_a_view_cannot_be() -> None:
    t = torch.arange(12, dtype=torch.float32).view(3, 4)
    assert t.reshape(-1).data_ptr() == t.data_ptr()
    flat = t.t().reshape(-1)
    assert flat.data_ptr() != t.data_ptr() and flat.is_contiguous()
    assert flat.tolist() == [0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11]
    part = t[1:, 2:]
    assert (part.storage_offset(), part.stride(), part.is_contiguous()) == (6, (4, 1), False)
    assert part.storage().data_ptr() == t.storage().data_ptr()
