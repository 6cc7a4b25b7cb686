"""torch.xpu on a machine without such devices: questions have answers, commands the error of a build without XPU."""

from __future__ import annotations

from typing import Any, NoReturn

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


def is_available() -> bool:
    """False: tensors live in the CPU's memory."""
    return False


def device_count() -> int:
    """0."""
    return 0


def is_initialized() -> bool:
    """False."""
    return False


def manual_seed(seed: int) -> None:
    """Does nothing, as in PyTorch where there is no device."""


def manual_seed_all(seed: int) -> None:
    """Does nothing, as in PyTorch where there is no device."""


def empty_cache() -> None:
    """Does nothing."""


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
