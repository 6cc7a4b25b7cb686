"""Layers that bring their input to mean 0 and variance 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from onetape import _C
from onetape._C import Tensor
from onetape.nn import functional, init
from onetape.nn.modules.module import Module
from onetape.nn.parameter import Parameter

__all__ = ["BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "GroupNorm", "LayerNorm", "RMSNorm"]


class _Affine(Module):
    """A layer whose result is multiplied by weight and moved by bias, where it has them."""

    weight: Parameter | None
    bias: Parameter | None

    def _make_affine(self, shape: tuple[int, ...], weight: bool, bias: bool, device: Any, dtype: Any) -> None:
        for name, wanted in (("weight", weight), ("bias", bias)):
            tensor = Parameter(_C.empty(shape, device=device, dtype=dtype)) if wanted else None
            self.register_parameter(name, tensor)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Sets weight to one and bias to zero."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)


def _shape(size: int | Sequence[int]) -> tuple[int, ...]:
    return (size,) if isinstance(size, int) else tuple(size)


class LayerNorm(_Affine):
    """(input − mean) / √(variance + eps) · weight + bias, with mean and variance of the last dimensions.

    normalized_shape: the sizes of those dimensions. elementwise_affine: whether there is a weight, and a bias.
    """

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = _shape(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self._make_affine(self.normalized_shape, elementwise_affine, elementwise_affine and bias, device, dtype)

    def forward(self, input: Tensor) -> Tensor:
        """The normalised input."""
        return functional.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        affine = f"elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}"
        return f"{self.normalized_shape}, eps={self.eps}, {affine}"


class RMSNorm(_Affine):
    """input / √(mean of input² + eps) · weight, with the mean over the last dimensions.

    normalized_shape: the sizes of those dimensions. eps: the dtype's machine epsilon if None.
    """

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = _shape(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self.register_parameter("weight", None)
        if elementwise_affine:
            self.weight = Parameter(_C.empty(self.normalized_shape, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Sets weight to one."""
        if self.weight is not None:
            init.ones_(self.weight)

    def forward(self, input: Tensor) -> Tensor:
        """The normalised input."""
        return functional.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class GroupNorm(_Affine):
    """Each group of channels (dimension 1) of each sample is brought to mean 0 and variance 1, then · weight + bias."""

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        self._make_affine((num_channels,), affine, affine and bias, device, dtype)

    def forward(self, input: Tensor) -> Tensor:
        """The normalised input."""
        return functional.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        affine = f"affine={self.affine}, bias={self.bias is not None}"
        return f"{self.num_groups}, {self.num_channels}, eps={self.eps}, {affine}"


class _BatchNorm(_Affine):
    """Each channel (dimension 1) is brought to mean 0 and variance 1 over the batch, then · weight + bias.

    In training the statistics are those of the batch, and go into running ones; else the running ones are used.

    momentum: share of the batch's statistics in the new running ones; None: the mean of all batches so far.
    track_running_stats: whether there are running statistics.
    """

    _version = 2
    _dims: tuple[int, ...] = ()
    running_mean: Tensor | None
    running_var: Tensor | None
    num_batches_tracked: Tensor | None

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        kind = {"device": device, "dtype": dtype}
        tracked = track_running_stats
        self.register_buffer("running_mean", _C.zeros(num_features, **kind) if tracked else None)
        self.register_buffer("running_var", _C.ones(num_features, **kind) if tracked else None)
        self.register_buffer("num_batches_tracked", _C.tensor(0, device=device) if tracked else None)
        self._make_affine((num_features,), affine, affine and bias, device, dtype)

    def reset_running_stats(self) -> None:
        """Sets the running statistics to mean 0 and variance 1."""
        if self.running_mean is not None and self.running_var is not None and self.num_batches_tracked is not None:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Sets weight to one, bias to zero, and the running statistics to mean 0 and variance 1."""
        self.reset_running_stats()
        super().reset_parameters()

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() not in self._dims:
            names = " or ".join(f"{dim}D" for dim in self._dims)
            raise ValueError(f"expected {names} input (got {input.dim()}D input)")

    def _share(self) -> float:
        """Counts a batch; its share in the running statistics."""
        if not (self.training and self.num_batches_tracked is not None):
            return 0.0 if self.momentum is None else self.momentum
        self.num_batches_tracked.add_(1)
        return 1.0 / self.num_batches_tracked.item() if self.momentum is None else self.momentum

    def forward(self, input: Tensor) -> Tensor:
        """The normalised input."""
        self._check_input_dim(input)
        share = self._share()
        from_batch = self.training or (self.running_mean is None and self.running_var is None)
        running = (self.running_mean, self.running_var)
        if self.training and not self.track_running_stats:
            running = (None, None)
        return functional.batch_norm(input, *running, self.weight, self.bias, from_batch, share, self.eps)

    def _load_from_state_dict(self, state_dict: Any, prefix: str, local_metadata: Any, *rest: Any) -> None:
        key = prefix + "num_batches_tracked"
        if (local_metadata.get("version") or 0) < 2 and self.track_running_stats and key not in state_dict:
            counted = self.num_batches_tracked
            state_dict[key] = _C.tensor(0) if counted is None else counted  # older files do not have it
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)

    def extra_repr(self) -> str:
        numbers = f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}"
        return f"{numbers}, bias={self.bias is not None}, track_running_stats={self.track_running_stats}"


class BatchNorm1d(_BatchNorm):
    __doc__ = _BatchNorm.__doc__
    _dims = (2, 3)


class BatchNorm2d(_BatchNorm):
    __doc__ = _BatchNorm.__doc__
    _dims = (4,)


class BatchNorm3d(_BatchNorm):
    __doc__ = _BatchNorm.__doc__
    _dims = (5,)
