"""Comparing gradients with finite differences."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import onetape._C as _C
from onetape._C import Tensor
from onetape.autograd import _jacobians as jacobians
from onetape.autograd._comparison import Comparison, recorded
from onetape.autograd._engine import grad
from onetape.autograd._jacobians import GradcheckError, as_tuple, is_differentiable, wanted
from onetape.autograd.function import Function

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]


class _NoGradient(Function):
    """The identity, through which no gradient comes back."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> None:
        return None


def _of_parts(function: Callable[..., Any], part: Callable[[Tensor], Tensor]) -> Callable[..., Any]:
    """The function with a part of its complex results."""

    def parts(*inputs: Any) -> tuple[Any, ...]:
        return tuple(part(y) if isinstance(y, Tensor) and y.is_complex() else y for y in as_tuple(function(*inputs)))

    return parts


def _for_parts(function: Callable[..., Any], inputs: tuple[Any, ...], imaginary: bool) -> Callable[..., Any]:
    """The function of a part of its complex inputs, the other part staying as it is."""
    others = {
        i: (jacobians.real(x) if imaginary else jacobians.imag(x) * 1j).detach()
        for i, x in enumerate(inputs)
        if isinstance(x, Tensor) and x.is_complex()
    }

    def parts(*given: Any) -> Any:
        return function(*((x * 1j if imaginary else x) + others[i] if i in others else x for i, x in enumerate(given)))

    return parts


def _check_backward(check: Comparison, outputs: list[Tensor]) -> None:
    places = tuple(k for k, y in enumerate(outputs) if y.is_complex())
    if not places:
        check.run()
        return
    function = check.function
    for name, part in (("imaginary", jacobians.imag), ("real", jacobians.real)):
        check.function, check.part, check.complex_places = _of_parts(function, part), name, places
        check.run()


def _check_forward(check: Comparison, check_undefined: bool) -> None:
    function, inputs = check.function, check.inputs
    check.forward = True
    places = tuple(i for i, x in enumerate(inputs) if isinstance(x, Tensor) and x.is_complex())
    for name, part in (("imaginary", jacobians.imag), ("real", jacobians.real)) if places else (("", None),):
        if part is not None:
            check.function = _for_parts(function, inputs, name == "imaginary")
            check.inputs = tuple(
                part(x).detach().requires_grad_(x.requires_grad) if i in places else x for i, x in enumerate(inputs)
            )
            check.part, check.complex_places = name, places
        check.run()
        if check_undefined:
            _check_undefined_tangents(check.function, check.inputs)


def _check_undefined_tangents(function: Callable[..., Any], inputs: tuple[Any, ...]) -> None:
    """An input without a tangent counts as one whose tangent is zero."""
    from onetape.autograd import forward_ad

    def tangents(without: int, zero: bool) -> list[Tensor | None]:
        with forward_ad.dual_level():
            arguments = list(inputs)
            for i, x in wanted(inputs):
                tangent = _C.zeros_like(x) if i == without else _C.ones_like(x)
                arguments[i] = forward_ad.make_dual(x.detach(), tangent) if i != without or zero else x.detach()
            outputs = filter(is_differentiable, as_tuple(function(*arguments)))
            return [forward_ad.unpack_dual(y).tangent for y in outputs]

    for i, x in wanted(inputs):
        for k, (a, b) in enumerate(zip(tangents(i, True), tangents(i, False), strict=True)):
            if a is not None and b is not None and not _C.allclose(a, b):
                raise GradcheckError(
                    f"Mismatch in tangent values for output with index: {k} when input: {x} has an undefined tangent "
                    f"value.  Got: {a} but expected: {b}"
                )


def _check_inputs(inputs: tuple[Any, ...]) -> None:
    for index, x in wanted(inputs):
        if x.dtype not in (_C.float64, _C.complex128):
            warnings.warn(
                f"Input #{index} requires gradient and is not a double precision floating point or complex. This check "
                "will likely fail if all the inputs are not of double precision floating point or complex. ",
                stacklevel=3,
            )
        if not all(stride > 0 or size <= 1 for stride, size in zip(x.stride(), x.size(), strict=True)):
            raise RuntimeError(
                f"The {index}th input has a dimension with stride 0. gradcheck only supports inputs that are "
                "non-overlapping to be able to compute the numerical gradients correctly. You should call .contiguous "
                "on the input before passing it to gradcheck."
            )
    if not wanted(inputs):
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True."
        )


