"""Pooling layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from onetape._C import Tensor
from onetape.nn import functional
from onetape.nn.modules._numbers import per_dimension
from onetape.nn.modules.module import Module

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "LPPool1d",
    "LPPool2d",
    "LPPool3d",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
]

Sizes = int | Sequence[int]


def _shown(module: Module, *names: str) -> str:
    return ", ".join(f"{name}={getattr(module, name)}" for name in names)


class _MaxPool(Module):
    """The largest element of each window.

    kernel_size: of the window. stride: how far it moves; its size if None. padding: what counts as smaller than
    everything before and after the elements. dilation: distance of a window's elements. return_indices: whether
    forward also returns the places. ceil_mode: whether a window may go beyond the end.
    """

    _dims: ClassVar[int]

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        dilation: Sizes = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def forward(self, input: Tensor) -> Any:
        """The largest elements; with return_indices a pair of them and their places."""
        pool = (functional.max_pool1d, functional.max_pool2d, functional.max_pool3d)[self._dims - 1]
        numbers = (self.kernel_size, self.stride, self.padding, self.dilation)
        return pool(input, *numbers, ceil_mode=self.ceil_mode, return_indices=self.return_indices)

    def extra_repr(self) -> str:
        return _shown(self, "kernel_size", "stride", "padding", "dilation", "ceil_mode")


class MaxPool1d(_MaxPool):
    __doc__ = _MaxPool.__doc__
    _dims = 1


class MaxPool2d(_MaxPool):
    __doc__ = _MaxPool.__doc__
    _dims = 2


class MaxPool3d(_MaxPool):
    __doc__ = _MaxPool.__doc__
    _dims = 3


class _MaxUnpool(Module):
    """Elements at the places that a max pooling of the same numbers returned, among zeros."""

    _dims: ClassVar[int]

    def __init__(self, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0) -> None:
        super().__init__()
        self.kernel_size = per_dimension(kernel_size, self._dims)
        self.stride = per_dimension(kernel_size if stride is None else stride, self._dims)
        self.padding = per_dimension(padding, self._dims)

    def forward(self, input: Tensor, indices: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """The elements at their places; output_size chooses among the sizes that are pooled to input's."""
        unpool = (functional.max_unpool1d, functional.max_unpool2d, functional.max_unpool3d)[self._dims - 1]
        return unpool(input, indices, self.kernel_size, self.stride, self.padding, output_size)

    def extra_repr(self) -> str:
        return _shown(self, "kernel_size", "stride", "padding")


class MaxUnpool1d(_MaxUnpool):
    __doc__ = _MaxUnpool.__doc__
    _dims = 1


class MaxUnpool2d(_MaxUnpool):
    __doc__ = _MaxUnpool.__doc__
    _dims = 2


class MaxUnpool3d(_MaxUnpool):
    __doc__ = _MaxUnpool.__doc__
    _dims = 3


class AvgPool1d(Module):
    """The average of each window.

    kernel_size: of the window. stride: how far it moves; its size if None. padding: zeros before and after the
    elements. ceil_mode: whether a window may go beyond the end. count_include_pad: whether the zeros count.
    """

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size = per_dimension(kernel_size, 1)
        self.stride = per_dimension(kernel_size if stride is None else stride, 1)
        self.padding = per_dimension(padding, 1)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        """The averages."""
        numbers = (self.kernel_size, self.stride, self.padding)
        return functional.avg_pool1d(input, *numbers, self.ceil_mode, self.count_include_pad)

    def extra_repr(self) -> str:
        return _shown(self, "kernel_size", "stride", "padding")


class _AvgPool(Module):
    """The average of each window.

    kernel_size: of the window. stride: how far it moves; its size if None. padding: zeros before and after the
    elements. ceil_mode: whether a window may go beyond the end. count_include_pad: whether the zeros count.
    divisor_override: what sums are divided by instead of the number of elements.
    """

    _dims: ClassVar[int]

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input: Tensor) -> Tensor:
        """The averages."""
        pool = functional.avg_pool2d if self._dims == 2 else functional.avg_pool3d
        numbers = (self.kernel_size, self.stride, self.padding)
        return pool(input, *numbers, self.ceil_mode, self.count_include_pad, self.divisor_override)

    def extra_repr(self) -> str:
        return _shown(self, "kernel_size", "stride", "padding")


class AvgPool2d(_AvgPool):
    __doc__ = _AvgPool.__doc__
    _dims = 2


class AvgPool3d(_AvgPool):
    __doc__ = _AvgPool.__doc__
    _dims = 3


class _LPPool(Module):
    """The norm of each window: (Σ xᵖ)^(1/p) for p = norm_type.

    kernel_size: of the window. stride: how far it moves; its size if None. ceil_mode: whether a window may go beyond
    the end.
    """

    _dims: ClassVar[int]

    def __init__(
        self, norm_type: float, kernel_size: Sizes, stride: Sizes | None = None, ceil_mode: bool = False
    ) -> None:
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def forward(self, input: Tensor) -> Tensor:
        """The norms."""
        pool = (functional.lp_pool1d, functional.lp_pool2d, functional.lp_pool3d)[self._dims - 1]
        return pool(input, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)

    def extra_repr(self) -> str:
        return _shown(self, "norm_type", "kernel_size", "stride", "ceil_mode")


class LPPool1d(_LPPool):
    __doc__ = _LPPool.__doc__
    _dims = 1


class LPPool2d(_LPPool):
    __doc__ = _LPPool.__doc__
    _dims = 2


class LPPool3d(_LPPool):
    __doc__ = _LPPool.__doc__
    _dims = 3


class _AdaptiveAvgPool(Module):
    """Averages in a given number of windows.

    output_size: a number for every dimension, or one a dimension; None, where there are several, keeps the input's.
    """

    _dims: ClassVar[int]

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        """The averages."""
        pools = (functional.adaptive_avg_pool1d, functional.adaptive_avg_pool2d, functional.adaptive_avg_pool3d)
        return pools[self._dims - 1](input, self.output_size)

    def extra_repr(self) -> str:
        return _shown(self, "output_size")


class AdaptiveAvgPool1d(_AdaptiveAvgPool):
    __doc__ = _AdaptiveAvgPool.__doc__
    _dims = 1


class AdaptiveAvgPool2d(_AdaptiveAvgPool):
    __doc__ = _AdaptiveAvgPool.__doc__
    _dims = 2


class AdaptiveAvgPool3d(_AdaptiveAvgPool):
    __doc__ = _AdaptiveAvgPool.__doc__
    _dims = 3


class _AdaptiveMaxPool(Module):
    """Largest elements in a given number of windows.

    output_size: a number for every dimension, or one a dimension; None, where there are several, keeps the input's.
    return_indices: whether forward also returns the places.
    """

    _dims: ClassVar[int]

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices

    def forward(self, input: Tensor) -> Any:
        """The largest elements; with return_indices a pair of them and their places."""
        pools = (functional.adaptive_max_pool1d, functional.adaptive_max_pool2d, functional.adaptive_max_pool3d)
        return pools[self._dims - 1](input, self.output_size, self.return_indices)

    def extra_repr(self) -> str:
        return _shown(self, "output_size")


class AdaptiveMaxPool1d(_AdaptiveMaxPool):
    __doc__ = _AdaptiveMaxPool.__doc__
    _dims = 1


class AdaptiveMaxPool2d(_AdaptiveMaxPool):
    __doc__ = _AdaptiveMaxPool.__doc__
    _dims = 2


class AdaptiveMaxPool3d(_AdaptiveMaxPool):
    __doc__ = _AdaptiveMaxPool.__doc__
    _dims = 3
