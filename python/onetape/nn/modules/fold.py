"""Stretches of images as columns, and back."""

from __future__ import annotations

from collections.abc import Sequence

from onetape._C import Tensor
from onetape.nn import functional
from onetape.nn.modules.module import Module

__all__ = ["Fold", "Unfold"]

Sizes = int | Sequence[int]


class Unfold(Module):
    """Each stretch of an image under a kernel as a column: (samples, channels · kernel, stretches)."""

    def __init__(self, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0, stride: Sizes = 1) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        """The columns."""
        return functional.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        numbers = f"dilation={self.dilation}, padding={self.padding}, stride={self.stride}"
        return f"kernel_size={self.kernel_size}, {numbers}"


class Fold(Unfold):
    """Adds columns, as Unfold makes them, to their stretches of an image of zeros."""

    def __init__(
        self,
        output_size: Sizes,
        kernel_size: Sizes,
        dilation: Sizes = 1,
        padding: Sizes = 0,
        stride: Sizes = 1,
    ) -> None:
        super().__init__(kernel_size, dilation, padding, stride)
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        """The images."""
        numbers = (self.kernel_size, self.dilation, self.padding, self.stride)
        return functional.fold(input, self.output_size, *numbers)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}, {super().extra_repr()}"
