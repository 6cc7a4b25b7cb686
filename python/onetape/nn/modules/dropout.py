"""Dropout: zeros at random while training."""

from __future__ import annotations

from onetape._C import Tensor
from onetape.nn import functional
from onetape.nn.modules.module import Module

__all__ = ["Dropout"]


class Dropout(Module):
    """Sets elements to zero with probability p while training, and scales the others by 1 / (1 − p)."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if not 0 <= p <= 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The input, thinned out while training."""
        return functional.dropout(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"
