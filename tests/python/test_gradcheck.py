"""gradcheck and gradgradcheck: what they find, and what they say."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

import onetape as torch
from onetape.autograd import Function, gradcheck, gradgradcheck
from onetape.autograd.gradcheck import GradcheckError


def point(*values: complex, **options: Any) -> torch.Tensor:
    dtype = torch.complex128 if any(isinstance(v, complex) for v in values) else torch.float64
    return torch.tensor(values, dtype=dtype, requires_grad=True, **options)


class Wrong(Function):
    """Squares; its gradient is off by a factor, and so is its tangent."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        ctx.save_for_forward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, g: torch.Tensor) -> torch.Tensor:
        (x,) = ctx.saved_tensors
        return 3 * x * g

    @staticmethod
    def jvp(ctx: Any, t: torch.Tensor) -> torch.Tensor:
        (x,) = ctx.saved_tensors
        return 4 * x * t


class WrongTwice(Function):
    """Squares, with a right gradient whose own gradient is wrong."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, g: torch.Tensor) -> torch.Tensor:
        (x,) = ctx.saved_tensors
        return 2 * x.detach() * g


GOOD: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "one": (torch.sin, (point(0.5, 2.0),)),
    "0-dim": (torch.exp, (torch.tensor(0.3, dtype=torch.float64, requires_grad=True),)),
    "several": (lambda x, y: (x * y.exp(), y.sum()), (point(0.5, 2.0), point(1.0, -1.0))),
    "plain input": (lambda x, y, n: x * y**n, (point(0.5, 2.0), torch.ones(2, dtype=torch.float64), 3)),
    "plain output": (lambda x: (x.sin(), x.detach() > 0, x.argmax()), (point(0.5, 2.0),)),
    "complex": (lambda z: z * z, (point(1 + 2j, 0.5 - 1j),)),
    "complex to real": (lambda z: z.abs(), (point(1 + 2j, 0.5 - 1j),)),
    "real to complex": (lambda x: x * (1 + 2j), (point(1.0, 2.0),)),
    "complex and real": (lambda z, x: (z * x, (z * z.conj()).abs() * x), (point(1 + 2j, 3j), point(1.0, 2.0))),
    "strided": (lambda x: x.t() @ x, (torch.rand(2, 3, dtype=torch.float64).t().requires_grad_(),)),
    "empty": (lambda x: x * 2, (torch.zeros(0, 2, dtype=torch.float64, requires_grad=True),)),
    "list": (lambda x: [x.tanh(), x], (point(0.5, 2.0),)),
}
MODES: list[dict[str, Any]] = [
    {},
    {"fast_mode": True},
    {"check_forward_ad": True},
    {"check_forward_ad": True, "fast_mode": True},
    {"check_forward_ad": True, "check_backward_ad": False},
    {"check_batched_grad": True, "check_grad_dtypes": True, "masked": True},
]


@pytest.mark.parametrize("mode", MODES, ids=str)
@pytest.mark.parametrize("name", GOOD)
def test_good(name: str, mode: dict[str, Any]) -> None:
    function, inputs = GOOD[name]
    before = [x.tolist() for x in inputs if isinstance(x, torch.Tensor)]
    assert gradcheck(function, inputs, **mode) is True
    assert [x.tolist() for x in inputs if isinstance(x, torch.Tensor)] == before
    assert all(x.grad is None for x in inputs if isinstance(x, torch.Tensor))


SECOND: list[dict[str, Any]] = [
    {},
    {"fast_mode": True},
    {"check_fwd_over_rev": True},
    {"check_fwd_over_rev": True, "check_rev_over_rev": False, "check_undefined_grad": False},
    {"gen_non_contig_grad_outputs": True},
]


@pytest.mark.parametrize("mode", SECOND, ids=str)
@pytest.mark.parametrize("name", ["one", "0-dim", "several", "complex", "complex to real", "strided"])
def test_good_twice(name: str, mode: dict[str, Any]) -> None:
    function, inputs = GOOD[name]
    assert gradgradcheck(function, inputs, **mode) is True


def test_one_tensor_instead_of_a_tuple() -> None:
    assert gradcheck(torch.sin, point(1.0))
    assert gradgradcheck(torch.sin, point(1.0), point(2.0))


def numbers(text: str) -> list[float]:
    return [float(x) for x in re.findall(r"-?\d+\.\d*", text)]


def test_mismatch() -> None:
    x = point(1.0, 2.0)
    with pytest.raises(GradcheckError) as info:
        gradcheck(lambda a, b: (a, Wrong.apply(b)), (point(5.0), x))
    head, numerical, *_ = str(info.value).split("\n")
    assert head == "Jacobian mismatch for output 1 with respect to input 1,"
    assert numerical.startswith("numerical:tensor([[")
    table, other = str(info.value).split("analytical:")
    assert numbers(table) == pytest.approx([2.0, 0.0, 0.0, 4.0], abs=1e-3)
    assert numbers(other) == pytest.approx([3.0, 0.0, 0.0, 6.0], abs=1e-3)
    assert gradcheck(Wrong.apply, (x,), raise_exception=False) is False
    assert gradcheck(Wrong.apply, (x,), rtol=1.0) is True, "within a wide tolerance"


def test_mismatch_in_forward_mode() -> None:
    with pytest.raises(
        GradcheckError, match="^Jacobian computed with forward mode mismatch for output 0 with respect to input 0,\n"
    ):
        gradcheck(Wrong.apply, (point(1.0, 2.0),), check_forward_ad=True, check_backward_ad=False)


def test_mismatch_along_one_direction() -> None:
    with pytest.raises(GradcheckError) as info:
        gradcheck(Wrong.apply, (point(1.0, 2.0),), fast_mode=True)
    text = str(info.value)
    assert text.startswith("Jacobian mismatch for output 0 with respect to input 0,\nnumerical:")
    assert "in fast mode" in text
    most = re.search(r"The max per-element difference \(slow mode\) is: ([\d.]+)", text)
    assert most is not None
    assert float(most[1].rstrip(".")) == pytest.approx(2.0, abs=1e-3)


def test_mismatch_of_complex_numbers() -> None:
    with pytest.raises(
        GradcheckError, match="^While considering the imaginary part of complex outputs only, Jacobian "
    ):
        gradcheck(lambda z: Wrong.apply(z), (point(1 + 2j),))
    with pytest.raises(GradcheckError, match="^While considering the imaginary part of complex inputs only, Jacobian "):
        gradcheck(Wrong.apply, (point(1 + 2j),), check_forward_ad=True, check_backward_ad=False)


def test_wrong_second_derivative() -> None:
    x = point(1.0, 2.0)
    assert gradcheck(WrongTwice.apply, (x,))
    with pytest.raises(GradcheckError, match="^Jacobian mismatch for output 0 with respect to input 0,"):
        gradgradcheck(WrongTwice.apply, (x,))


def test_backward_that_changes() -> None:
    class Restless(Function):
        factor = 2.0

        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: torch.Tensor) -> torch.Tensor:
            Restless.factor += 1e-7
            return g * Restless.factor

    with pytest.raises(GradcheckError, match=r"^Backward is not reentrant, .*tolerance for nondeterminism was 0\.0\."):
        gradcheck(Restless.apply, (point(1.0),))
    assert gradcheck(Restless.apply, (point(1.0),), nondet_tol=1e-5)


def test_gradient_that_is_not_linear() -> None:
    class Shifted(Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: torch.Tensor) -> torch.Tensor:
            return g * 2 + (g == 0) * 1.0

    with pytest.raises(GradcheckError, match="^backward not multiplied by grad_output$"):
        gradcheck(Shifted.apply, (point(1.0),))


def test_undefined_gradients() -> None:
    class Demanding(Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            ctx.set_materialize_grads(False)
            return x * 2, x * 3

        @staticmethod
        def backward(ctx: Any, a: torch.Tensor | None, b: torch.Tensor | None) -> torch.Tensor:
            if a is None or b is None:
                raise RuntimeError("a gradient is missing")
            return a * 2 + b * 3

    def both(x: torch.Tensor) -> torch.Tensor:
        a, b = Demanding.apply(x)
        return a * b

    assert gradcheck(both, (point(1.0),))
    with pytest.raises(RuntimeError, match="^a gradient is missing$"):
        gradcheck(Demanding.apply, (point(1.0),))


@pytest.mark.parametrize("mode", [{}, {"fast_mode": True}], ids=str)
def test_changes_without_gradient(mode: dict[str, Any]) -> None:
    with pytest.raises(GradcheckError, match="^Numerical gradient for function expected to be zero$"):
        gradcheck(lambda x: x.detach() * 2, (point(1.0),), **mode)
    assert gradcheck(lambda x: x.detach().floor(), (point(1.5),), **mode)


def test_inputs() -> None:
    with pytest.raises(ValueError, match="none of them have requires_grad=True"):
        gradcheck(torch.sin, (torch.ones(2, dtype=torch.float64),))
    with pytest.raises(RuntimeError, match="^The 0th input has a dimension with stride 0"):
        gradcheck(torch.sin, (torch.ones(1, dtype=torch.float64).expand(3).requires_grad_(),))
    with pytest.warns(UserWarning, match="^Input #0 requires gradient and is not a double precision"):
        gradcheck(lambda x: x * 2, (torch.ones(2, requires_grad=True),), atol=0.1)


def test_other_outputs_when_moved() -> None:
    with pytest.raises(
        AssertionError, match=r"outputs with the same shape when inputs are perturbed on index \(0,\) by"
    ):
        gradcheck(lambda x: x if x[0] <= 1 else x.repeat(2), (point(1.0),))
    with pytest.raises(AssertionError, match="outputs with the same dtype when inputs are perturbed"):
        gradcheck(lambda x: x if x[0] <= 1 else x.to(torch.float32), (point(1.0),))


def test_options() -> None:
    x = (point(1.0),)
    for options, text in (
        ({"check_backward_ad": False}, "Expected at least one of check_forward_ad or check_backward_ad to be True"),
        (
            {"check_batched_grad": True, "check_backward_ad": False, "check_forward_ad": True},
            "Setting check_batched_grad=True requires check_backward_ad to be True",
        ),
        (
            {"check_batched_forward_grad": True},
            "Setting check_batched_forward_grad=True requires check_forward_ad to be True",
        ),
    ):
        with pytest.raises(AssertionError, match=f"^{text}$"):
            gradcheck(torch.sin, x, **options)  # type: ignore[arg-type]
    with pytest.raises(NotImplementedError, match="check_batched_forward_grad"):
        gradcheck(torch.sin, x, check_batched_forward_grad=True, check_forward_ad=True)
    with pytest.raises(AssertionError, match="^Expected at least one of check_fwd_over_rev or check_rev_over_rev"):
        gradgradcheck(torch.sin, x, check_rev_over_rev=False)
    with pytest.raises(AssertionError, match="^Setting check_undefined_grad=True requires check_rev_over_rev"):
        gradgradcheck(torch.sin, x, check_rev_over_rev=False, check_fwd_over_rev=True)


def test_errors_of_the_function_come_out() -> None:
    def fails(x: torch.Tensor) -> torch.Tensor:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        gradcheck(fails, (point(1.0),), raise_exception=False)
