"""torch.xpu on a machine without such devices: questions have answers, commands the error of a build without XPU."""

from __future__ import annotations

from typing import Any, NoReturn

from onetape._absent_device import (
    device_count,
    empty_cache,
    is_available,
    is_initialized,
    manual_seed,
    manual_seed_all,
)

__all__ = [
    "current_device",
    "device_count",
    "empty_cache",
    "init",
    "is_available",
    "is_initialized",
    "manual_seed",
    "manual_seed_all",
    "set_device",
    "synchronize",
]


def _refuse() -> NoReturn:
    raise AssertionError("Torch not compiled with XPU enabled")


def init() -> None:
    """Raises AssertionError."""
    _refuse()


def current_device() -> int:
    """Raises AssertionError."""
    _refuse()


def set_device(device: Any) -> None:
    """Raises AssertionError."""
    _refuse()


def synchronize(device: Any = None) -> None:
    """Raises AssertionError."""
    _refuse()
