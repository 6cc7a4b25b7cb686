"""Images looked up at places of a grid."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from onetape._C import Tensor, _nn


def _aligned(align_corners: bool | None, name: str) -> bool:
    if align_corners is not None:
        return align_corners
    warnings.warn(
        "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please "
        "specify align_corners=True if the old behavior is desired. See the documentation of "
        f"{name} for details.",
        stacklevel=3,
    )
    return False


def affine_grid(theta: Tensor, size: Sequence[int], align_corners: bool | None = None) -> Tensor:
    """The places that affine maps give to a regular grid over [−1, 1] in each dimension, for grid_sample().

    theta: (samples, 2, 3), or (samples, 3, 4) for volumes. size: of the result of grid_sample().
    align_corners: −1 and 1 are the centres of the outermost elements, not their borders.
    """
    return _nn.affine_grid(theta, size, _aligned(align_corners, "affine_grid"))


def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    """Elements of input at the places that grid holds in its last dimension (from −1 to 1), interpolated.

    mode: "bilinear", "nearest", or "bicubic" for images.
    padding_mode: what is beside input: "zeros", "border" (the outermost elements) or "reflection".
    align_corners: −1 and 1 are the centres of the outermost elements, not their borders.
    """
    return _nn.grid_sample(input, grid, mode, padding_mode, _aligned(align_corners, "grid_sample"))
