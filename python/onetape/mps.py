"""torch.mps on a machine without such a device."""

from __future__ import annotations

from onetape._absent_device import device_count, empty_cache, is_available

__all__ = ["device_count", "empty_cache", "is_available"]
