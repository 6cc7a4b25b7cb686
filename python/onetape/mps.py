"""torch.mps on a machine without such a device."""

from __future__ import annotations

__all__ = ["device_count", "empty_cache", "is_available"]


def is_available() -> bool:
    """False: tensors live in the CPU's memory."""
    return False


def device_count() -> int:
    """0."""
    return 0


def empty_cache() -> None:
    """Does nothing."""
