"""The chapter on automatic differentiation: its nine numbered listings as Python programs, with what they print."""

from __future__ import annotations

import re

import pytest

import onetape as torch


def printed(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out


def test_01_a_first_graph(capsys: pytest.CaptureFixture[str]) -> None:
    x = torch.tensor(2.0, requires_grad=True)
    w = torch.tensor(3.0, requires_grad=True)
    b = torch.tensor(1.0, requires_grad=True)

    y = w * x
    z = y + b

    print(f"Result z: {z}")
    assert printed(capsys) == "Result z: 7.0\n"


def test_02_no_gradient_by_default(capsys: pytest.CaptureFixture[str]) -> None:
    x = torch.tensor([1.0, 2.0, 3.0])
    print(f"Tensor x: {x}")
    print(f"x.requires_grad: {x.requires_grad}")

    y = torch.tensor([4.0, 5.0, 6.0], requires_grad=False)
    print(f"\nTensor y: {y}")
    print(f"y.requires_grad: {y.requires_grad}")

    assert printed(capsys) == (
        "Tensor x: tensor([1., 2., 3.])\n"
        "x.requires_grad: False\n"
        "\n"
        "Tensor y: tensor([4., 5., 6.])\n"
        "y.requires_grad: False\n"
    )


def test_03_asking_for_gradients_when_making_a_tensor(capsys: pytest.CaptureFixture[str]) -> None:
    w = torch.tensor([0.5, -1.0], requires_grad=True)
    print(f"Tensor w: {w}")
    print(f"w.requires_grad: {w.requires_grad}")

    assert printed(capsys) == "Tensor w: tensor([ 0.5000, -1.0000], requires_grad=True)\nw.requires_grad: True\n"


def test_04_asking_for_gradients_later(capsys: pytest.CaptureFixture[str]) -> None:
    b = torch.tensor([0.1])
    print(f"Tensor b (before): {b}")
    print(f"b.requires_grad (before): {b.requires_grad}")

    b.requires_grad_(True)
    print(f"\nTensor b (after): {b}")
    print(f"b.requires_grad (after): {b.requires_grad}")

    assert printed(capsys) == (
        "Tensor b (before): tensor([0.1000])\n"
        "b.requires_grad (before): False\n"
        "\n"
        "Tensor b (after): tensor([0.1000], requires_grad=True)\n"
        "b.requires_grad (after): True\n"
    )


def test_05_integers_have_no_gradients(capsys: pytest.CaptureFixture[str]) -> None:
    try:
        integers = torch.tensor([1, 2], dtype=torch.int64, requires_grad=True)
        print(f"made: {integers.requires_grad}")
        result = integers * 2.0
        print(f"result: {result.requires_grad}")
    except RuntimeError as error:
        print(f"\nAn integer tensor refused: {error}")

    floats = torch.tensor([1.0, 2.0], requires_grad=True)
    print(f"\nA floating-point tensor made: {floats.requires_grad}")

    assert printed(capsys) == (
        "\nAn integer tensor refused: Only Tensors of floating point and complex dtype can require gradients\n"
        "\nA floating-point tensor made: True\n"
    )


def test_06_the_wish_spreads(capsys: pytest.CaptureFixture[str]) -> None:
    x = torch.tensor([1.0, 2.0])
    w = torch.tensor([0.5, -1.0], requires_grad=True)
    b = torch.tensor([0.1], requires_grad=True)

    print(f"x requires_grad: {x.requires_grad}")
    print(f"w requires_grad: {w.requires_grad}")
    print(f"b requires_grad: {b.requires_grad}")

    intermediate = w * x
    print(f"\nintermediate (w * x) requires_grad: {intermediate.requires_grad}")

    y = intermediate + b
    print(f"y requires_grad: {y.requires_grad}")

    assert printed(capsys) == (
        "x requires_grad: False\n"
        "w requires_grad: True\n"
        "b requires_grad: True\n"
        "\n"
        "intermediate (w * x) requires_grad: True\n"
        "y requires_grad: True\n"
    )


def test_07_what_made_a_tensor(capsys: pytest.CaptureFixture[str]) -> None:
    x = torch.tensor([1.0, 2.0])
    w = torch.tensor([0.5, -1.0], requires_grad=True)
    b = torch.tensor([0.1], requires_grad=True)
    intermediate = w * x
    y = intermediate + b

    print(f"\nx.grad_fn: {x.grad_fn}")
    print(f"w.grad_fn: {w.grad_fn}")
    print(f"b.grad_fn: {b.grad_fn}")
    print(f"intermediate.grad_fn: {intermediate.grad_fn}")
    print(f"y.grad_fn: {y.grad_fn}")

    assert re.fullmatch(
        r"\nx\.grad_fn: None\n"
        r"w\.grad_fn: None\n"
        r"b\.grad_fn: None\n"
        r"intermediate\.grad_fn: <MulBackward0 object at 0x[0-9a-f]+>\n"
        r"y\.grad_fn: <AddBackward0 object at 0x[0-9a-f]+>\n",
        printed(capsys),
    )


def test_08_backward(capsys: pytest.CaptureFixture[str]) -> None:
    x = torch.tensor(2.0, requires_grad=True)
    w = torch.tensor(3.0, requires_grad=True)
    b = torch.tensor(1.0, requires_grad=True)

    y = w * x + b
    loss = y * y

    print(f"Gradient for x before backward: {x.grad}")
    print(f"Gradient for w before backward: {w.grad}")
    print(f"Gradient for b before backward: {b.grad}")

    loss.backward()

    print(f"Gradient for x after backward: {x.grad}")
    print(f"Gradient for w after backward: {w.grad}")
    print(f"Gradient for b after backward: {b.grad}")

    assert printed(capsys) == (
        "Gradient for x before backward: None\n"
        "Gradient for w before backward: None\n"
        "Gradient for b before backward: None\n"
        "Gradient for x after backward: 42.0\n"
        "Gradient for w after backward: 28.0\n"
        "Gradient for b after backward: 14.0\n"
    )


def test_09_backward_from_several_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    x_vector = torch.tensor([2.0, 4.0], requires_grad=True)
    w = torch.tensor(3.0, requires_grad=True)
    b = torch.tensor(1.0, requires_grad=True)

    y_non_scalar = w * x_vector + b

    try:
        y_non_scalar.backward()
    except RuntimeError as error:
        print(f"Error calling backward() on non-scalar: {error}")

    grad_tensor = torch.ones_like(y_non_scalar)
    y_non_scalar.backward(gradient=grad_tensor)
    print(f"Gradient for x_vector after y_non_scalar.backward(gradient=...): {x_vector.grad}")
    print(f"Gradient for w after y_non_scalar.backward(gradient=...): {w.grad}")

    assert printed(capsys) == (
        "Error calling backward() on non-scalar: grad can be implicitly created only for scalar outputs\n"
        "Gradient for x_vector after y_non_scalar.backward(gradient=...): tensor([3., 3.])\n"
        "Gradient for w after y_non_scalar.backward(gradient=...): 6.0\n"
    )
