"""The functions behind the modules of onetape.nn, with PyTorch's names and arguments."""

from __future__ import annotations

import warnings

from onetape import _C
from onetape._C import Tensor, _nn
from onetape._C._nn import linear
from onetape.nn._losses import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cross_entropy,
    huber_loss,
    l1_loss,
    mse_loss,
    nll_loss,
    smooth_l1_loss,
)

__all__ = [
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "cross_entropy",
    "dropout",
    "elu",
    "gelu",
    "hardtanh",
    "huber_loss",
    "l1_loss",
    "leaky_relu",
    "linear",
    "log_softmax",
    "logsigmoid",
    "mse_loss",
    "nll_loss",
    "relu",
    "relu6",
    "relu_",
    "sigmoid",
    "silu",
    "smooth_l1_loss",
    "softmax",
    "softmin",
    "softplus",
    "softsign",
    "tanh",
    "tanhshrink",
]


def _into(input: Tensor, result: Tensor, inplace: bool) -> Tensor:
    """The result, or input with the result's elements."""
    return input.copy_(result) if inplace else result


# ---- activations ----


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """max(input, 0), element by element; inplace: in the memory of input."""
    return _C.relu_(input) if inplace else _C.relu(input)


def relu_(input: Tensor) -> Tensor:
    """relu() in the memory of input."""
    return _C.relu_(input)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """min(max(input, 0), 6), element by element; inplace: in the memory of input."""
    return hardtanh(input, 0.0, 6.0, inplace)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """input, but at least min_val and at most max_val; inplace: in the memory of input."""
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return _into(input, _nn.hardtanh(input, min_val, max_val), inplace)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """input where it is positive, else negative_slope · input; inplace: in the memory of input."""
    return _into(input, _nn.leaky_relu(input, negative_slope), inplace)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """input where it is positive, else alpha · (exp(input) − 1); inplace: in the memory of input."""
    return _into(input, _nn.elu(input, alpha), inplace)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """input · sigmoid(input); inplace: in the memory of input."""
    return _into(input, _nn.silu(input), inplace)


def gelu(input: Tensor, *, approximate: str = "none") -> Tensor:
    """input · Φ(input), Φ the distribution function of the normal distribution; approximate: "none" or "tanh"."""
    return _nn.gelu(input, approximate=approximate)


def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """log(1 + exp(beta · input)) / beta; input itself where beta · input is above threshold."""
    return _nn.softplus(input, beta, threshold)


def sigmoid(input: Tensor) -> Tensor:
    """1 / (1 + exp(−input))"""
    return input.sigmoid()


def tanh(input: Tensor) -> Tensor:
    """The hyperbolic tangent."""
    return input.tanh()


def logsigmoid(input: Tensor) -> Tensor:
    """log(1 / (1 + exp(−input))), without overflow."""
    return -softplus(-input)


def softsign(input: Tensor) -> Tensor:
    """input / (1 + |input|)"""
    return input / (input.abs() + 1)


def tanhshrink(input: Tensor) -> Tensor:
    """input − tanh(input)"""
    return input - input.tanh()


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


# ---- dropout ----


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeros with probability p, the other elements scaled by 1 / (1 − p); input itself unless training."""
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    return _into(input, _C.dropout(input, p, training), inplace)
