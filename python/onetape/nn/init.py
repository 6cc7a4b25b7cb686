"""First values of parameters. Functions that end in _ change a tensor in place, outside the graph, and return it."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

from onetape import _C
from onetape._C import Generator, Tensor
from onetape.autograd import no_grad

__all__ = [
    "calculate_gain",
    "constant",
    "constant_",
    "dirac",
    "dirac_",
    "eye",
    "eye_",
    "kaiming_normal",
    "kaiming_normal_",
    "kaiming_uniform",
    "kaiming_uniform_",
    "normal",
    "normal_",
    "ones_",
    "orthogonal",
    "orthogonal_",
    "sparse",
    "sparse_",
    "trunc_normal_",
    "uniform",
    "uniform_",
    "xavier_normal",
    "xavier_normal_",
    "xavier_uniform",
    "xavier_uniform_",
    "zeros_",
]

_LINEAR = {"linear", "sigmoid", *(f"conv{t}{n}d" for t in ("", "_transpose") for n in (1, 2, 3))}
_REJECTION_WORTH = 0.3
"""Share of a normal distribution within bounds from which drawing until one falls within them is quicker."""


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The factor that keeps the spread of values through a layer followed by this function.

    param: the slope of a leaky_relu on negative values; 0.01 if None.
    """
    if nonlinearity in _LINEAR:
        return 1
    if nonlinearity == "tanh":
        return 5 / 3
    if nonlinearity == "relu":
        return math.sqrt(2)
    if nonlinearity == "selu":
        return 3 / 4
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, (int, float)):
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2 / (1 + slope**2))
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


def _fans(tensor: Tensor) -> tuple[int, int]:
    """Number of inputs and outputs of one unit of a layer with this weight."""
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    field = math.prod(tensor.shape[2:])
    return tensor.size(1) * field, tensor.size(0) * field


def _fan(tensor: Tensor, mode: str) -> int:
    name = mode.lower()
    if name not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {name} not supported, please use one of ['fan_in', 'fan_out']")
    return _fans(tensor)[name == "fan_out"]


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Uniform numbers from a to b."""
    with no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Normal numbers."""
    with no_grad():
        return tensor.normal_(mean, std, generator=generator)


def constant_(tensor: Tensor, val: float) -> Tensor:
    """One value."""
    with no_grad():
        return tensor.fill_(val)


def ones_(tensor: Tensor) -> Tensor:
    """Ones."""
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Zeros."""
    with no_grad():
        return tensor.zero_()


def eye_(tensor: Tensor) -> Tensor:
    """The identity matrix."""
    if tensor.dim() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    with no_grad():
        return tensor.copy_(_C.eye(*tensor.shape))


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """The weight of a convolution that passes on as many channels as it can."""
    if tensor.dim() not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    if tensor.size(0) % groups != 0:
        raise ValueError("dim 0 must be divisible by groups")
    channels = tensor.size(0) // groups
    middle = tuple(n // 2 for n in tensor.shape[2:])
    with no_grad():
        tensor.zero_()
        for group in range(groups):
            for d in range(min(channels, tensor.size(1))):
                tensor[(group * channels + d, d, *middle)] = 1
    return tensor


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Uniform numbers whose variance is gain² · 2 / (fan_in + fan_out)."""
    fan_in, fan_out = _fans(tensor)
    bound = math.sqrt(3.0) * (gain * math.sqrt(2.0 / float(fan_in + fan_out)))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Normal numbers whose variance is gain² · 2 / (fan_in + fan_out)."""
    fan_in, fan_out = _fans(tensor)
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / float(fan_in + fan_out)), generator)


def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Uniform numbers whose variance is gain² / fan, for layers before a rectifier of slope a on negative values."""
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=2)
        return tensor
    std = calculate_gain(nonlinearity, a) / math.sqrt(_fan(tensor, mode))
    bound = math.sqrt(3.0) * std
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Normal numbers whose variance is gain² / fan, for layers before a rectifier of slope a on negative values."""
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=2)
        return tensor
    return normal_(tensor, 0.0, calculate_gain(nonlinearity, a) / math.sqrt(_fan(tensor, mode)), generator)


def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Generator | None = None) -> Tensor:
    """Normal numbers, of which in every column the share `sparsity` is set to zero."""
    if tensor.dim() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor.shape
    zeros = math.ceil(sparsity * rows)
    with no_grad():
        tensor.normal_(0, std, generator=generator)
        for column in range(columns):
            tensor[_C.randperm(rows)[:zeros], column] = 0
    return tensor


def orthogonal_(tensor: Tensor, gain: float = 1, generator: Generator | None = None) -> Tensor:
    """A matrix with orthonormal rows or columns, whichever are fewer, times gain."""
    if tensor.dim() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    rows = tensor.size(0)
    columns = tensor.numel() // rows
    with no_grad():
        drawn = tensor.new_empty((rows, columns)).normal_(0, 1, generator=generator)
        tall = drawn.double() if rows >= columns else drawn.t().double()
        result = _orthonormal_columns(tall)
        tensor.copy_((result if rows >= columns else result.t()).reshape(tensor.shape)).mul_(gain)
    return tensor


def _orthonormal_columns(matrix: Tensor) -> Tensor:
    """Gram and Schmidt's columns, each cleaned of the earlier ones twice so that rounding leaves nothing."""
    result = _C.zeros_like(matrix)
    for j in range(matrix.size(1)):
        column = matrix[:, j]
        before = result[:, :j]
        for _ in range(2):
            column = column - before @ (before.t() @ column)
        result[:, j] = column / (column * column).sum().sqrt()
    return result


