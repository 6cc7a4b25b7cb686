"""The article on memory in Java: its calculations as Python programs, where memory needs no scopes."""

from __future__ import annotations

from typing import Any

import pytest

import onetape as torch


def test_a_tensor_that_wants_gradients() -> None:
    tensor = torch.tensor([1.0, 2.0, 3.0]).requires_grad_(True)
    assert tensor.requires_grad
    assert tensor.is_leaf


def test_a_training_step() -> None:
    torch.manual_seed(0)
    model = torch.nn.Linear(3, 2)
    loss_function = torch.nn.MSELoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    inputs, target = torch.randn(4, 3), torch.randn(4, 2)
    before = loss_function(model(inputs), target).item()

    prediction = model.forward(inputs)
    loss = loss_function(prediction, target)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()

    assert loss_function(model(inputs), target).item() < before
    assert all(parameter.grad is None for parameter in model.parameters())


def test_linear_regression() -> None:
    torch.manual_seed(0)
    epochs = 1000
    lr = 0.01
    x = torch.tensor([1.0, 2.0, 3.0, 4.0]).reshape(4, 1)
    y = torch.tensor([2.0, 4.0, 6.0, 8.0]).reshape(4, 1)
    w = torch.randn(1).requires_grad_(True)
    b = torch.randn(1).requires_grad_(True)

    for _ in range(epochs):
        pred = x.mm(w.unsqueeze(1)).add(b)
        loss = pred.sub(y).pow(2).mean()
        loss.backward()
        with torch.no_grad():
            w.sub_(w.grad.mul(lr))
            b.sub_(b.grad.mul(lr))
        w.grad.zero_()
        b.grad.zero_()

    assert loss.item() < 1e-2
    assert w.item() == pytest.approx(2, abs=0.1)
    assert b.item() == pytest.approx(0, abs=0.25)


def test_in_python_mm_takes_matrices_only() -> None:
    with pytest.raises(RuntimeError, match="mat2 must be a matrix"):
        torch.ones(4, 1).mm(torch.ones(1))


class MyReLU(torch.autograd.Function):
    """max(input, 0)"""

    @staticmethod
    def forward(ctx: Any, input: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(input)
        return torch.maximum(input, torch.tensor(0.0))

    @staticmethod
    def backward(ctx: Any, grad_output: torch.Tensor) -> torch.Tensor:
        (input,) = ctx.saved_tensors
        return grad_output.mul(input.gt(0))


def test_a_function_applied_several_times_in_one_graph() -> None:
    x = torch.tensor([-1.0, 2.0], requires_grad=True)
    y = torch.tensor([3.0, -4.0], requires_grad=True)
    result = MyReLU.apply(x) * 10 + MyReLU.apply(y)
    result.sum().backward()
    assert x.grad.tolist() == [0.0, 10.0]
    assert y.grad.tolist() == [1.0, 0.0]
