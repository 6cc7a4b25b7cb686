"""Questions about CUDA devices; there are none here."""

__all__ = ["device_count", "is_available", "manual_seed", "manual_seed_all"]


def is_available() -> bool:
    """False: tensors live in the CPU's memory."""
    return False


def device_count() -> int:
    """0."""
    return 0


def manual_seed(seed: int) -> None:
    """Does nothing, as in PyTorch where there is no device."""


def manual_seed_all(seed: int) -> None:
    """Does nothing, as in PyTorch where there is no device."""
