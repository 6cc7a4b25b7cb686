"""Pooling, padding and stretches of images, as onetape.nn.functional has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, overload

from onetape import _C
from onetape._C import Tensor, _nn

Sizes = int | Sequence[int]
"""A number for every dimension, or one a dimension."""


def _all(value: Sizes, dims: int) -> tuple[int, ...]:
    return (value,) * dims if isinstance(value, int) else tuple(value)


# ---- largest elements ----


def max_pool1d_with_indices(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = True,
) -> tuple[Tensor, Tensor]:
    """The largest element of each window, and its place in its channel."""
    return _nn.max_pool1d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool2d_with_indices(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = True,
) -> tuple[Tensor, Tensor]:
    """The largest element of each window, and its place in its channel."""
    return _nn.max_pool2d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool3d_with_indices(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = True,
) -> tuple[Tensor, Tensor]:
    """The largest element of each window, and its place in its channel."""
    return _nn.max_pool3d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool1d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest element of each window; with return_indices also its place in its channel.

    input: (samples, channels, length), or one sample without the first dimension.
    """
    if return_indices:
        return max_pool1d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)
    return _C.max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool2d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest element of each window; with return_indices also its place in its channel.

    input: (samples, channels, height, width), or one sample without the first dimension.
    """
    if return_indices:
        return max_pool2d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)
    return _C.max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool3d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest element of each window; with return_indices also its place in its channel.

    input: (samples, channels, depth, height, width), or one sample without the first dimension.
    """
    if return_indices:
        return max_pool3d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)
    return _C.max_pool3d(input, kernel_size, stride, padding, dilation, ceil_mode)


# ---- a given number of windows ----


def _filled_in(output_size: int | Sequence[int | None], input: Tensor) -> int | list[int]:
    """The sizes, with those of input where there is None."""
    if isinstance(output_size, int):
        return output_size
    if input.dim() <= len(output_size):
        raise ValueError(f"Input dimension should be at least {len(output_size) + 1}")
    known = input.shape[-len(output_size) :]
    return [size if given is None else given for given, size in zip(output_size, known, strict=True)]


def adaptive_avg_pool1d(input: Tensor, output_size: Sizes) -> Tensor:
    """Averages in a given number of windows."""
    return _C.adaptive_avg_pool1d(input, output_size)


def adaptive_avg_pool2d(input: Tensor, output_size: int | Sequence[int | None]) -> Tensor:
    """Averages in a given number of windows; None keeps input's size."""
    return _C.adaptive_avg_pool2d(input, _filled_in(output_size, input))


def adaptive_avg_pool3d(input: Tensor, output_size: int | Sequence[int | None]) -> Tensor:
    """Averages in a given number of windows; None keeps input's size."""
    return _C.adaptive_avg_pool3d(input, _filled_in(output_size, input))


def adaptive_max_pool1d_with_indices(
    input: Tensor, output_size: Sizes, return_indices: bool = False
) -> tuple[Tensor, Tensor]:
    """The largest element of each of output_size windows, and its place in its channel."""
    values, indices = _C.adaptive_max_pool1d(input, output_size)
    return values, indices


def adaptive_max_pool2d_with_indices(
    input: Tensor, output_size: int | Sequence[int | None], return_indices: bool = False
) -> tuple[Tensor, Tensor]:
    """The largest element of each window, and its place in its channel; None: as large as input."""
    values, indices = _C.adaptive_max_pool2d(input, _filled_in(output_size, input))
    return values, indices


def adaptive_max_pool3d_with_indices(
    input: Tensor, output_size: int | Sequence[int | None], return_indices: bool = False
) -> tuple[Tensor, Tensor]:
    """The largest element of each window, and its place in its channel; None: as large as input."""
    values, indices = _C.adaptive_max_pool3d(input, _filled_in(output_size, input))
    return values, indices


@overload
def adaptive_max_pool1d(input: Tensor, output_size: Sizes, return_indices: Literal[False] = False) -> Tensor: ...
@overload
def adaptive_max_pool1d(input: Tensor, output_size: Sizes, return_indices: bool) -> Any: ...
def adaptive_max_pool1d(input: Tensor, output_size: Sizes, return_indices: bool = False) -> Any:
    """Largest elements in a given number of windows; with return_indices also their places."""
    found = _C.adaptive_max_pool1d(input, output_size)
    return found if return_indices else found[0]


def adaptive_max_pool2d(input: Tensor, output_size: int | Sequence[int | None], return_indices: bool = False) -> Any:
    """Largest elements in a given number of windows; None keeps input's size; with return_indices also places."""
    found = _C.adaptive_max_pool2d(input, _filled_in(output_size, input))
    return found if return_indices else found[0]


def adaptive_max_pool3d(input: Tensor, output_size: int | Sequence[int | None], return_indices: bool = False) -> Any:
    """Largest elements in a given number of windows; None keeps input's size; with return_indices also places."""
    found = _C.adaptive_max_pool3d(input, _filled_in(output_size, input))
    return found if return_indices else found[0]


# ---- norms ----


