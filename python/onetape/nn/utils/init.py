"""Modules whose first values do not matter."""

from __future__ import annotations

import inspect
from typing import Any, TypeVar

from onetape.nn.modules.module import Module
from onetape.random import get_rng_state, set_rng_state

M = TypeVar("M", bound=Module)

__all__ = ["skip_init"]


def skip_init(module_cls: type[M], *args: Any, **kwargs: Any) -> M:
    """A module whose parameters are still to be filled; nothing is drawn from the default generator.

    Raises RuntimeError for what is no module, or has no argument device.
    """
    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    before = get_rng_state()
    try:
        return module_cls(*args, **kwargs)
    finally:
        set_rng_state(before)
