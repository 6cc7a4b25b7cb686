"""What the modules of devices that this machine does not have answer alike."""

from __future__ import annotations


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
