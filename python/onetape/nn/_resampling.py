"""Resampling of lines, images and volumes, as onetape.nn.functional has it."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from typing import Any

from onetape import _C
from onetape._C import Tensor

_MODES = {
    (3, "nearest"): _C.upsample_nearest1d,
    (4, "nearest"): _C.upsample_nearest2d,
    (5, "nearest"): _C.upsample_nearest3d,
    (3, "nearest-exact"): _C._upsample_nearest_exact1d,
    (4, "nearest-exact"): _C._upsample_nearest_exact2d,
    (5, "nearest-exact"): _C._upsample_nearest_exact3d,
    (3, "area"): _C.adaptive_avg_pool1d,
    (4, "area"): _C.adaptive_avg_pool2d,
    (5, "area"): _C.adaptive_avg_pool3d,
    (3, "linear"): _C.upsample_linear1d,
    (4, "bilinear"): _C.upsample_bilinear2d,
    (4, "bicubic"): _C.upsample_bicubic2d,
    (5, "trilinear"): _C.upsample_trilinear3d,
}
_SMOOTH = {
    "bilinear": _C._upsample_bilinear2d_aa,
    "bicubic": _C._upsample_bicubic2d_aa,
    "lanczos": _C._upsample_lanczos2d_aa,
}
_DIMS = {"linear": 3, "bilinear": 4, "trilinear": 5}
_BLOCKY = ("nearest", "area", "nearest-exact")


def _check_count(given: Any, wanted: list[int], name: str, shown: str, symbol: str) -> None:
    if len(given) != len(wanted):
        what = "output" if name == "output size" else name
        raise ValueError(
            f"Input and {what} must have the same number of spatial dimensions, but got input with spatial dimensions "
            f"of {wanted} and {shown} {given if isinstance(given, tuple) else list(given)}. Please provide input "
            f"tensor in (N, C, d1, d2, ...,dK) format and {name} in ({symbol}1, {symbol}2, ...,{symbol}K) format."
        )


def _sizes(
    input: Tensor, size: Any, scale_factor: Any, recompute: bool | None, mode: str
) -> tuple[list[int], list[float] | None]:
    """The sizes of the result, and the factors where they stand for them."""
    space = list(input.shape[2:])
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is None and scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    if size is not None:
        listed = isinstance(size, (list, tuple))
        if listed:
            _check_count(size, space, "output size", "output size of", "o")
        wanted = list(size) if listed else [size] * len(space)
        if any(not isinstance(one, numbers.Integral) for one in wanted):
            kinds = [type(one) for one in wanted]
            raise TypeError(
                "expected size to be one of int or Tuple[int] or Tuple[int, int] or Tuple[int, int, int], but got "
                f"size with types {kinds}"
            )
        if recompute:
            raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
        return wanted, None
    listed = isinstance(scale_factor, (list, tuple))
    if listed:
        _check_count(scale_factor, space, "scale_factor", "scale_factor of shape", "s")
    factors = [float(factor) for factor in (scale_factor if listed else [scale_factor] * len(space))]
    wanted = [math.floor(length * factor) for length, factor in zip(space, factors, strict=True)]
    return wanted, None if recompute or mode == "area" else factors


def interpolate(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """input, (samples, channels, width), (…, height, width) or (…, depth, height, width), brought to other sizes.

    size: the sizes. scale_factor: or the factors of them. mode: 'nearest', 'nearest-exact', 'area', 'linear',
    'bilinear', 'bicubic' or 'trilinear'. align_corners: whether the centres of the outer elements stay where they are,
    rather than the outer edges. recompute_scale_factor: takes the factors from the sizes. antialias: of images that
    get smaller every element counts, with 'bilinear', 'bicubic' or 'lanczos'.
    """
    if mode in _BLOCKY and align_corners is not None:
        raise ValueError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear"
        )
    wanted, factors = _sizes(input, size, scale_factor, recompute_scale_factor, mode)
    if antialias:
        if not (mode in ("bilinear", "bicubic", "lanczos") and input.dim() == 4):
            raise ValueError(
                "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D tensor as "
                "input"
            )
        if mode == "lanczos" and align_corners:
            raise ValueError("Lanczos mode does not support align_corners=True")
        return _SMOOTH[mode](input, wanted, bool(align_corners), *(factors or ()))
    if mode == "lanczos":
        raise ValueError("Lanczos mode requires antialias=True")
    resample: Any = _MODES.get((input.dim(), mode))
    if resample is None:
        if mode in _DIMS and input.dim() in (3, 4, 5):
            raise NotImplementedError(f"Got {input.dim()}D input, but {mode} mode needs {_DIMS[mode]}D input")
        raise NotImplementedError(
            f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {input.dim()}D) for the modes: nearest | "
            f"linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact (got {mode})"
        )
    result: Tensor
    if mode == "area":
        result = resample(input, wanted)
    elif mode in _BLOCKY:
        result = resample(input, wanted, *(factors or ()))
    else:
        result = resample(input, wanted, bool(align_corners), *(factors or ()))
    return result


def upsample(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Tensor:
    """interpolate under its old name."""
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(
    input: Tensor, size: int | Sequence[int] | None = None, scale_factor: float | Sequence[float] | None = None
) -> Tensor:
    """interpolate with the mode 'nearest'."""
    return interpolate(input, size, scale_factor, "nearest")


def upsample_bilinear(
    input: Tensor, size: int | Sequence[int] | None = None, scale_factor: float | Sequence[float] | None = None
) -> Tensor:
    """interpolate with the mode 'bilinear' and aligned corners."""
    return interpolate(input, size, scale_factor, "bilinear", True)
