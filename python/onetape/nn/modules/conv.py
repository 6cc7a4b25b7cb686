"""Convolutions and transposed convolutions over one to three dimensions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

from onetape import _C
from onetape._C import Tensor
from onetape.nn import functional, init
from onetape.nn.modules._numbers import per_dimension
from onetape.nn.modules.module import Module
from onetape.nn.parameter import Parameter

__all__ = ["Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"]

Sizes = int | Sequence[int]
_WORDS = ("same", "valid")
_MODES = ("zeros", "reflect", "replicate", "circular")


class _ConvNd(Module):
    """A sum of products of a kernel with the stretch of the input under it, for each channel, plus a bias.

    in_channels, out_channels: of input and result. kernel_size, stride, padding, dilation: a number, or one a
    dimension; padding may be 'same' or 'valid'. groups: parts that the channels are divided into, each part of the
    result seeing one of the input. padding_mode: 'zeros', 'reflect', 'replicate' or 'circular'.

    Weight and bias start uniformly distributed within ± 1/√(elements that a result is made of).
    """

    _dims: ClassVar[int]
    _transposed: ClassVar[bool] = False
    bias: Parameter | None

    def _make(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes,
        padding: Sizes | str,
        dilation: Sizes,
        output_padding: Sizes,
        groups: int,
        bias: bool,
        padding_mode: str,
        device: Any,
        dtype: Any,
    ) -> None:
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if in_channels % groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups != 0:
            raise ValueError("out_channels must be divisible by groups")
        dims = self._dims
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = per_dimension(kernel_size, dims)
        self.stride = per_dimension(stride, dims)
        self.padding = padding if isinstance(padding, str) else per_dimension(padding, dims)
        self.dilation = per_dimension(dilation, dims)
        self.transposed = self._transposed
        self.output_padding = per_dimension(output_padding, dims)
        self.groups = groups
        self.padding_mode = padding_mode
        self._check_padding()
        ends = (in_channels, out_channels) if self._transposed else (out_channels, in_channels)
        shape = (ends[0], ends[1] // groups, *self.kernel_size)
        self.weight = Parameter(_C.empty(shape, device=device, dtype=dtype))
        made = Parameter(_C.empty(out_channels, device=device, dtype=dtype)) if bias else None
        self.register_parameter("bias", made)
        self.reset_parameters()

    def _check_padding(self) -> None:
        if isinstance(self.padding, str):
            if self.padding not in _WORDS:
                raise ValueError(f"Invalid padding string {self.padding!r}, should be one of {set(_WORDS)}")
            if self.padding == "same" and any(step != 1 for step in self.stride):
                raise ValueError("padding='same' is not supported for strided convolutions")
        if self.padding_mode not in _MODES:
            raise ValueError(f"padding_mode must be one of {set(_MODES)}, but got padding_mode='{self.padding_mode}'")

    def reset_parameters(self) -> None:
        """Draws weight and bias anew."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in = self.weight[0].numel() if self.weight.size(0) else 0
            if fan_in != 0:
                bound = 1 / math.sqrt(fan_in)
                init.uniform_(self.bias, -bound, bound)

    def _padding_around(self) -> list[int]:
        """How much is put before and after, for the last dimension first."""
        if self.padding == "valid":
            return [0] * (2 * self._dims)
        if isinstance(self.padding, str):
            totals = [d * (k - 1) for d, k in zip(self.dilation, self.kernel_size, strict=True)]
            pairs = [(total // 2, total - total // 2) for total in totals]
        else:
            pairs = [(pad, pad) for pad in self.padding]
        return [number for pair in reversed(pairs) for number in pair]

    def extra_repr(self) -> str:
        parts = [f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"]
        usual = {"padding": (0,), "dilation": (1,), "output_padding": (0,)}
        parts += [
            f"{name}={getattr(self, name)}" for name, one in usual.items() if getattr(self, name) != one * self._dims
        ]
        if self.groups != 1:
            parts.append(f"groups={self.groups}")
        if self.bias is None:
            parts.append("bias=False")
        if self.padding_mode != "zeros":
            parts.append(f"padding_mode={self.padding_mode}")
        return ", ".join(parts)


class _Conv(_ConvNd):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Sizes | str = 0,
        dilation: Sizes = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self._make(
            in_channels, out_channels, kernel_size, stride, padding, dilation, 0, groups, bias, padding_mode, device,
            dtype,
        )  # fmt: skip

    def forward(self, input: Tensor) -> Tensor:
        """The convolution of the input: (samples, channels, …), or one sample without the first dimension."""
        convolve = (functional.conv1d, functional.conv2d, functional.conv3d)[self._dims - 1]
        if self.padding_mode == "zeros":
            return convolve(input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)
        padded = functional.pad(input, self._padding_around(), mode=self.padding_mode)
        return convolve(padded, self.weight, self.bias, self.stride, 0, self.dilation, self.groups)


class Conv1d(_Conv):
    __doc__ = _ConvNd.__doc__
    _dims = 1


class Conv2d(_Conv):
    __doc__ = _ConvNd.__doc__
    _dims = 2


class Conv3d(_Conv):
    __doc__ = _ConvNd.__doc__
    _dims = 3


class _ConvTranspose(_ConvNd):
    """The transposed map of a convolution: what a convolution of these numbers takes from a place goes back to it.

    output_padding: how much larger the result is at one side, to tell sizes apart that a convolution with a stride
    makes equal. The other arguments are those of the convolution.
    """

    _transposed = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Sizes = 0,
        output_padding: Sizes = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Sizes = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        self._make(
            in_channels, out_channels, kernel_size, stride, padding, dilation, output_padding, groups, bias,
            padding_mode, device, dtype,
        )  # fmt: skip

    def _output_padding(self, input: Tensor, output_size: Sequence[int] | None) -> tuple[int, ...]:
        """The output padding that gives the wanted size."""
        if output_size is None:
            return self.output_padding
        dims = self._dims
        lead = 2 if input.dim() == dims + 2 else 1
        wanted = list(output_size[lead:] if len(output_size) == lead + dims else output_size)
        if len(wanted) != dims:
            raise ValueError(
                f"ConvTranspose{dims}D: for {input.dim()}D input, output_size must have {dims} "
                f"or {lead + dims} elements (got {len(wanted)})"
            )
        least = [
            (input.size(d + lead) - 1) * self.stride[d]
            - 2 * int(self.padding[d])
            + self.dilation[d] * (self.kernel_size[d] - 1)
            + 1
            for d in range(dims)
        ]
        most = [size + step - 1 for size, step in zip(least, self.stride, strict=True)]
        if any(not low <= size <= high for size, low, high in zip(wanted, least, most, strict=True)):
            raise ValueError(
                f"requested an output size of {wanted}, but valid sizes range "
                f"from {least} to {most} (for an input of {input.size()[2:]})"
            )
        return tuple(size - low for size, low in zip(wanted, least, strict=True))

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """The transposed convolution of the input; output_size chooses among the sizes that it can have."""
        convolve = (functional.conv_transpose1d, functional.conv_transpose2d, functional.conv_transpose3d)
        more = self._output_padding(input, output_size)
        padding: Any = self.padding
        return convolve[self._dims - 1](
            input, self.weight, self.bias, self.stride, padding, more, self.groups, self.dilation
        )


class ConvTranspose1d(_ConvTranspose):
    __doc__ = _ConvTranspose.__doc__
    _dims = 1


class ConvTranspose2d(_ConvTranspose):
    __doc__ = _ConvTranspose.__doc__
    _dims = 2


class ConvTranspose3d(_ConvTranspose):
    __doc__ = _ConvTranspose.__doc__
    _dims = 3
