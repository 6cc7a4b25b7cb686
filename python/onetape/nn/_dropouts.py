"""Dropout: elements or channels that are left out at random while training."""

from __future__ import annotations

import warnings

from onetape import _C
from onetape._C import Tensor


def _check_share(p: float) -> None:
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def _given_back(input: Tensor, result: Tensor, inplace: bool, training: bool) -> Tensor:
    return input.copy_(result) if inplace and training else result


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeros with probability p, the other elements scaled by 1 / (1 − p); input itself unless training."""
    _check_share(p)
    return _given_back(input, _C.dropout(input, p, training), inplace, training)


def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """dropout() of whole channels of lines, (channels, length) or (samples, channels, length)."""
    _check_share(p)
    if input.dim() not in (2, 3):
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {input.dim()}D input. "
            "Note that dropout1d exists to provide channel-wise dropout on inputs with 1 "
            "spatial dimension, a channel dimension, and an optional batch dimension "
            "(i.e. 2D or 3D inputs)."
        )
    alone = input.dim() == 2
    result = _C.feature_dropout(input.unsqueeze(0) if alone else input, p, training)
    return _given_back(input, result.squeeze(0) if alone else result, inplace, training)


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """dropout() of whole channels of images, (samples, channels, height, width)."""
    _check_share(p)
    if input.dim() not in (3, 4):
        warnings.warn(
            f"dropout2d: Received a {input.dim()}-D input to dropout2d, which is deprecated and will result in an "
            "error in a future release. To retain the behavior and silence this warning, please use dropout instead. "
            "Note that dropout2d exists to provide channel-wise dropout on inputs with 2 spatial dimensions, a channel "
            "dimension, and an optional batch dimension (i.e. 3D or 4D inputs).",
            stacklevel=2,
        )
    if input.dim() == 3:
        warnings.warn(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is "
            "desired - input is interpreted as shape (N, C, L), where C is the channel dim. This behavior will change "
            "in a future release to interpret the input as one without a batch dimension, i.e. shape (C, H, W). To "
            "maintain the 1D channel-wise dropout behavior, please switch to using dropout1d instead.",
            stacklevel=2,
        )
    return _given_back(input, _C.feature_dropout(input, p, training), inplace, training)


def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """dropout() of whole channels of volumes, (channels, …) or (samples, channels, depth, height, width)."""
    _check_share(p)
    if input.dim() not in (4, 5):
        warnings.warn(
            f"dropout3d: Received a {input.dim()}-D input to dropout3d, which is deprecated and will result in an "
            "error in a future release. To retain the behavior and silence this warning, please use dropout instead. "
            "Note that dropout3d exists to provide channel-wise dropout on inputs with 3 spatial dimensions, a channel "
            "dimension, and an optional batch dimension (i.e. 4D or 5D inputs).",
            stacklevel=2,
        )
    alone = input.dim() == 4
    result = _C.feature_dropout(input.unsqueeze(0) if alone else input, p, training)
    return _given_back(input, result.squeeze(0) if alone else result, inplace, training)


def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Elements set, with probability p, to the least value of selu(), and all moved so that mean and variance stay."""
    _check_share(p)
    return _given_back(input, _C.alpha_dropout(input, p, training), inplace, training)


def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """alpha_dropout() of whole channels, (samples, channels, …)."""
    _check_share(p)
    return _given_back(input, _C.feature_alpha_dropout(input, p, training), inplace, training)
