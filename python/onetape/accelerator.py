"""torch.accelerator: there is none, so programs that ask for one use the CPU."""

from __future__ import annotations

from onetape._C import device

__all__ = ["current_accelerator", "device_count", "is_available"]


def is_available() -> bool:
    """False."""
    return False


def device_count() -> int:
    """0."""
    return 0


def current_accelerator(check_available: bool = False) -> device | None:
    """None."""
    return None
