"""Pooling with windows at steps that are no whole numbers."""

from __future__ import annotations

from collections.abc import Sequence

from onetape import _C
from onetape._C import Tensor
from onetape.nn._spatial import Sizes, _all


def _output_size(
    name: str, input: Tensor, size: Sizes | None, ratio: float | Sequence[float] | None, dims: int
) -> tuple[int, ...]:
    if size is not None:
        return _all(size, dims)
    if ratio is None:
        raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
    ratios = (ratio,) * dims if isinstance(ratio, float) else tuple(ratio)
    if len(ratios) != dims:
        raise ValueError(f"{name} requires output_ratio to either be a single Int or tuple of Ints.")
    return tuple(int(input.size(d - dims) * one) for d, one in enumerate(ratios))


def _samples(input: Tensor, dims: int) -> Tensor:
    batch = 1 if input.dim() == dims + 1 else input.size(0)
    return _C.rand(batch, input.size(-dims - 1), dims, dtype=input.dtype)


def fractional_max_pool2d_with_indices(
    input: Tensor,
    kernel_size: Sizes,
    output_size: Sizes | None = None,
    output_ratio: float | Sequence[float] | None = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """The largest element of each window of an image, and its place; where windows lie is drawn.

    output_size, output_ratio: how many windows there are, or which share of input's size; one of them is needed.
    """
    size = _output_size("fractional_max_pool2d", input, output_size, output_ratio, 2)
    samples = _samples(input, 2) if _random_samples is None else _random_samples
    return _C.fractional_max_pool2d(input, kernel_size, size, samples)


def fractional_max_pool3d_with_indices(
    input: Tensor,
    kernel_size: Sizes,
    output_size: Sizes | None = None,
    output_ratio: float | Sequence[float] | None = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """The largest element of each window of a volume, and its place; where windows lie is drawn."""
    size = _output_size("fractional_max_pool3d", input, output_size, output_ratio, 3)
    samples = _samples(input, 3) if _random_samples is None else _random_samples
    return _C.fractional_max_pool3d(input, kernel_size, size, samples)


def fractional_max_pool2d(
    input: Tensor,
    kernel_size: Sizes,
    output_size: Sizes | None = None,
    output_ratio: float | Sequence[float] | None = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Tensor | tuple[Tensor, Tensor]:
    """The largest element of each window of an image, with return_indices also its place."""
    both = fractional_max_pool2d_with_indices(
        input, kernel_size, output_size, output_ratio, return_indices, _random_samples
    )
    return both if return_indices else both[0]


def fractional_max_pool3d(
    input: Tensor,
    kernel_size: Sizes,
    output_size: Sizes | None = None,
    output_ratio: float | Sequence[float] | None = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Tensor | tuple[Tensor, Tensor]:
    """The largest element of each window of a volume, with return_indices also its place."""
    both = fractional_max_pool3d_with_indices(
        input, kernel_size, output_size, output_ratio, return_indices, _random_samples
    )
    return both if return_indices else both[0]
