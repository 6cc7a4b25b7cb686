"""Names of classes for messages."""

from __future__ import annotations

from typing import Any

from onetape._C import Tensor

__all__ = ["typename"]


def typename(obj: Any) -> str:
    """The name of a value's class as error texts give it: `int`, `torch.FloatTensor`, `package.module.Class`."""
    if isinstance(obj, Tensor):
        return str(obj.type())
    cls = type(obj)
    return cls.__name__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"
