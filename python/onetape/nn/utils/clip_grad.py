"""Keeping gradients from growing too large."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from onetape import _C
from onetape._C import Tensor
from onetape.autograd import no_grad

__all__ = ["clip_grad_norm_", "clip_grad_value_", "get_total_norm"]


def _gradients(parameters: Tensor | Iterable[Tensor]) -> list[Tensor]:
    tensors = [parameters] if isinstance(parameters, Tensor) else parameters
    return [p.grad for p in tensors if p.grad is not None]


def get_total_norm(
    tensors: Tensor | Iterable[Tensor],
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """The norm of all tensors together, as if they were one vector."""
    several = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    order = float(norm_type)
    if not several:
        return _C.tensor(0.0)
    total = _C.stack([tensor.norm(order) for tensor in several]).norm(order)
    if error_if_nonfinite and not _C.isfinite(total):
        raise RuntimeError(
            f"The total norm of order {order} for gradients from `parameters` is non-finite, so it cannot be clipped. "
            "To disable this error and scale the gradients by the non-finite norm anyway, "
            "set `error_if_nonfinite=False`"
        )
    return total


def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scales the gradients of the parameters, in place, so that their norm is at most max_norm; returns what it was."""
    grads = _gradients(parameters)
    with no_grad():
        total = get_total_norm(grads, norm_type, error_if_nonfinite)
        # Multiplying by 1 where nothing is to be clipped spares a look at the number.
        scale = (float(max_norm) / (total + 1e-6)).clamp(max=1.0)
        for grad in grads:
            grad.mul_(scale)
    return total


def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: bool | None = None) -> None:
    """Brings every element of the gradients of the parameters, in place, to within ± clip_value."""
    bound: Any = float(clip_value)
    with no_grad():
        for grad in _gradients(parameters):
            grad.clamp_(-bound, bound)
