"""Custom functions written in Python."""

from __future__ import annotations

from typing import Any

import pytest

import onetape as torch
from onetape.autograd import Function, gradcheck, gradgradcheck
from onetape.autograd.function import once_differentiable


class Cube(Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        (x,) = ctx.saved_tensors
        return grad * 3 * x * x


class Affine(Function):
    """Two outputs, arguments that are no tensors, and an optional one."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, factor: float, bias: Any = None) -> tuple[torch.Tensor, torch.Tensor]:
        ctx.factor = factor
        ctx.has_bias = bias is not None
        seen.append(ctx.needs_input_grad)
        return x * factor, x if bias is None else x + bias

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> tuple[Any, ...]:
        first, second = grads
        return first * ctx.factor + second, None, second if ctx.has_bias else None


seen: list[tuple[bool, ...]] = []


def leaf(*shape: int) -> torch.Tensor:
    return (
        torch.linspace(0.5, 1.5, max(1, torch.Size(shape).numel()), dtype=torch.float64).reshape(shape).requires_grad_()
    )


def test_value_and_gradient() -> None:
    x = leaf(3)
    y = Cube.apply(x)
    assert y.grad_fn.name() == "CubeBackward" and type(y.grad_fn).__name__ == "CubeBackward"
    assert repr(y.grad_fn).startswith("<torch.autograd.function.CubeBackward object at 0x")
    y.sum().backward()
    assert x.grad is not None and torch.allclose(x.grad, 3 * x.detach() ** 2)


def test_gradcheck() -> None:
    assert gradcheck(Cube.apply, (leaf(3),))
    assert gradgradcheck(Cube.apply, (leaf(3),))
    assert gradcheck(lambda x, b: Affine.apply(x, 2.5, b), (leaf(2, 2), leaf(2, 2)))


def test_other_arguments() -> None:
    seen.clear()
    x = leaf(2)
    first, second = Affine.apply(x, 2.0)
    assert seen == [(True, False)]
    assert first.grad_fn is second.grad_fn
    assert first.grad_fn.next_functions[0][0].name() == "AccumulateGrad" and len(first.grad_fn.next_functions) == 1
    first.sum().backward()
    assert x.grad is not None and x.grad.tolist() == [2.0, 2.0]


def test_unused_output_gives_zeros_or_none() -> None:
    class Two(Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor, materialize: bool) -> tuple[torch.Tensor, torch.Tensor]:
            ctx.set_materialize_grads(materialize)
            return x * 2, x * 3

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> tuple[Any, None]:
            got.append(grads[1])
            return grads[0] * 2, None

    got: list[Any] = []
    x = leaf(2)
    Two.apply(x, True)[0].sum().backward()
    Two.apply(x, False)[0].sum().backward()
    assert got[0].tolist() == [0.0, 0.0] and got[1] is None


def test_no_grad_mode_and_plain_inputs() -> None:
    x = leaf(2)
    with torch.no_grad():
        assert not Cube.apply(x).requires_grad
    assert not Cube.apply(x.detach()).requires_grad


def test_setup_context() -> None:
    class Square(Function):
        @staticmethod
        def forward(x: torch.Tensor) -> torch.Tensor:
            return x * x

        @staticmethod
        def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            return grad * 2 * ctx.saved_tensors[0]

    assert gradcheck(Square.apply, (leaf(3),))


def test_saved_output() -> None:
    class Exp(Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            result = x.exp()
            ctx.save_for_backward(result)
            return result

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            return grad * ctx.saved_tensors[0]

    assert gradcheck(Exp.apply, (leaf(3),)) and gradgradcheck(Exp.apply, (leaf(3),))


def test_saved_tensor_changed_in_place() -> None:
    x = leaf(2)
    y = x * 1
    z = Cube.apply(y)
    y.add_(1)
    with pytest.raises(RuntimeError, match="one of the variables needed for gradient computation has been modified"):
        z.sum().backward()


def test_second_backward() -> None:
    y = Cube.apply(leaf(2)).sum()
    y.backward()
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        y.backward()


def test_mark_dirty() -> None:
    class Double(Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            ctx.mark_dirty(x)
            return x.mul_(2)

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            return grad * 2

    x = leaf(2)
    y = x * 1
    version = y._version
    result = Double.apply(y)
    assert result is y and y._version > version and y.grad_fn.name() == "DoubleBackward"
    y.sum().backward()
    assert x.grad is not None and x.grad.tolist() == [2.0, 2.0]
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        Double.apply(leaf(2))
    base = leaf(4)
    copy = base * 1
    Double.apply(copy[1:3])
    copy.sum().backward()
    assert base.grad is not None and base.grad.tolist() == [1.0, 2.0, 2.0, 1.0]


def test_dirty_tensor_must_be_returned() -> None:
    class Bad(Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            ctx.mark_dirty(x)
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            return grad

    with pytest.raises(RuntimeError, match="Some elements marked as dirty during the forward method were not returned"):
        Bad.apply(leaf(2) * 1)


def test_mark_non_differentiable() -> None:
    class Sort(Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            index = torch.arange(x.numel())
            other = x * 2
            ctx.mark_non_differentiable(index, other)
            return x * 3, other

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor, unused: torch.Tensor) -> torch.Tensor:
            return grad * 3

    first, second = Sort.apply(leaf(2))
    assert first.requires_grad and not second.requires_grad


def test_input_returned_as_it_is() -> None:
    class Same(Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            return x

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            return grad * 5

    x = leaf(2)
    y = Same.apply(x)
    assert y is not x and y.data_ptr() == x.data_ptr() and x.is_leaf
    y.sum().backward()
    assert x.grad is not None and x.grad.tolist() == [5.0, 5.0]


def wrong(result: Any, outputs: int = 1) -> Any:
    class Wrong(Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor, y: Any) -> torch.Tensor:
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> Any:
            return result

    return Wrong


@pytest.mark.parametrize(
    ("result", "error", "text"),
    [
        (
            torch.ones(2, dtype=torch.float64),
            RuntimeError,
            "function WrongBackward returned an incorrect number of gradients (expected 2, got 1)",
        ),
        ((None,) * 3, None, ""),
        (
            (torch.ones(2), torch.ones(2)),
            RuntimeError,
            "function WrongBackward returned a gradient different than None at position 2, but the corresponding "
            "forward input was not a Variable",
        ),
        ((3, None), RuntimeError, "expected Variable or None (got int)"),
        (
            (torch.ones(3), None),
            RuntimeError,
            "Function WrongBackward returned an invalid gradient at index 0 - got [3] but expected shape "
            "compatible with [2]",
        ),
        ((torch.ones(4, 2), None), None, ""),
    ],
)
def test_wrong_gradients(result: Any, error: type[Exception] | None, text: str) -> None:
    y = wrong(result).apply(leaf(2), 7).sum()
    if error is None:
        y.backward()
        return
    with pytest.raises(error) as raised:
        y.backward()
    assert str(raised.value) == text


def test_exceptions_come_out_as_they_are() -> None:
    class MyError(Exception):
        pass

    class Fails(Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            raise error

    error = MyError("from backward")
    with pytest.raises(MyError) as raised:
        Fails.apply(leaf(2)).sum().backward()
    assert raised.value is error
    assert any(entry.name == "backward" for entry in raised.traceback)


def test_missing_parts() -> None:
    class Nothing(Function):
        pass

    class OnlyForward(Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            return x * 2

    with pytest.raises(
        NotImplementedError, match="You must implement the forward function for custom autograd.Function."
    ):
        Nothing.apply(leaf(1))
    with pytest.raises(NotImplementedError, match="You must implement either the backward or vjp method"):
        OnlyForward.apply(leaf(1)).sum().backward()
    with pytest.warns(DeprecationWarning, match="should not be instantiated"):
        Cube()
    with pytest.raises(TypeError, match="save_for_backward can only save variables, but argument 0 is of type int"):

        class Saves(Function):
            @staticmethod
            def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
                ctx.save_for_backward(3)
                return x * 2

        Saves.apply(leaf(1))


def test_once_differentiable() -> None:
    class Once(Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        @once_differentiable
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            return 2 * ctx.saved_tensors[0] * grad

    x = leaf(2)
    assert gradcheck(Once.apply, (x,))
    (grad,) = torch.autograd.grad((Once.apply(x) ** 2).sum(), x, create_graph=True)
    with pytest.raises(
        RuntimeError, match="trying to differentiate twice a function that was marked with @once_differentiable"
    ):
        grad.sum().backward()


def test_grad_mode_inside() -> None:
    modes: list[bool] = []

    class Modes(Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            modes.append(torch.is_grad_enabled())
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            modes.append(torch.is_grad_enabled())
            return grad * 2

    x = leaf(1)
    Modes.apply(x).sum().backward()
    torch.autograd.grad(Modes.apply(x).sum(), x, create_graph=True)
    assert modes == [False, False, False, True]


def test_context_after_its_node() -> None:
    y = Cube.apply(leaf(2))
    ctx = y.grad_fn
    assert len(ctx.next_functions) == 1
    del y
    with pytest.raises(RuntimeError, match="has a node of the graph only"):
        ctx.next_functions  # noqa: B018
