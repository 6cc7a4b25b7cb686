"""Dropout: zeros at random while training."""

from __future__ import annotations

from onetape._C import Tensor
from onetape.nn import functional
from onetape.nn.modules.module import Module

__all__ = ["AlphaDropout", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "FeatureAlphaDropout"]


class _Dropout(Module):
    """p: the probability that something is left out. inplace: whether the input itself is changed."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if not 0 <= p <= 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_Dropout):
    """Sets elements to zero with probability p while training, and scales the others by 1 / (1 − p)."""

    def forward(self, input: Tensor) -> Tensor:
        """The input, thinned out while training."""
        return functional.dropout(input, self.p, self.training, self.inplace)


class Dropout1d(_Dropout):
    """Dropout of whole channels of lines."""

    def forward(self, input: Tensor) -> Tensor:
        """The input, thinned out while training."""
        return functional.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(_Dropout):
    """Dropout of whole channels of images."""

    def forward(self, input: Tensor) -> Tensor:
        """The input, thinned out while training."""
        return functional.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(_Dropout):
    """Dropout of whole channels of volumes."""

    def forward(self, input: Tensor) -> Tensor:
        """The input, thinned out while training."""
        return functional.dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout(_Dropout):
    """Dropout for networks with SELU: mean 0 and variance 1 are kept."""

    def forward(self, input: Tensor) -> Tensor:
        """The input, thinned out while training."""
        return functional.alpha_dropout(input, self.p, self.training)


class FeatureAlphaDropout(_Dropout):
    """AlphaDropout of whole channels."""

    def forward(self, input: Tensor) -> Tensor:
        """The input, thinned out while training."""
        return functional.feature_alpha_dropout(input, self.p, self.training)
