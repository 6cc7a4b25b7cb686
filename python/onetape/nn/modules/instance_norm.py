"""Layers that normalise each channel of each sample."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

from onetape._C import Tensor
from onetape.nn import functional
from onetape.nn.modules.normalization import _BatchNorm

__all__ = ["InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d"]


class _InstanceNorm(_BatchNorm):
    """Each channel (dimension 1) of each sample is brought to mean 0 and variance 1, then · weight + bias.

    momentum: share of the batch's statistics in the running ones. affine: whether there are weight and bias.
    track_running_stats: whether there are running statistics, which are used outside of training.
    """

    _single: ClassVar[int]
    """Dimensions of one sample."""

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def _check_features(self, input: Tensor) -> None:
        place = input.dim() - self._single
        found = input.size(place)
        if found == self.num_features:
            return
        if self.affine:
            raise ValueError(
                f"expected input's size at dim={place} to match num_features ({self.num_features}), but got: {found}."
            )
        warnings.warn(
            f"input's size at dim={place} does not match num_features. You can silence this warning by not passing "
            "in num_features, which is not used because affine=False",
            stacklevel=3,
        )

    def forward(self, input: Tensor) -> Tensor:
        """The normalised input: samples, or one without the first dimension."""
        self._check_input_dim(input)
        self._check_features(input)
        batch = input.unsqueeze(0) if input.dim() == self._single else input
        result = functional.instance_norm(
            batch,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            0.0 if self.momentum is None else self.momentum,
            self.eps,
        )
        return result.squeeze(0) if input.dim() == self._single else result


class InstanceNorm1d(_InstanceNorm):
    __doc__ = _InstanceNorm.__doc__
    _dims, _single = (2, 3), 2


class InstanceNorm2d(_InstanceNorm):
    __doc__ = _InstanceNorm.__doc__
    _dims, _single = (3, 4), 3


class InstanceNorm3d(_InstanceNorm):
    __doc__ = _InstanceNorm.__doc__
    _dims, _single = (4, 5), 4
