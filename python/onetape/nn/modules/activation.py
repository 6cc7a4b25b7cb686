"""Activations: functions of one number, and softmax."""

from __future__ import annotations

from typing import Any

from onetape import _C
from onetape._C import Tensor
from onetape.nn import functional
from onetape.nn import init as initialisation
from onetape.nn.modules.module import Module
from onetape.nn.parameter import Parameter

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "SELU",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "LeakyReLU",
    "LogSigmoid",
    "LogSoftmax",
    "Mish",
    "PReLU",
    "ReLU",
    "ReLU6",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softmax2d",
    "Softmin",
    "Softplus",
    "Softsign",
    "Tanh",
    "Tanhshrink",
    "Threshold",
]


class _Inplace(Module):
    """An activation that can work in the memory of its input."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def _numbers(self) -> str:
        return ""

    def extra_repr(self) -> str:
        parts = [self._numbers(), "inplace=True" if self.inplace else ""]
        return ", ".join(part for part in parts if part)


class ReLU(_Inplace):
    """max(input, 0)"""

    def forward(self, input: Tensor) -> Tensor:
        """The function of every element."""
        return functional.relu(input, self.inplace)


class Hardtanh(_Inplace):
    """The input, but at least min_val and at most max_val."""

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.min_val = min_val
        self.max_val = max_val
        if self.max_val <= self.min_val:
            raise AssertionError(f"max_val ({max_val}) must be greater than min_val ({min_val})")

    def forward(self, input: Tensor) -> Tensor:
        """The function of every element."""
        return functional.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def _numbers(self) -> str:
        return f"min_val={self.min_val}, max_val={self.max_val}"


class ReLU6(Hardtanh):
    """min(max(input, 0), 6)"""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)

    def _numbers(self) -> str:
        return ""


class LeakyReLU(_Inplace):
    """The input where it is positive, else negative_slope · input."""

    def __init__(self, negative_slope: float = 1e-2, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.negative_slope = negative_slope

    def forward(self, input: Tensor) -> Tensor:
        """The function of every element."""
        return functional.leaky_relu(input, self.negative_slope, self.inplace)

    def _numbers(self) -> str:
        return f"negative_slope={self.negative_slope}"


class ELU(_Inplace):
    """The input where it is positive, else alpha · (exp(input) − 1)."""

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.alpha = alpha

    def forward(self, input: Tensor) -> Tensor:
        """The function of every element."""
        return functional.elu(input, self.alpha, self.inplace)

    def _numbers(self) -> str:
        return f"alpha={self.alpha}"


class SiLU(_Inplace):
    """input · sigmoid(input)"""

    def forward(self, input: Tensor) -> Tensor:
        """The function of every element."""
        return functional.silu(input, self.inplace)


class Mish(_Inplace):
    """input · tanh(softplus(input))"""

    def forward(self, input: Tensor) -> Tensor:
        """The function of every element."""
        return functional.mish(input, self.inplace)


class SELU(_Inplace):
    """ELU scaled so that mean 0 and variance 1 are kept through many layers."""

    def forward(self, input: Tensor) -> Tensor:
        """The function of every element."""
        return functional.selu(input, self.inplace)


class CELU(_Inplace):
    """The input where it is positive, else alpha · (exp(input / alpha) − 1)."""

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.alpha = alpha

    def forward(self, input: Tensor) -> Tensor:
        """The function of every element."""
        return functional.celu(input, self.alpha, self.inplace)

    def _numbers(self) -> str:
        return f"alpha={self.alpha}"


class Hardsigmoid(_Inplace):
    """min(max(input / 6 + 1/2, 0), 1)"""

    def forward(self, input: Tensor) -> Tensor:
        """The function of every element."""
        return functional.hardsigmoid(input, self.inplace)

    def extra_repr(self) -> str:
        return ""


class Hardswish(_Inplace):
    """input · Hardsigmoid(input)"""

    def forward(self, input: Tensor) -> Tensor:
        """The function of every element."""
        return functional.hardswish(input, self.inplace)

    def extra_repr(self) -> str:
        return ""


class Threshold(_Inplace):
    """The input where it is above threshold, else value."""

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.threshold = threshold
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        """The function of every element."""
        return functional.threshold(input, self.threshold, self.value, self.inplace)

    def _numbers(self) -> str:
        return f"threshold={self.threshold}, value={self.value}"


class PReLU(Module):
    """The input where it is positive, else weight · input, with a weight that is learned: one, or one a channel."""

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = Parameter(_C.empty(num_parameters, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Sets the weight to its first value."""
        initialisation.constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        """The function of every element."""
        return functional.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"


class GLU(Module):
    """The first half of the input along dim, times the sigmoid of the second half."""

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """Half as many elements along dim."""
        return functional.glu(input, self.dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class GELU(Module):
    """input · Φ(input), Φ the distribution function of the normal distribution; approximate: "none" or "tanh"."""

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        """The function of every element."""
        return functional.gelu(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        return f"approximate={self.approximate!r}"


class Sigmoid(Module):
    """1 / (1 + exp(−input))"""

    def forward(self, input: Tensor) -> Tensor:
        """The function of every element."""
        return _C.sigmoid(input)


class LogSigmoid(Module):
    """log(1 / (1 + exp(−input)))"""

    def forward(self, input: Tensor) -> Tensor:
        """The function of every element."""
        return functional.logsigmoid(input)


class Tanh(Module):
    """The hyperbolic tangent."""

    def forward(self, input: Tensor) -> Tensor:
        """The function of every element."""
        return _C.tanh(input)


class Softplus(Module):
    """log(1 + exp(beta · input)) / beta; the input itself where beta · input is above threshold."""

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input: Tensor) -> Tensor:
        """The function of every element."""
        return functional.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        return f"beta={self.beta}, threshold={self.threshold}"


class Softsign(Module):
    """input / (1 + |input|)"""

    def forward(self, input: Tensor) -> Tensor:
        """The function of every element."""
        return functional.softsign(input)


class Tanhshrink(Module):
    """input − tanh(input)"""

    def forward(self, input: Tensor) -> Tensor:
        """The function of every element."""
        return functional.tanhshrink(input)


class _AlongDim(Module):
    """A function of all elements along a dimension."""

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class Softmax(_AlongDim):
    """exp(input) divided by its sum along dim."""

    def forward(self, input: Tensor) -> Tensor:
        """Positive numbers that sum to 1 along dim."""
        return functional.softmax(input, self.dim)


class Softmax2d(Module):
    """softmax() over the channels of each place of images, (channels, height, width) or (samples, channels, …)."""

    def forward(self, input: Tensor) -> Tensor:
        """Numbers that add up to 1 over the channels."""
        if input.dim() not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead")
        return functional.softmax(input, -3)


class LogSoftmax(_AlongDim):
    """The logarithm of Softmax."""

    def forward(self, input: Tensor) -> Tensor:
        """Logarithms of numbers that sum to 1 along dim."""
        return functional.log_softmax(input, self.dim)


class Softmin(_AlongDim):
    """Softmax of −input."""

    def forward(self, input: Tensor) -> Tensor:
        """Positive numbers that sum to 1 along dim."""
        return functional.softmin(input, self.dim)
