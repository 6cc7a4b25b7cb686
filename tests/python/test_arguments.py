"""How calls are read: PyTorch's texts for what does not fit, and the names and forms that do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import onetape as torch

x = torch.ones(2, 3)

WRONG: list[tuple[Callable[[], Any], str]] = [
    (lambda: x.mul("a"), "mul(): argument 'other' (position 1) must be Tensor, not str"),
    (lambda: torch.mul(x, "a"), "mul(): argument 'other' (position 2) must be Tensor, not str"),
    (lambda: torch.mul("a", x), "mul(): argument 'input' (position 1) must be Tensor, not str"),
    (lambda: torch.mul(None, x), "mul(): argument 'input' (position 1) must be Tensor, not NoneType"),
    (lambda: torch.mul(), 'mul() missing 2 required positional argument: "input", "other"'),
    (lambda: x.mul(), 'mul() missing 1 required positional arguments: "other"'),
    (lambda: x.mul(1, 2), "mul() takes 1 positional argument but 2 were given"),
    (lambda: x.mul(1, other=2), "mul() got multiple values for argument 'other'"),
    (lambda: x.mul(2, foo=1), "mul() got an unexpected keyword argument 'foo'"),
    (lambda: x.multiply("a"), "multiply(): argument 'other' (position 1) must be Tensor, not str"),
    (lambda: x.mul_("a"), "mul_(): argument 'other' (position 1) must be Tensor, not str"),
    (lambda: x.transpose(0), 'transpose() missing 1 required positional arguments: "dim1"'),
    (lambda: x.transpose(0, 1, 2), "transpose() takes 2 positional arguments but 3 were given"),
    (lambda: x.transpose(0, 1.5), "transpose(): argument 'dim1' (position 2) must be int, not float"),
    (
        lambda: x.view(1, "a"),
        "view(): argument 'size' failed to unpack the object at pos 2 with error "
        '"type must be tuple of ints,but got str"',
    ),
    (lambda: torch.zeros("a"), "zeros(): argument 'size' (position 1) must be tuple of ints, not str"),
    (lambda: torch.zeros(2, dtype=3), "zeros(): argument 'dtype' must be torch.dtype, not int"),
    (lambda: torch.zeros(2, device=3.5), "zeros(): argument 'device' must be torch.device, not float"),
    (lambda: torch.zeros(2, requires_grad="a"), "zeros(): argument 'requires_grad' must be bool, not str"),
    (lambda: torch.full((2,), "a"), "full(): argument 'fill_value' (position 2) must be Number, not str"),
    (lambda: torch.cat(x), "cat(): argument 'tensors' (position 1) must be tuple of Tensors, not Tensor"),
    (lambda: torch.cat([x, 1]), "expected Tensor as element 1 in argument 0, but got int"),
    (lambda: torch.cat([x, None]), "expected Tensor as element 1 in argument 0, but got NoneType"),
    (lambda: torch.cat([x], "a"), "cat(): argument 'dim' (position 2) must be int, not str"),
    (lambda: torch.neg(x, out=3), "neg(): argument 'out' must be Tensor, not int"),
    (lambda: x.add(1, alpha="a"), "add(): argument 'alpha' must be Number, not str"),
    (
        lambda: x.sum(dim=True),
        "sum() received an invalid combination of arguments - got (dim=bool, ), but expected one of:",
    ),
    (lambda: x.sum("a"), "sum() received an invalid combination of arguments - got (str), but expected one of:"),
    (lambda: x.mul(torch.float32), "mul(): argument 'other' (position 1) must be Tensor, not torch.dtype"),
]


@pytest.mark.parametrize(("call", "text"), WRONG, ids=[text[:40] for _, text in WRONG])
def test_wrong_calls(call: Callable[[], Any], text: str) -> None:
    with pytest.raises(TypeError) as raised:
        call()
    assert str(raised.value).splitlines()[0] == text


def test_all_signatures_are_named() -> None:
    with pytest.raises(TypeError) as raised:
        x.sum("a")
    assert str(raised.value).splitlines()[1:] == [
        " * (*, torch.dtype dtype = None)",
        " * (tuple of ints dim, bool keepdim = False, *, torch.dtype dtype = None)",
    ]


def test_names_of_numpy() -> None:
    expected = torch.sum(x, 1, True)
    assert torch.equal(torch.sum(input=x, axis=1, keepdims=True), expected)
    assert torch.equal(x.sum(axis=1, keepdims=True), expected)
    assert torch.equal(torch.sum(input=x, dim=1, keepdim=True), expected)


@pytest.mark.parametrize("size", [(2, 3), [2, 3], torch.Size([2, 3]), (torch.tensor(2), np.int64(3))])
def test_lists_of_ints(size: Any) -> None:
    for made in (torch.zeros(size), torch.zeros(*size), torch.zeros(size=size), torch.zeros(6).view(size)):
        assert made.shape == (2, 3)


def test_objects_with_index() -> None:
    class Two:
        def __index__(self) -> int:
            return 2

    assert torch.zeros(Two(), 3).shape == (2, 3)
    assert torch.ones(2, 3, 4).sum(Two()).shape == (2, 3)
    assert x.select(0, np.int32(1)).shape == (3,)


@pytest.mark.parametrize(
    ("number", "dtype"),
    [
        (2, torch.float32),
        (2.5, torch.float32),
        (True, torch.float32),
        (2j, torch.complex64),
        (np.float32(2.5), torch.float32),
        (np.float64(2.5), torch.float32),
        (np.int64(2), torch.float32),
        (np.bool_(True), torch.float32),
        (np.complex64(2j), torch.complex64),
        (torch.tensor(2.0, dtype=torch.float64), torch.float32),
    ],
)
def test_numbers_for_a_tensor(number: Any, dtype: torch.dtype) -> None:
    for result in (x.mul(number), torch.mul(x, number), x * number, number * x):
        assert isinstance(result, torch.Tensor)
        assert result.dtype is dtype
        assert result.tolist()[0][0] == complex(number)


@pytest.mark.parametrize("other", ["a", None, object(), [1], {1: 2}])
def test_foreign_operands(other: Any) -> None:
    for operate in (lambda: x + other, lambda: other - x, lambda: x // other, lambda: x < other, lambda: x @ other):
        with pytest.raises(TypeError):
            operate()
    assert (x == other) is False
    assert (x != other) is True


def test_text_of_foreign_operands() -> None:
    with pytest.raises(TypeError, match=r"unsupported operand type\(s\) for \+: 'Tensor' and 'str'"):
        x + "a"
    with pytest.raises(TypeError, match=r"'<' not supported between instances of 'Tensor' and 'str'"):
        _ = x < "a"


def test_reflected_operators() -> None:
    t = torch.tensor([1.0, 2.0, 4.0])
    assert (3 - t).tolist() == [2.0, 1.0, -1.0]
    assert (2 / t).tolist() == [2.0, 1.0, 0.5]
    assert (2**t).tolist() == [2.0, 4.0, 16.0]
    assert (5 // t).tolist() == [5.0, 2.0, 1.0]
    assert (5 % t).tolist() == [0.0, 1.0, 1.0]
    assert (6 & torch.tensor(3)).item() == 2


def test_nodes_of_reflected_operators() -> None:
    t = torch.tensor([1.0, 2.0], requires_grad=True)
    assert (3 - t).grad_fn.name() == "RsubBackward1"
    assert (3 / t).grad_fn.name() == "MulBackward0"
    assert (3**t).grad_fn.name() == "PowBackward2"


def test_pow_with_three_arguments() -> None:
    with pytest.raises(TypeError):
        pow(x, 2, 3)


def test_dtypes_of_python() -> None:
    assert torch.zeros(1, dtype=float).dtype is torch.float64
    assert torch.zeros(1, dtype=int).dtype is torch.int64
    assert torch.zeros(1, dtype=bool).dtype is torch.bool
    assert torch.zeros(1, dtype=complex).dtype is torch.complex128


def test_too_large_integers() -> None:
    with pytest.raises(OverflowError, match="^int too big to convert$"):
        x.mul(2**70)
    with pytest.raises(OverflowError, match="^can't convert negative int to unsigned$"):
        x - 2**70 * -1
    with pytest.raises(OverflowError, match="^int too big to convert$"):
        2**70 + x
    with pytest.raises(ValueError, match="^Overflow when unpacking long long$"):
        x.select(0, 2**70)
    for call, where in {
        lambda: torch.zeros(2**70): "zeros(): argument 'size' failed to unpack the object at pos 1",
        lambda: torch.ones((2, 2**70)): "ones(): argument 'size' failed to unpack the object at pos 2",
        lambda: x.view(2, 3, -(2**70)): "view(): argument 'size' failed to unpack the object at pos 3",
        lambda: x.sum((2**63,)): "sum(): argument 'dim' failed to unpack the object at pos 1",
    }.items():
        with pytest.raises(TypeError) as raised:
            call()
        assert str(raised.value) == where + ' with error "Overflow when unpacking long long"'


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda: torch.zeros([1.5]),
            "zeros(): argument 'size' (position 1) {}, but found element of type float at pos 0",
        ),
        (
            lambda: torch.ones(["a", 1]),
            "ones(): argument 'size' (position 1) {}, but found element of type str at pos 0",
        ),
        (
            lambda: x.reshape([None]),
            "reshape(): argument 'shape' (position 1) {}, but found element of type NoneType at pos 0",
        ),
        (lambda: x.flip((x, 1)), "flip(): argument 'dims' (position 1) {}, but found element of type Tensor at pos 0"),
        (lambda: torch.zeros((1, 1.5)), "zeros(): argument 'size' failed to unpack the object at pos 2 {}float\""),
        (lambda: x.view((1, 2, "a")), "view(): argument 'size' failed to unpack the object at pos 3 {}str\""),
        (lambda: x.sum((0, None)), "sum(): argument 'dim' failed to unpack the object at pos 2 {}NoneType\""),
        (lambda: x.repeat(1, "a"), "repeat(): argument 'repeats' failed to unpack the object at pos 2 {}str\""),
    ],
)
def test_lists_that_hold_something_else_than_ints(call: Callable[[], object], text: str) -> None:
    first = "must be tuple of ints" if "position" in text else 'with error "type must be tuple of ints,but got '
    with pytest.raises(TypeError) as raised:
        call()
    assert str(raised.value) == text.format(first)


def test_results_with_names() -> None:
    result = torch.max(x, 1)
    assert type(result).__name__ == "max"
    assert repr(result) == "torch.return_types.max(\nvalues=tensor([1., 1.]),\nindices=tensor([0, 0]))"
    values, indices = result
    assert values is result.values and indices is result[1]


def test_an_operand_that_raises() -> None:
    class Bad:
        def __index__(self) -> int:
            raise KeyError("no index")

    with pytest.raises(KeyError, match="no index"):
        torch.zeros(Bad())


def test_what_seeds_a_generator() -> None:
    for wrong in ("a", 1.5, None):
        with pytest.raises(RuntimeError, match=f"^manual_seed expected a long, but got {type(wrong).__name__}$"):
            torch.Generator().manual_seed(wrong)


def test_what_backward_starts_from() -> None:
    leaf = torch.ones((), requires_grad=True)
    for wrong in ("a", 2.0, [1.0]):
        with pytest.raises(
            TypeError, match=f"^gradients can be either Tensors or None, but got {type(wrong).__name__}$"
        ):
            (leaf * 2).backward(wrong)
    assert leaf.grad is None


@pytest.mark.parametrize("loss", [torch.nn.functional.cross_entropy, torch.nn.functional.nll_loss])
def test_dtypes_of_class_labels(loss: Callable[..., torch.Tensor]) -> None:
    scores = torch.tensor([[1.0, 2.0, 4.0], [3.0, 1.0, 2.0]], requires_grad=True)
    labels = torch.tensor([2, 0])
    exact = loss(scores, labels)
    of_bytes = loss(scores, labels.to(torch.uint8))
    assert torch.equal(exact, of_bytes)
    assert torch.equal(torch.autograd.grad(exact, scores)[0], torch.autograd.grad(of_bytes, scores)[0])
    for dtype, name in {torch.int32: "Int", torch.float32: "Float", torch.bool: "Bool"}.items():
        with pytest.raises(RuntimeError, match=f"^expected target dtype to be Long or Byte, but got {name}$"):
            loss(scores, labels.to(dtype))
    with pytest.raises(ValueError, match=r"^Expected input batch_size \(2\) to match target batch_size \(3\).$"):
        loss(scores, torch.ones(3))


def test_where_a_strided_view_ends() -> None:
    t = torch.arange(6.0)
    with pytest.raises(RuntimeError) as raised:
        t.as_strided((10, 10), (1, 1))
    assert str(raised.value) == (
        "setStorage: sizes [10, 10], strides [1, 1], storage offset 0, and itemsize 4 requiring a storage size of 76 "
        "are out of bounds for storage of size 24"
    )
    with pytest.raises(RuntimeError, match="^Tensor: invalid storage offset -1$"):
        t.as_strided((2,), (1,), -1)


def test_strides_of_new_dimensions() -> None:
    t = torch.ones(2, 3)
    assert t.expand(1, 2, 3).stride() == (6, 3, 1)
    assert t.expand(4, 1, 2, 3).stride() == (0, 6, 3, 1)
    assert t[0].expand(1, 1, 3).stride() == (3, 3, 1)
    assert t[:1].expand(5, 1, 3).stride() == (0, 3, 1)
    assert torch.ones(()).expand(1, 1).stride() == (0, 0)


def test_zeros_of_a_negative_size() -> None:
    with pytest.raises(RuntimeError, match="^zeros: Dimension size must be non-negative.$"):
        torch.zeros(2, -1)
    with pytest.raises(RuntimeError, match="^Trying to create tensor with negative dimension -1"):
        torch.ones(2, -1)
