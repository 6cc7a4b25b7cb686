"""What the hooks share that compute a parameter anew before each call of a module."""

from __future__ import annotations

from typing import Any, TypeVar

from onetape import _C
from onetape._C import Tensor
from onetape.nn.modules.conv import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from onetape.nn.modules.module import Module

M = TypeVar("M", bound=Module)
H = TypeVar("H")


def norm_except(weight: Tensor, dim: int) -> Tensor:
    """The norm of each slice along dim, with sizes of 1 for the other dimensions; of all of it if dim is −1."""
    if dim == -1:
        return weight.norm()
    others = [d for d in range(weight.dim()) if d != dim]
    return weight.norm(2, others, keepdim=True) if others else weight.abs()


def scaled(direction: Tensor, length: Tensor, dim: int) -> Tensor:
    """direction · length / its norm."""
    return direction * (length / norm_except(direction, dim))


def as_matrix(weight: Tensor, dim: int) -> Tensor:
    """The slices along dim as rows."""
    rest = [d for d in range(weight.dim()) if d != dim]
    return weight.permute(dim, *rest).reshape(weight.size(dim), -1)


def output_dim(module: Module) -> int:
    """The dimension of a module's weight that its results have."""
    return 1 if isinstance(module, (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)) else 0


def found_hook(module: Module, kind: type[H], name: str) -> tuple[int, H] | None:
    """The hook of a kind that computes the parameter of a name, with the number of its handle."""
    for number, registered in module._forward_pre_hooks.items():
        hook: Any = registered.function
        if isinstance(hook, kind) and getattr(hook, "name", None) == name:
            return number, hook
    return None


def drawn_direction(like: Tensor, size: int, eps: float) -> Tensor:
    """A vector of length 1 in a random direction."""
    vector = _C.randn(size, dtype=like.dtype)
    return vector / vector.norm().clamp_min(eps)
