"""Checkpoints: memory, and what the cases in tests/golden/autograd do not cover."""

from __future__ import annotations

from typing import Any

import pytest

import onetape as torch
from onetape.utils.checkpoint import CheckpointError, checkpoint, checkpoint_sequential

ELEMENTS = 65_536
BYTES = ELEMENTS * 4


def chain(layers: int) -> list[Any]:
    return [torch.nn.Tanh() if i % 2 else torch.nn.Sigmoid() for i in range(layers)]


def peak_of(layers: int, segments: int) -> tuple[float, torch.Tensor]:
    """Memory that forward and backward of a chain take at most, in tensors of a layer; and the gradient."""
    functions = chain(layers)
    x = torch.linspace(-1, 1, ELEMENTS).requires_grad_()
    start = torch.memory_stats()["live"]
    torch.reset_peak_memory()
    if segments:
        y = checkpoint_sequential(functions, segments, x, use_reentrant=False)
    else:
        y = torch.nn.Sequential(*functions)(x)
    y.sum().backward()
    assert x.grad is not None
    return (torch.memory_stats()["peak"] - start) / BYTES, x.grad


def test_memory_grows_as_the_square_root() -> None:
    whole, grad = peak_of(1000, 0)
    parts, same_grad = peak_of(1000, 32)
    small, _ = peak_of(250, 16)
    assert whole > 1000  # each layer keeps its result
    assert parts < 85  # about 32 inputs of segments and 31 layers of one
    assert small < 48  # a quarter of the layers takes half of that
    assert torch.equal(grad, same_grad)


def test_memory_of_nested_checkpoints() -> None:
    functions = chain(64)

    def run(first: int, last: int, x: torch.Tensor) -> torch.Tensor:
        if last - first == 1:
            return functions[first](x)  # type: ignore[no-any-return]
        middle = (first + last) // 2
        for start, end in ((first, middle), (middle, last)):
            x = checkpoint(run, start, end, x, use_reentrant=False)
        return x

    x = torch.linspace(-1, 1, ELEMENTS).requires_grad_()
    start = torch.memory_stats()["live"]
    torch.reset_peak_memory()
    run(0, 64, x).sum().backward()
    peak = (torch.memory_stats()["peak"] - start) / BYTES
    y = torch.linspace(-1, 1, ELEMENTS).requires_grad_()
    torch.nn.Sequential(*functions)(y).sum().backward()
    assert x.grad is not None and y.grad is not None and torch.equal(x.grad, y.grad)
    assert peak < 30


def test_parameters_and_modules() -> None:
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Dropout(0.5), torch.nn.Linear(4, 1))
    data = torch.randn(5, 3)

    def gradients(use: bool) -> list[Any]:
        model.zero_grad()
        torch.manual_seed(1)
        y = checkpoint(model, data, use_reentrant=False) if use else model(data)
        y.sum().backward()
        return [p.grad.tolist() for p in model.parameters()]

    assert gradients(True) == gradients(False)


def test_tensor_arguments_in_other_places() -> None:
    x = torch.ones(2, requires_grad=True)
    y = checkpoint(lambda k, a, b, c: (a * c).exp() * k, 3, x, "ignored", x, use_reentrant=False)
    y.sum().backward()
    assert x.grad is not None
    expected = 2 * 3 * torch.ones(2).exp()
    assert torch.allclose(x.grad, expected)


def test_input_changed_in_place() -> None:
    x = torch.ones(2, requires_grad=True)
    a = x * 2
    y = checkpoint(lambda t: t.exp(), a, use_reentrant=False)
    a.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_determinism_check() -> None:
    x = torch.ones(4, requires_grad=True)
    sizes = iter([4, 2, 4, 2])

    def f(t: torch.Tensor) -> torch.Tensor:
        return t[: next(sizes)].exp()

    y = checkpoint(f, x, use_reentrant=False)
    with pytest.raises(CheckpointError, match="different metadata") as raised:
        y.sum().backward()
    assert "saved metadata: [4]" in str(raised.value) and "recomputed metadata: [2]" in str(raised.value)
    with pytest.raises(ValueError, match="determinism_check should be one of"):
        checkpoint(f, x, use_reentrant=False, determinism_check="some")


def test_contexts() -> None:
    x = torch.ones(2, requires_grad=True)
    entered: list[str] = []

    class Context:
        def __init__(self, name: str) -> None:
            self.name = name

        def __enter__(self) -> None:
            entered.append(self.name)

        def __exit__(self, *error: object) -> None:
            pass

    y = checkpoint(lambda t: t.exp(), x, use_reentrant=False, context_fn=lambda: (Context("first"), Context("second")))
    assert entered == ["first"]
    y.sum().backward()
    assert entered == ["first", "second"]


def test_saved_values_can_be_looked_at() -> None:
    x = torch.ones(2, requires_grad=True)
    y = checkpoint(lambda t: t.exp(), x, use_reentrant=False)
    assert y.grad_fn is not None
    assert torch.allclose(y.grad_fn._saved_result, torch.ones(2).exp())
    y.sum().backward()


def test_functions_inside() -> None:
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            (x,) = ctx.saved_tensors
            return grad * 3 * x**2  # type: ignore[no-any-return]

    x = torch.tensor([2.0], requires_grad=True)
    checkpoint(lambda t: Cube.apply(t) * t, x, use_reentrant=False).sum().backward()
    assert x.grad is not None and x.grad.tolist() == [32.0]
