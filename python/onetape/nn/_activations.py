"""The activation functions. Those with `inplace` write their result into the memory of input when it is true."""

from __future__ import annotations

import warnings
from collections.abc import Callable

from onetape import _C
from onetape._C import Tensor, _nn


def _run(function: Callable[[Tensor], Tensor], input: Tensor, inplace: bool) -> Tensor:
    # The function may keep its operand for backward, so in place it is given a copy.
    return input.copy_(function(_C.clone(input))) if inplace else function(input)


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """max(input, 0), element by element."""
    return _C.relu_(input) if inplace else _C.relu(input)


def relu_(input: Tensor) -> Tensor:
    """relu() in the memory of input."""
    return _C.relu_(input)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """min(max(input, 0), 6), element by element."""
    return _run(_nn.relu6, input, inplace)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """input, but at least min_val and at most max_val."""
    return _run(lambda x: _nn.hardtanh(x, min_val, max_val), input, inplace)


def hardtanh_(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """hardtanh() in the memory of input."""
    return hardtanh(input, min_val, max_val, inplace=True)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """min(max(input / 6 + 1/2, 0), 1), element by element."""
    return _run(_nn.hardsigmoid, input, inplace)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """input · hardsigmoid(input)"""
    return _run(_nn.hardswish, input, inplace)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """input where it is positive, else negative_slope · input."""
    return _C.leaky_relu_(input, negative_slope) if inplace else _C.leaky_relu(input, negative_slope)


def leaky_relu_(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    """leaky_relu() in the memory of input."""
    return _C.leaky_relu_(input, negative_slope)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """input where it is above threshold, else value."""
    function = _C.threshold_ if inplace else _C.threshold
    return function(input, threshold, value)


def threshold_(input: Tensor, threshold: float, value: float) -> Tensor:
    """threshold() in the memory of input."""
    return _C.threshold_(input, threshold, value)


def rrelu(
    input: Tensor, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False, inplace: bool = False
) -> Tensor:
    """input where it is positive, else times a slope: drawn from [lower, upper) while training, else the middle."""
    return _run(lambda x: _C.rrelu(x, lower, upper, training), input, inplace)


def rrelu_(input: Tensor, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False) -> Tensor:
    """rrelu() in the memory of input."""
    return rrelu(input, lower, upper, training, inplace=True)


def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """input, but 0 where it is in [−lambd, lambd]."""
    return _nn.hardshrink(input, lambd)


def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """input brought nearer to 0 by lambd; 0 where it is in [−lambd, lambd]."""
    return _nn.softshrink(input, lambd)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """input where it is positive, else alpha · (exp(input) − 1)."""
    return _run(lambda x: _nn.elu(x, alpha), input, inplace)


def elu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """elu() in the memory of input."""
    return elu(input, alpha, inplace=True)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """elu() scaled so that mean 0 and variance 1 are kept through many layers."""
    return _C.selu_(input) if inplace else _C.selu(input)


def selu_(input: Tensor) -> Tensor:
    """selu() in the memory of input."""
    return _C.selu_(input)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """input where it is positive, else alpha · (exp(input / alpha) − 1)."""
    return _C.celu_(input, alpha) if inplace else _C.celu(input, alpha)


def celu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """celu() in the memory of input."""
    return _C.celu_(input, alpha)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """input · sigmoid(input)"""
    return _run(_nn.silu, input, inplace)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """input · tanh(softplus(input))"""
    return _run(_nn.mish, input, inplace)


def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """log(1 + exp(beta · input)) / beta; input itself where beta · input is above threshold."""
    return _nn.softplus(input, beta, threshold)


def logsigmoid(input: Tensor) -> Tensor:
    """The logarithm of sigmoid(), without overflow."""
    return _nn.logsigmoid(input)


def softsign(input: Tensor) -> Tensor:
    """input / (1 + |input|)"""
    return _nn.softsign(input)


def tanhshrink(input: Tensor) -> Tensor:
    """input − tanh(input)"""
    return _nn.tanhshrink(input)


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
    return _C.prelu(input, weight)


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """The first half of input along dim, times the sigmoid of the second half."""
    return _nn.glu(input, dim)


def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    """softmax((logits + noise) / tau): a draw of a class whose gradient is known.

    hard: a one at the largest element and zeros, with the gradient of the softmax. eps: without effect.
    """
    result = _nn.gumbel_softmax(logits, tau, hard, eps, dim)
    if eps != 1e-10:
        warnings.warn("`eps` parameter is deprecated and has no effect.", stacklevel=2)
    return result