def _check_batched(inputs: tuple[Any, ...], outputs: list[Tensor]) -> None:
    """Gradients of a batch are those of its rows."""
    leaves = [x for _, x in wanted(inputs)]
    for k, y in enumerate(outputs):
        seeds = [_C.randn_like(y) for _ in range(2)]
        rows = [grad(y, leaves, seed, retain_graph=True, materialize_grads=True) for seed in seeds]
        expected = [_C.stack(column) for column in zip(*rows, strict=True)]
        batch = grad(y, leaves, _C.stack(seeds), retain_graph=True, allow_unused=True, is_grads_batched=True)
        for i, (got, want) in enumerate(zip(batch, expected, strict=True)):
            if got is not None and not _C.allclose(got, want):
                raise GradcheckError(f"For output {k} and input {i}:\n\nGot:\n{got}\n\nExpected:\n{want}\n")


def _check_zero_gradients(inputs: tuple[Any, ...], outputs: list[Tensor], masked: bool | None) -> None:
    """Where the gradients of the outputs are zero, so are those of the inputs."""
    leaves = [x for _, x in wanted(inputs)]
    zeros = [_C.zeros_like(y) for y in outputs]
    grads: tuple[Tensor | None, ...] = grad(outputs, leaves, zeros, retain_graph=True, allow_unused=True)
    for g, x in zip(grads, leaves, strict=True):
        if g is None:
            continue
        fine = _C.allclose(g, _C.zeros_like(g)) if masked else bool((g == 0).all().item())
        if not fine:
            raise GradcheckError("backward not multiplied by grad_output")
        if g.dtype != x.dtype:
            raise GradcheckError("grad is incorrect type")
        if g.size() != x.size():
            raise GradcheckError("grad is incorrect size")


def _check_undefined(function: Callable[..., Any], inputs: tuple[Any, ...]) -> None:
    """An output without a gradient counts as one whose gradient is zero."""
    count = len(recorded(function(*inputs)))
    choices = [set(range(count))] + [{k} for k in range(count) if count > 1]
    for without in choices:
        outputs = [_NoGradient.apply(y) if k in without else y for k, y in enumerate(recorded(function(*inputs)))]
        zeros = [_C.zeros_like(y) for y in outputs]
        try:
            grads = grad(outputs, [x for _, x in wanted(inputs)], zeros, allow_unused=True)
        except RuntimeError as error:
            raise GradcheckError(
                "Expected backward function to handle undefined output grads. Please look at "
                '"Notes about undefined output gradients" in "tools/autograd/derivatives.yaml"'
            ) from error
        if any(g is not None and bool((g != 0).any().item()) for g in grads):
            raise GradcheckError(
                "Expected all input grads to be undefined or zero when all output grads are undefined or zero. Please "
                'look at "Notes about undefined output gradients" in "tools/autograd/derivatives.yaml"'
            )


