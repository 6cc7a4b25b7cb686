"""Activations with a dead zone, and the leaky one whose slope is drawn."""

from __future__ import annotations

from onetape._C import Tensor
from onetape.nn import functional
from onetape.nn.modules.module import Module

__all__ = ["Hardshrink", "RReLU", "Softshrink"]


class _Shrink(Module):
    """lambd: half the width of the zone."""

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def extra_repr(self) -> str:
        return str(self.lambd)


class Hardshrink(_Shrink):
    """The input, but 0 where it is in [−lambd, lambd]."""

    def forward(self, input: Tensor) -> Tensor:
        """The function of every element."""
        return functional.hardshrink(input, self.lambd)


class Softshrink(_Shrink):
    """The input brought nearer to 0 by lambd; 0 where it is in [−lambd, lambd]."""

    def forward(self, input: Tensor) -> Tensor:
        """The function of every element."""
        return functional.softshrink(input, self.lambd)


class RReLU(Module):
    """The input where it is positive, else times a slope: drawn from [lower, upper) while training, else the middle."""

    def __init__(self, lower: float = 1 / 8, upper: float = 1 / 3, inplace: bool = False) -> None:
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The function of every element."""
        return functional.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"lower={self.lower}, upper={self.upper}" + (", inplace=True" if self.inplace else "")
