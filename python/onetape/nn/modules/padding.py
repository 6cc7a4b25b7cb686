"""Layers that put elements around their input."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from onetape._C import Tensor
from onetape.nn import functional
from onetape.nn.modules._numbers import per_dimension
from onetape.nn.modules.module import Module

__all__ = [
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
]


class _Pad(Module):
    """Elements around the last dimensions.

    padding: how many before and after, for the last dimension first; one number stands for all.
    """

    _dims: ClassVar[int]
    _mode: ClassVar[str] = "constant"

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__()
        self.padding = per_dimension(padding, 2 * self._dims)

    def forward(self, input: Tensor) -> Tensor:
        """The padded input."""
        return functional.pad(input, self.padding, self._mode)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _ConstantPad(_Pad):
    __doc__ = _Pad.__doc__

    def __init__(self, padding: int | Sequence[int], value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        """The padded input."""
        return functional.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPad):
    __doc__ = _Pad.__doc__
    _dims = 1


class ConstantPad2d(_ConstantPad):
    __doc__ = _Pad.__doc__
    _dims = 2


class ConstantPad3d(_ConstantPad):
    __doc__ = _Pad.__doc__
    _dims = 3


class _ZeroPad(_ConstantPad):
    __doc__ = _Pad.__doc__

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ZeroPad1d(_ZeroPad):
    __doc__ = _Pad.__doc__
    _dims = 1


class ZeroPad2d(_ZeroPad):
    __doc__ = _Pad.__doc__
    _dims = 2


class ZeroPad3d(_ZeroPad):
    __doc__ = _Pad.__doc__
    _dims = 3


class ReflectionPad1d(_Pad):
    __doc__ = _Pad.__doc__
    _dims, _mode = 1, "reflect"


class ReflectionPad2d(_Pad):
    __doc__ = _Pad.__doc__
    _dims, _mode = 2, "reflect"


class ReflectionPad3d(_Pad):
    __doc__ = _Pad.__doc__
    _dims, _mode = 3, "reflect"


class ReplicationPad1d(_Pad):
    __doc__ = _Pad.__doc__
    _dims, _mode = 1, "replicate"


class ReplicationPad2d(_Pad):
    __doc__ = _Pad.__doc__
    _dims, _mode = 2, "replicate"


class ReplicationPad3d(_Pad):
    __doc__ = _Pad.__doc__
    _dims, _mode = 3, "replicate"


class CircularPad1d(_Pad):
    __doc__ = _Pad.__doc__
    _dims, _mode = 1, "circular"


class CircularPad2d(_Pad):
    __doc__ = _Pad.__doc__
    _dims, _mode = 2, "circular"


class CircularPad3d(_Pad):
    __doc__ = _Pad.__doc__
    _dims, _mode = 3, "circular"