def gradcheck(
    func: Callable[..., Any],
    inputs: Tensor | Sequence[Any],
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Whether the gradients of func are those that small changes of its inputs give; meant for float64 and complex128.

    Inputs that require a gradient are moved by eps either way, element by element; a gradient a agrees with a
    difference n if abs(a - n) <= atol + rtol * abs(n). Of complex outputs both parts are checked.

    raise_exception: GradcheckError instead of False; it tells which output, which input, and both Jacobians.
    nondet_tol: how far apart two backward passes may be.
    check_undefined_grad: outputs without a gradient must count as zero.
    check_grad_dtypes: gradients must have the inputs' dtypes.
    check_batched_grad: grad(is_grads_batched=True) must give the rows' gradients.
    check_batched_forward_grad: refused, since there are no batches of tangents.
    check_forward_ad, check_backward_ad: what is checked: tangents in forward mode, gradients by backward.
    fast_mode: only along one random direction of each input and each output.
    masked: with tolerance where gradients are to be zero; there are no sparse tensors that it could concern else.

    Raises ValueError if no input requires a gradient, RuntimeError for inputs that overlap in memory, AssertionError
    for options that do not go together.
    """
    if not (check_forward_ad or check_backward_ad):
        raise AssertionError("Expected at least one of check_forward_ad or check_backward_ad to be True")
    if check_batched_grad and not check_backward_ad:
        raise AssertionError("Setting check_batched_grad=True requires check_backward_ad to be True")
    if check_batched_forward_grad and not check_forward_ad:
        raise AssertionError("Setting check_batched_forward_grad=True requires check_forward_ad to be True")
    if check_batched_forward_grad:
        raise NotImplementedError("gradcheck: check_batched_forward_grad is not supported: tangents cannot be batched")
    given = as_tuple(inputs)
    _check_inputs(given)
    try:
        outputs = recorded(func(*given))
        check = Comparison(func, given, eps, atol, rtol, nondet_tol, check_grad_dtypes, fast_mode)
        if check_backward_ad:
            _check_backward(check, outputs)
        if check_forward_ad:
            forward = Comparison(func, given, eps, atol, rtol, nondet_tol, check_grad_dtypes, fast_mode)
            _check_forward(forward, check_undefined_grad)
        outputs = recorded(func(*given))  # again: the inputs have been moved since
        if check_backward_ad and outputs:
            if check_batched_grad:
                _check_batched(given, outputs)
            _check_zero_gradients(given, outputs, masked)
            if check_undefined_grad:
                _check_undefined(func, given)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _random_gradient(y: Tensor, noncontiguous: bool) -> Tensor:
    def uniform() -> Tensor:
        numbers = _C.rand((*y.shape, 2), dtype=jacobians.real_dtype(y))[..., 0] * 2 - 1
        return numbers if noncontiguous else numbers.contiguous()

    value = uniform() + uniform() * 1j if y.is_complex() else uniform()
    if noncontiguous:
        value = _C.stack([value, value], -1)[..., 0]
    return value.detach().requires_grad_()


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Tensor | Sequence[Any],
    grad_outputs: Tensor | Sequence[Tensor] | None = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """gradcheck of the gradient of func, as a function of the inputs and of grad_outputs.

    grad_outputs: what the outputs' gradients are multiplied with; drawn between -1 and 1 if None, and with gaps in
        memory if gen_non_contig_grad_outputs.
    check_fwd_over_rev, check_rev_over_rev: the second derivatives in forward mode, or by a second backward pass.

    For the other options and the errors see gradcheck().
    """
    if not (check_fwd_over_rev or check_rev_over_rev):
        raise AssertionError("Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True")
    if check_undefined_grad and not check_rev_over_rev:
        raise AssertionError("Setting check_undefined_grad=True requires check_rev_over_rev to be True")
    if check_batched_grad and not check_rev_over_rev:
        raise AssertionError("Setting check_batched_grad=True requires check_rev_over_rev to be True")
    given = as_tuple(inputs)
    if grad_outputs is None:
        outputs = recorded(func(*given))
        seeds: tuple[Tensor, ...] = tuple(_random_gradient(y, gen_non_contig_grad_outputs) for y in outputs)
    else:
        seeds = as_tuple(grad_outputs)
    places = {i for i, _ in wanted((*given, *seeds))}
    n = len(given)

    def gradient(*args: Any) -> tuple[Tensor, ...]:
        values = [x.requires_grad_() if i in places else x for i, x in enumerate(args)]
        leaves = [x for i, x in enumerate(values[:n]) if i in places]
        grads = grad(recorded(func(*values[:n])), leaves, values[n:], create_graph=True, allow_unused=True)
        return tuple(g for g in grads if g is not None)

    return gradcheck(
        gradient,
        (*given, *seeds),
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad,
        check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
        fast_mode=fast_mode,
        masked=masked,
    )