def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Generator | None = None,
) -> Tensor:
    """Normal numbers, of those within a and b."""
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. "
            "The distribution of values may be incorrect.",
            stacklevel=2,
        )

    def share_below(x: float) -> float:
        return (1 + math.erf((x - mean) / std / math.sqrt(2))) / 2

    with no_grad():
        if share_below(b) - share_below(a) > _REJECTION_WORTH:
            return _draw_until_within(tensor, mean, std, a, b, generator)
        return _draw_by_density(tensor, mean, std, a, b, generator)


def _draw_until_within(
    tensor: Tensor, mean: float, std: float, a: float, b: float, generator: Generator | None
) -> Tensor:
    low = _C.tensor(a, dtype=tensor.dtype).item()
    high = _C.tensor(b, dtype=tensor.dtype).item()
    tensor.normal_(mean, std, generator=generator)
    while True:
        outside = (tensor < low) | (tensor > high)
        if not outside.any():
            return tensor
        tensor.copy_(_C.where(outside, _C.empty_like(tensor).normal_(mean, std, generator=generator), tensor))


def _draw_by_density(
    tensor: Tensor, mean: float, std: float, a: float, b: float, generator: Generator | None
) -> Tensor:
    """Uniform candidates, each accepted with the probability that its density has compared to the largest one."""
    nearest = max(a, min(mean, b))
    log_peak = -0.5 * ((nearest - mean) / std) ** 2
    pending = _C.ones_like(tensor, dtype=_C.bool)
    while pending.any():
        candidates = _C.empty_like(tensor).uniform_(a, b, generator=generator)
        tensor.copy_(_C.where(pending, candidates, tensor))
        distance = candidates.sub(mean).div_(std)
        log_density = distance.mul(distance).mul_(-0.5).sub_(log_peak)
        rejected = _C.empty_like(tensor).uniform_(generator=generator).log_().gt(log_density)
        pending = pending & rejected
    return tensor


def _older(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The function under the name that it had before, which warns."""
    name = function.__name__

    def older(*args: Any, **kwargs: Any) -> Tensor:
        warnings.warn(
            f"`nn.init.{name[:-1]}` is now deprecated in favor of `nn.init.{name}`.", FutureWarning, stacklevel=2
        )
        return function(*args, **kwargs)

    older.__name__ = older.__qualname__ = name[:-1]
    older.__doc__ = f"The older name of {name}()."
    return older


constant = _older(constant_)
dirac = _older(dirac_)
eye = _older(eye_)
kaiming_normal = _older(kaiming_normal_)
kaiming_uniform = _older(kaiming_uniform_)
normal = _older(normal_)
orthogonal = _older(orthogonal_)
sparse = _older(sparse_)
uniform = _older(uniform_)
xavier_normal = _older(xavier_normal_)
xavier_uniform = _older(xavier_uniform_)
