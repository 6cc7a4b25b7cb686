"""Pooling with windows at steps that are no whole numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from onetape._C import Tensor
from onetape.nn import functional
from onetape.nn._spatial import Sizes, _all
from onetape.nn.modules.module import Module

__all__ = ["FractionalMaxPool2d", "FractionalMaxPool3d"]


class _FractionalMaxPool(Module):
    """kernel_size: of the window. output_size, output_ratio: how many there are, or which share of the input's size.

    return_indices: gives the places of the elements, too. _random_samples: fixes where windows lie.
    """

    dims: int
    _random_samples: Tensor | None

    def __init__(
        self,
        kernel_size: Sizes,
        output_size: Sizes | None = None,
        output_ratio: float | Sequence[float] | None = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = _all(kernel_size, self.dims)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        name = type(self).__name__
        if output_size is None and output_ratio is None:
            raise ValueError(f"{name} requires specifying either an output size, or a pooling ratio")
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        self.output_size = None if output_size is None else _all(output_size, self.dims)
        self.output_ratio: tuple[float, ...] | None = None
        if output_ratio is not None:
            ratios = (output_ratio,) * self.dims if isinstance(output_ratio, (int, float)) else tuple(output_ratio)
            if not all(0 < ratio < 1 for ratio in ratios):
                raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")
            self.output_ratio = ratios

    def _pool(self, function: Callable[..., Any], input: Tensor) -> Any:
        options = (self.kernel_size, self.output_size, self.output_ratio, self.return_indices)
        return function(input, *options, _random_samples=self._random_samples)


class FractionalMaxPool2d(_FractionalMaxPool):
    """The largest element of each window of an image; where windows lie is drawn."""

    dims = 2

    def forward(self, input: Tensor) -> Any:
        """The largest elements, with return_indices also their places."""
        return self._pool(functional.fractional_max_pool2d, input)


class FractionalMaxPool3d(_FractionalMaxPool):
    """The largest element of each window of a volume; where windows lie is drawn."""

    dims = 3

    def forward(self, input: Tensor) -> Any:
        """The largest elements, with return_indices also their places."""
        return self._pool(functional.fractional_max_pool3d, input)
