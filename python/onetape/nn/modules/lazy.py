"""Modules whose sizes follow from their first input."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, ClassVar

from onetape import _C
from onetape._C import Tensor
from onetape.autograd import no_grad
from onetape.nn.modules.conv import Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from onetape.nn.modules.instance_norm import InstanceNorm1d, InstanceNorm2d, InstanceNorm3d
from onetape.nn.modules.linear import Linear
from onetape.nn.modules.module import Module
from onetape.nn.modules.normalization import BatchNorm1d, BatchNorm2d, BatchNorm3d
from onetape.nn.parameter import UninitializedBuffer, UninitializedParameter, is_lazy

__all__ = [
    "LazyBatchNorm1d",
    "LazyBatchNorm2d",
    "LazyBatchNorm3d",
    "LazyConv1d",
    "LazyConv2d",
    "LazyConv3d",
    "LazyConvTranspose1d",
    "LazyConvTranspose2d",
    "LazyConvTranspose3d",
    "LazyInstanceNorm1d",
    "LazyInstanceNorm2d",
    "LazyInstanceNorm3d",
    "LazyLinear",
]

Sizes = int | Sequence[int]


class LazyModuleMixin:
    """A module with parameters or buffers whose shapes follow from its first call, or from a state that is loaded.

    A subclass assigns UninitializedParameter and UninitializedBuffer, and defines ``initialize_parameters``, which gets
    the first call's arguments. After that call the module has the class ``cls_to_become``, if there is one.
    """

    cls_to_become: ClassVar[type[Module] | None] = None
    _parameters: dict[str, Any]
    _buffers: dict[str, Any]

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._load_hook = self.register_load_state_dict_pre_hook(_materialize_for)
        self._initialize_hook = self.register_forward_pre_hook(self._infer_parameters, with_kwargs=True)

    def _save_to_state_dict(self: Any, destination: dict[str, Any], prefix: str, keep_vars: bool) -> None:
        for name, tensor in self._own_state():
            if tensor is not None:
                destination[prefix + name] = tensor if keep_vars or is_lazy(tensor) else tensor.detach()

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Gives parameters and buffers their shapes and first values, from the arguments of the first call."""
        raise NotImplementedError(f"initialize_parameters is not implemented for {type(self).__name__}")

    def has_uninitialized_params(self) -> bool:
        """Whether there are parameters or buffers without a shape."""
        return any(map(is_lazy, itertools.chain(self._parameters.values(), self._buffers.values())))

    def _infer_parameters(self: Any, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> None:
        module.initialize_parameters(*args, **(kwargs or {}))
        if module.has_uninitialized_params():
            raise RuntimeError(f"module {self._get_name()} has not been fully initialized")
        module._initialize_hook.remove()
        module._load_hook.remove()
        del module._initialize_hook, module._load_hook
        if module.cls_to_become is not None:
            module.__class__ = module.cls_to_become


def _materialize_for(module: LazyModuleMixin, state_dict: dict[str, Any], prefix: str, *rest: Any) -> None:
    """Gives tensors without a shape that of what is going to be loaded into them."""
    for name, tensor in itertools.chain(module._parameters.items(), module._buffers.items()):
        given = state_dict.get(prefix + name)
        if is_lazy(tensor) and isinstance(given, Tensor) and not is_lazy(given):
            with no_grad():
                tensor.materialize(given.shape)


class _LazyLayer(LazyModuleMixin):
    """What the layers share: weight and bias without a shape, and a number that the first input gives."""

    _inferred: ClassVar[str]
    weight: Any
    bias: Any

    def _open(self, bias: bool, device: Any, dtype: Any) -> None:
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        """Gives parameters and buffers their first values anew, once they have their shapes."""
        if not self.has_uninitialized_params() and getattr(self, self._inferred) != 0:
            super().reset_parameters()  # type: ignore[misc]


class LazyLinear(_LazyLayer, Linear):
    """Linear whose in_features is the last size of its first input."""

    cls_to_become = Linear
    _inferred = "in_features"

    def __init__(self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__(0, 0, False)
        self.out_features = out_features
        self._open(bias, device, dtype)

    def initialize_parameters(self, input: Tensor) -> None:
        """Takes in_features from the input; AssertionError if weight was loaded and has another one."""
        if self.has_uninitialized_params():
            with no_grad():
                self.in_features = input.shape[-1]
                _materialize(self.weight, self.out_features, self.in_features)
                _materialize(self.bias, self.out_features)
                self.reset_parameters()
        if self.in_features == 0:
            if input.shape[-1] != self.weight.shape[-1]:
                raise AssertionError(
                    f"The in_features inferred from input: {input.shape[-1]} is not equal to in_features from "
                    f"self.weight: {self.weight.shape[-1]}"
                )
            self.in_features = input.shape[-1]


def _materialize(tensor: Any, *shape: int) -> None:
    if is_lazy(tensor):
        tensor.materialize(shape)


class _LazyConvNd(_LazyLayer):
    """What the lazy convolutions share: in_channels is dimension 1 of the first input, or 0 of a single sample."""

    _inferred = "in_channels"
    _dims: ClassVar[int]
    groups: int
    transposed: bool
    in_channels: int
    out_channels: int
    kernel_size: tuple[int, ...]

    def initialize_parameters(self, input: Tensor, *args: Any, **kwargs: Any) -> None:
        """Takes in_channels from the input."""
        if not self.has_uninitialized_params():
            return
        channels = self._get_in_channels(input)
        self.in_channels = channels
        if channels % self.groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        ends = (channels, self.out_channels) if self.transposed else (self.out_channels, channels)
        _materialize(self.weight, ends[0], ends[1] // self.groups, *self.kernel_size)
        _materialize(self.bias, self.out_channels)
        self.reset_parameters()

    def _get_in_channels(self, input: Tensor) -> int:
        single = self._dims + 1
        if input.dim() not in (single, single + 1):
            raise RuntimeError(
                f"Expected {single}D (unbatched) or {single + 1}D (batched) input to {type(self).__name__}, but got "
                f"input of size: {input.shape}"
            )
        return input.shape[1] if input.dim() == single + 1 else input.shape[0]


class _LazyConv(_LazyConvNd):
    def __init__(
        self,
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
        super().__init__(0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode, device, dtype)
        self.out_channels = out_channels
        self._open(bias, device, dtype)


class _LazyConvTranspose(_LazyConvNd):
    def __init__(
        self,
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
        super().__init__(
            0, 0, kernel_size, stride, padding, output_padding, groups, False, dilation, padding_mode, device, dtype
        )
        self.out_channels = out_channels
        self._open(bias, device, dtype)


class _LazyNorm(_LazyLayer):
    """What the lazy norms share: num_features is dimension 1 of the first input."""

    _inferred = "num_features"
    num_features: int
    affine: bool
    track_running_stats: bool
    running_mean: Any
    running_var: Any
    num_batches_tracked: Any

    def __init__(
        self,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(0, eps, momentum, False, False, device, dtype, bias=False)
        self.affine = affine
        self.track_running_stats = track_running_stats
        if affine:
            self._open(bias, device, dtype)
        if track_running_stats:
            self.running_mean = UninitializedBuffer(device=device, dtype=dtype)
            self.running_var = UninitializedBuffer(device=device, dtype=dtype)
            self.num_batches_tracked = _C.tensor(0, device=device)

    def initialize_parameters(self, input: Tensor) -> None:
        """Takes num_features from the input."""
        if self.has_uninitialized_params():
            self.num_features = input.shape[1]
            for tensor in (self.weight, self.bias, self.running_mean, self.running_var):
                _materialize(tensor, self.num_features)
            self.reset_parameters()


class LazyConv1d(_LazyConv, Conv1d):
    """Conv1d whose in_channels follows from its first input."""

    cls_to_become = Conv1d


class LazyConv2d(_LazyConv, Conv2d):
    """Conv2d whose in_channels follows from its first input."""

    cls_to_become = Conv2d


class LazyConv3d(_LazyConv, Conv3d):
    """Conv3d whose in_channels follows from its first input."""

    cls_to_become = Conv3d


class LazyConvTranspose1d(_LazyConvTranspose, ConvTranspose1d):
    """ConvTranspose1d whose in_channels follows from its first input."""

    cls_to_become = ConvTranspose1d


class LazyConvTranspose2d(_LazyConvTranspose, ConvTranspose2d):
    """ConvTranspose2d whose in_channels follows from its first input."""

    cls_to_become = ConvTranspose2d


class LazyConvTranspose3d(_LazyConvTranspose, ConvTranspose3d):
    """ConvTranspose3d whose in_channels follows from its first input."""

    cls_to_become = ConvTranspose3d


class LazyBatchNorm1d(_LazyNorm, BatchNorm1d):
    """BatchNorm1d whose num_features follows from its first input."""

    cls_to_become = BatchNorm1d


class LazyBatchNorm2d(_LazyNorm, BatchNorm2d):
    """BatchNorm2d whose num_features follows from its first input."""

    cls_to_become = BatchNorm2d


class LazyBatchNorm3d(_LazyNorm, BatchNorm3d):
    """BatchNorm3d whose num_features follows from its first input."""

    cls_to_become = BatchNorm3d


class LazyInstanceNorm1d(_LazyNorm, InstanceNorm1d):
    """InstanceNorm1d whose num_features follows from its first input."""

    cls_to_become = InstanceNorm1d


class LazyInstanceNorm2d(_LazyNorm, InstanceNorm2d):
    """InstanceNorm2d whose num_features follows from its first input."""

    cls_to_become = InstanceNorm2d


class LazyInstanceNorm3d(_LazyNorm, InstanceNorm3d):
    """InstanceNorm3d whose num_features follows from its first input."""

    cls_to_become = InstanceNorm3d
