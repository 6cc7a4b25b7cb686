"""Tensors to and from other libraries, as capsules of DLPack; ``from_dlpack`` also takes whatever can make one."""

from __future__ import annotations

from typing import Any

from onetape._C import Tensor, from_dlpack

__all__ = ["from_dlpack", "to_dlpack"]


def to_dlpack(tensor: Tensor) -> Any:
    """A capsule over the elements of a tensor, without a copy. It can be taken once.

    Raises:
        BufferError: the tensor requires a gradient.
    """
    return tensor.__dlpack__()