def _extreme(norm_type: float, input: Tensor, pool: Any, *numbers: Any) -> Tensor | None:
    """The norms that are no sums of powers: the largest and the smallest absolute value."""
    if norm_type == 0:
        raise ValueError(f"norm_type must be a non-zero value, but got {norm_type}")
    if norm_type == float("inf"):
        result: Tensor = pool(input.abs(), *numbers)
        return result
    return -pool(-input.abs(), *numbers) if norm_type == -float("inf") else None


def lp_pool1d(
    input: Tensor, norm_type: float, kernel_size: Sizes, stride: Sizes | None = None, ceil_mode: bool = False
) -> Tensor:
    """The norm of each window: (Σ xᵖ)^(1/p) for p = norm_type."""
    extreme = _extreme(norm_type, input, max_pool1d, kernel_size, stride, 0, 1, ceil_mode)
    return _nn.lp_pool1d(input, norm_type, kernel_size, stride, ceil_mode) if extreme is None else extreme


def lp_pool2d(
    input: Tensor, norm_type: float, kernel_size: Sizes, stride: Sizes | None = None, ceil_mode: bool = False
) -> Tensor:
    """The norm of each window: (Σ xᵖ)^(1/p) for p = norm_type."""
    extreme = _extreme(norm_type, input, max_pool2d, kernel_size, stride, 0, 1, ceil_mode)
    return _nn.lp_pool2d(input, norm_type, kernel_size, stride, ceil_mode) if extreme is None else extreme


def lp_pool3d(
    input: Tensor, norm_type: float, kernel_size: Sizes, stride: Sizes | None = None, ceil_mode: bool = False
) -> Tensor:
    """The norm of each window: (Σ xᵖ)^(1/p) for p = norm_type."""
    extreme = _extreme(norm_type, input, max_pool3d, kernel_size, stride, 0, 1, ceil_mode)
    return _nn.lp_pool3d(input, norm_type, kernel_size, stride, ceil_mode) if extreme is None else extreme


# ---- back from largest elements ----


def _unpooled_size(
    input: Tensor,
    kernel: tuple[int, ...],
    stride: Sizes | None,
    padding: Sizes,
    output_size: Sequence[int] | None,
) -> list[int]:
    """The size of what was pooled; checked if it is given, since several sizes are pooled to one."""
    dims = len(kernel)
    steps = kernel if stride is None else _all(stride, dims)
    pads = _all(padding, dims)
    sizes = input.shape[-dims:]
    usual = [(sizes[d] - 1) * steps[d] + kernel[d] - 2 * pads[d] for d in range(dims)]
    if output_size is None:
        return usual
    wanted = list(output_size[2:] if len(output_size) == dims + 2 else output_size)
    if len(wanted) != dims:
        raise ValueError(
            "output_size should be a sequence containing "
            f"{dims} or {dims + 2} elements, but it has a length of '{len(wanted)}'"
        )
    for d in range(dims):
        least, most = usual[d] - steps[d], usual[d] + steps[d]
        if not least < wanted[d] < most:
            raise ValueError(f'invalid output_size "{output_size}" (dim {d} must be between {least} and {most})')
    return wanted


def max_unpool1d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """The elements at the places that max_pool1d returned, among zeros."""
    size = _unpooled_size(input, _all(kernel_size, 1), stride, padding, output_size)
    return _C.max_unpool2d(input.unsqueeze(-1), indices.unsqueeze(-1), [*size, 1]).squeeze(-1)


def max_unpool2d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """The elements at the places that max_pool2d returned, among zeros."""
    size = _unpooled_size(input, _all(kernel_size, 2), stride, padding, output_size)
    return _C.max_unpool2d(input, indices, size)


def max_unpool3d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """The elements at the places that max_pool3d returned, among zeros."""
    kernel = _all(kernel_size, 3)
    size = _unpooled_size(input, kernel, stride, padding, output_size)
    return _C.max_unpool3d(input, indices, size, kernel if stride is None else _all(stride, 3), _all(padding, 3))


# ---- stretches ----


def unfold(input: Tensor, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0, stride: Sizes = 1) -> Tensor:
    """Each stretch of an image under a kernel as a column: (samples, channels · kernel, stretches)."""
    return _C.im2col(input, _all(kernel_size, 2), _all(dilation, 2), _all(padding, 2), _all(stride, 2))


def fold(
    input: Tensor,
    output_size: Sizes,
    kernel_size: Sizes,
    dilation: Sizes = 1,
    padding: Sizes = 0,
    stride: Sizes = 1,
) -> Tensor:
    """Adds columns, as unfold makes them, to their stretches of an image of zeros."""
    numbers = (_all(kernel_size, 2), _all(dilation, 2), _all(padding, 2), _all(stride, 2))
    return _C.col2im(input, _all(output_size, 2), *numbers)


# ---- normalisation ----


def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Each channel (dimension 1) of each sample brought to mean 0 and variance 1, then · weight + bias."""
    if use_input_stats and input.shape[2:].numel() == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {input.size()}")
    return _C.instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, False)
