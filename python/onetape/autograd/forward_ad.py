"""Forward mode: tensors that carry a tangent, and operators that compute the tangents of their results.

Inside a dual level, ``make_dual(x, v)`` gives x the tangent v; the tangent of a result y is the derivative of y in the
direction v, the product of the Jacobian and v::

    with forward_ad.dual_level():
        y = (forward_ad.make_dual(x, v) ** 2).sum()
        value, derivative = forward_ad.unpack_dual(y)

It works for every operator that has a gradient, since the tangent is computed from the gradient function; for custom
functions that define ``jvp``; and through backward(), for second derivatives. A level belongs to the thread that
opened it.
"""

from __future__ import annotations

from contextlib import ContextDecorator
from typing import NamedTuple

from onetape import _C
from onetape._C import Tensor

__all__ = ["UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual", "unpack_dual"]


class UnpackedDualTensor(NamedTuple):
    """A tensor without its tangent, and the tangent, or None."""

    primal: Tensor
    tangent: Tensor | None


def enter_dual_level() -> int:
    """Opens a dual level and returns its number. RuntimeError if one is open in this thread: they cannot be nested."""
    return _C._enter_dual_level()


def exit_dual_level(*, level: int | None = None) -> None:
    """Closes the dual level: no tensor has a tangent any more. RuntimeError if it is not the open one."""
    _C._exit_dual_level(_C._dual_level() if level is None else level)


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """A view of the tensor with a tangent of the same shape.

    Raises RuntimeError outside a level, for another shape, or if one of the two has a tangent already; ValueError for
    tensors that are neither floating point nor complex.
    """
    if level is None:
        level = _C._dual_level()
    if level < 0:
        raise RuntimeError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first."
        )
    for name, t in (("primal", tensor), ("tangent", tangent)):
        if not (t.is_floating_point() or t.is_complex()):
            raise ValueError(f"Expected {name} to be floating point or complex, but got: {t.dtype}")
    return _C._make_dual(tensor, tangent, level)


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """A view of the tensor without its tangent, and the tangent, or None where it has none."""
    if level is None:
        level = _C._dual_level()
    return UnpackedDualTensor(tensor, None) if level < 0 else UnpackedDualTensor(*_C._unpack_dual(tensor, level))


class dual_level(ContextDecorator):
    """A dual level for a ``with`` block, or for each call of a decorated function."""

    def __enter__(self) -> int:
        return enter_dual_level()

    def __exit__(self, *error: object) -> None:
        exit_dual_level()


class _set_fwd_grad_enabled:
    """Switches the computing of tangents at once; as a context manager puts the old mode back at the end."""

    def __init__(self, mode: bool) -> None:
        self.mode = mode
        self.previous = _C._is_fwd_grad_enabled()
        _C._set_fwd_grad_enabled(mode)

    def __enter__(self) -> None:
        _C._set_fwd_grad_enabled(self.mode)

    def __exit__(self, *error: object) -> None:
        _C._set_fwd_grad_enabled(self.previous)
