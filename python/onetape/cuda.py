"""torch.cuda on a machine without such devices: questions have answers, commands the error of a build without CUDA."""

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
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "init",
    "is_available",
    "is_bf16_supported",
    "is_initialized",
    "manual_seed",
    "manual_seed_all",
    "max_memory_allocated",
    "max_memory_reserved",
    "memory_allocated",
    "memory_reserved",
    "set_device",
    "synchronize",
]


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """False."""
    return False


def memory_allocated(device: Any = None) -> int:
    """0."""
    return 0


def max_memory_allocated(device: Any = None) -> int:
    """0."""
    return 0


def memory_reserved(device: Any = None) -> int:
    """0."""
    return 0


def max_memory_reserved(device: Any = None) -> int:
    """0."""
    return 0


def _refuse() -> NoReturn:
    raise AssertionError("Torch not compiled with CUDA enabled")


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


def get_device_name(device: Any = None) -> str:
    """Raises AssertionError."""
    _refuse()


def get_device_capability(device: Any = None) -> tuple[int, int]:
    """Raises AssertionError."""
    _refuse()


def get_device_properties(device: Any = None) -> Any:
    """Raises AssertionError."""
    _refuse()
