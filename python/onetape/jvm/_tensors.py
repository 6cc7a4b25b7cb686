"""Tensors across the border, through a place of the thread in native code: never as a number."""

from __future__ import annotations

from typing import Any

from onetape import _C
from onetape._C import Tensor


def is_java_tensor(value: Any) -> bool:
    """Whether a value is a Java tensor, of either spelling."""
    from onetape.jvm._start import java_class

    return isinstance(value, java_class("org.onetape.Tensor"))


def to_java(tensor: Tensor | None, kind: str = "org.onetape.Tensor") -> Any:
    """The Java object of a tensor: the same elements and the same graph.

    Args:
        tensor: a Python tensor; None gives Java's undefined tensor.
        kind: ``org.onetape.Tensor`` or ``org.onetape.TorchTensor``.
    """
    from onetape.jvm._start import java_class

    _C._hand_over([tensor])
    java = java_class("org.onetape.internal.Handover").take()[0]
    return java_class(kind)(java) if kind.endswith("TorchTensor") else java


def from_java(java: Any) -> Tensor | None:
    """The Python tensor of a Java one; None for Java's undefined tensor and for null."""
    from onetape.jvm._start import java_class

    java_class("org.onetape.internal.Handover").put(java)
    tensor: Tensor | None = _C._take_over()[0]
    return tensor
