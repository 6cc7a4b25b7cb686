"""What a layer of one's own hands on to the functions that make its tensors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_KEYS = ("device", "dtype", "memory_format")


def factory_kwargs(kwargs: Mapping[str, Any] | None) -> dict[str, Any]:
    """The keyword arguments device, dtype and memory_format, with those that stand under "factory_kwargs".

    Raises TypeError for others, and for one that stands twice.
    """
    if kwargs is None:
        return {}
    unknown = kwargs.keys() - {*_KEYS, "factory_kwargs"}
    if unknown:
        raise TypeError(f"unexpected kwargs {unknown}")
    result = dict(kwargs.get("factory_kwargs", {}))
    for key in _KEYS:
        if key in kwargs:
            if key in result:
                raise TypeError(f"{key} specified twice, in **kwargs and in factory_kwargs")
            result[key] = kwargs[key]
    return result
