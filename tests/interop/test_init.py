"""Java's first values and vectors of parameters are Python's to the bit, which test_nn.py compares with PyTorch's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import onetape as torch
from onetape import jvm, nn

CALLS: dict[str, tuple[tuple[int, ...], tuple[Any, ...]]] = {
    "eye_": ((3, 4), ()),
    "dirac_": ((4, 3, 3), ()),
    "dirac_ in groups": ((6, 2, 3, 3), (3,)),
    "sparse_": ((7, 4), (0.3,)),
    "sparse_ wide": ((5, 3), (0.5, 2.0)),
    "orthogonal_": ((5, 3), ()),
    "orthogonal_ flat": ((3, 2, 4), (0.5,)),
    "trunc_normal_": ((4, 5), ()),
    "trunc_normal_ far": ((4, 5), (0.0, 1.0, 1.5, 2.5)),
    "kaiming_uniform_": ((4, 3, 2), (0.2, "fan_out", "leaky_relu")),
    "kaiming_normal_": ((4, 3), (0.0, "fan_in", "tanh")),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_same_first_values(call: str, dtype: torch.dtype) -> None:
    shape, args = CALLS[call]
    name = call.split()[0]
    results = []
    for function in (getattr(nn.init, name), in_java(name)):
        torch.manual_seed(5)
        tensor = torch.full(shape, 9.0, dtype=dtype, requires_grad=True)
        function(tensor, *args)
        results.append(tensor.detach())
    assert torch.equal(*results)
    assert results[0].ne(9).all()


def in_java(name: str) -> Callable[..., Any]:
    function = getattr(jvm.java_class("org.onetape.global.torch"), name)
    return lambda tensor, *args: function(jvm.to_java(tensor), *args)


WORDS = ["linear", "conv2d", "sigmoid", "tanh", "relu", "selu", "leaky_relu"]


@pytest.mark.parametrize("word", WORDS)
def test_the_same_gains(word: str) -> None:
    gain = jvm.java_class("org.onetape.global.torch").calculate_gain
    assert gain(word) == nn.init.calculate_gain(word)
    assert gain(word, 0.3) == nn.init.calculate_gain(word, 0.3)


@pytest.mark.parametrize(
    ("name", "shape", "args", "text"),
    [
        ("eye_", (2,), (), "Only tensors with 2 dimensions are supported"),
        ("dirac_", (2, 2), (), "Only tensors with 3, 4, or 5 dimensions are supported"),
        ("dirac_", (3, 2, 2), (2,), "dim 0 must be divisible by groups"),
        ("sparse_", (2,), (0.5,), "Only tensors with 2 dimensions are supported"),
        ("orthogonal_", (2,), (), "Only tensors with 2 or more dimensions are supported"),
        ("kaiming_normal_", (2, 2), (0.0, "fan_in", "sine"), "Unsupported nonlinearity sine"),
        ("kaiming_normal_", (2, 2), (0.0, "fan_on", "relu"), "Mode fan_on not supported"),
    ],
)
def test_the_same_refusals(name: str, shape: tuple[int, ...], args: tuple[Any, ...], text: str) -> None:
    before = torch.ones(shape)
    for function in (getattr(nn.init, name), in_java(name)):
        with pytest.raises(Exception, match=text):
            function(before, *args)
    assert before.eq(1).all()


def test_parameters_as_one_vector() -> None:
    java = jvm.java_class("org.onetape.global.torch")
    vector_class = jvm.java_class("org.onetape.TensorVector")
    parameters = [torch.arange(6.0).reshape(2, 3).requires_grad_(), torch.arange(6.0, 10.0).requires_grad_()]
    together = vector_class(*[jvm.to_java(one) for one in parameters])
    vector = jvm.from_java(java.parameters_to_vector(together))
    assert vector.tolist() == list(range(10))
    vector.square().sum().backward()
    assert parameters[1].grad.tolist() == [12, 14, 16, 18]
    java.vector_to_parameters(jvm.to_java(torch.arange(10.0) * 2), together)
    assert parameters[0].tolist() == [[0, 2, 4], [6, 8, 10]]
    assert parameters[1].tolist() == [12, 14, 16, 18]
    with pytest.raises(Exception, match="exceeds dimension size"):
        java.vector_to_parameters(jvm.to_java(torch.ones(7)), together)
