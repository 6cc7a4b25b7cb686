"""Normalisation by what neighbouring channels hold at the same place."""

from __future__ import annotations

from onetape._C import Tensor
from onetape.nn import functional
from onetape.nn.modules.module import Module

__all__ = ["CrossMapLRN2d", "LocalResponseNorm"]


class LocalResponseNorm(Module):
    """input / (k + alpha · the mean square over size neighbouring channels)^beta."""

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: Tensor) -> Tensor:
        """The input, (samples, channels, …), each element divided."""
        return functional.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class CrossMapLRN2d(LocalResponseNorm):
    """LocalResponseNorm of images whose windows lie around their channel, also for an even size.

    PyTorch's also keeps the first channel in the sums of channels that are too far from it.
    """

    def forward(self, input: Tensor) -> Tensor:
        """The input, (samples, channels, height, width), each element divided."""
        if input.dim() != 4:
            raise ValueError(f"CrossMapLRN2d: Expected input to be 4D, got {input.dim()}D instead.")
        width = 2 * int((self.size - 1) / 2) + 1
        return functional.local_response_norm(input, width, self.alpha * width / self.size, self.beta, self.k)
