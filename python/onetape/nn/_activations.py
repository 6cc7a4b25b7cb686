"""The activation functions. Those with `inplace` write their result into the memory of input when it is true."""

from __future__ import annotations

import warnings
from collections.abc import Callable

from onetape import _C
from onetape._C import Tensor, _nn

# Klambauer et al., "Self-Normalizing Neural Networks" (arXiv:1706.02515)
_SELU_ALPHA = 1.6732632423543772
_SELU_SCALE = 1.0507009873554805


def _run(function: Callable[[Tensor], Tensor], input: Tensor, inplace: bool) -> Tensor:
    # The function may keep its operand for backward, so in place it is given a copy.
    return input.copy_(function(input.clone())) if inplace else function(input)


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """max(input, 0), element by element."""
    return _C.relu_(input) if inplace else _C.relu(input)


def relu_(input: Tensor) -> Tensor:
    """relu() in the memory of input."""
    return _C.relu_(input)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """min(max(input, 0), 6), element by element."""
    return _run(lambda x: x.clamp(0, 6), input, inplace)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """input, but at least min_val and at most max_val."""
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return _run(lambda x: x.clamp(min_val, max_val), input, inplace)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """min(max(input / 6 + 1/2, 0), 1), element by element."""
    return _run(lambda x: (x / 6 + 0.5).clamp(0, 1), input, inplace)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """input · hardsigmoid(input)"""
    return _run(lambda x: x * hardsigmoid(x), input, inplace)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """input where it is positive, else negative_slope · input."""
    return _C.leaky_relu_(input, negative_slope) if inplace else _C.leaky_relu(input, negative_slope)


def leaky_relu_(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    """leaky_relu() in the memory of input."""
    return _C.leaky_relu_(input, negative_slope)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """input where it is above threshold, else value."""
    return _run(lambda x: _C.where(x > threshold, x, value), input, inplace)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """input where it is positive, else alpha · (exp(input) − 1)."""
    # The exponential sees no large numbers, whose infinite values would spoil the gradient.
    return _run(lambda x: _C.where(x > 0, x, x.clamp(max=0).expm1() * alpha), input, inplace)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """elu() scaled so that mean 0 and variance 1 are kept through many layers."""
    return _run(lambda x: elu(x, _SELU_ALPHA) * _SELU_SCALE, input, inplace)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """input where it is positive, else alpha · (exp(input / alpha) − 1)."""
    return _run(lambda x: _C.where(x > 0, x, (x / alpha).clamp(max=0).expm1() * alpha), input, inplace)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """input · sigmoid(input)"""
    return _run(_nn.silu, input, inplace)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """input · tanh(softplus(input))"""
    return _run(lambda x: x * softplus(x).tanh(), input, inplace)


def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """log(1 + exp(beta · input)) / beta; input itself where beta · input is above threshold."""
    scaled = input * beta
    return _C.where(scaled > threshold, input, scaled.clamp(max=threshold).exp().log1p() / beta)


def logsigmoid(input: Tensor) -> Tensor:
    """The logarithm of sigmoid(), without overflow."""
    # min(x, 0) − log(1 + exp(−|x|)), each side of 0 with its own gradient
    positive = input.abs().neg().exp().log1p()
    return _C.where(input < 0, input - positive, -positive)


def softsign(input: Tensor) -> Tensor:
    """input / (1 + |input|)"""
    return input / (input.abs() + 1)


def tanhshrink(input: Tensor) -> Tensor:
    """input − tanh(input)"""
    return input - input.tanh()


def sigmoid(input: Tensor) -> Tensor:
    """1 / (1 + exp(−input))"""
    return input.sigmoid()


def tanh(input: Tensor) -> Tensor:
    """The hyperbolic tangent."""
    return input.tanh()


def _softmax_dim(name: str, input: Tensor) -> int:
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.",
        stacklevel=3,
    )
    return 0 if input.dim() in (0, 1, 3) else 1


def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: _C.dtype | None = None) -> Tensor:
    """exp(input) divided by its sum along dim; dtype: what input is converted to first."""
    return _C.softmax(input, _softmax_dim("softmax", input) if dim is None else dim, dtype=dtype)


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: _C.dtype | None = None) -> Tensor:
    """The logarithm of softmax(); dtype: what input is converted to first."""
    return _C.log_softmax(input, _softmax_dim("log_softmax", input) if dim is None else dim, dtype=dtype)


def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: _C.dtype | None = None) -> Tensor:
    """softmax() of −input; dtype: what input is converted to first."""
    return _C.softmax(-input, _softmax_dim("softmin", input) if dim is None else dim, dtype=dtype)


def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """input where it is positive, else weight · input; weight has one number, or one for each channel (dimension 1)."""
    slope = weight.reshape(-1, *([1] * (input.dim() - 2))) if weight.numel() != 1 else weight
    return _C.where(input > 0, input, slope * input)


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """The first half of input along dim, times the sigmoid of the second half."""
    if input.size(dim) % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {dim} is size {input.size(dim)}")
    first, second = input.chunk(2, dim)
    return first * second.sigmoid()
