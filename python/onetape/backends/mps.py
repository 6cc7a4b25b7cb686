"""torch.backends.mps."""

__all__ = ["is_available", "is_built"]


def is_built() -> bool:
    """False: this build knows no Metal."""
    return False


def is_available() -> bool:
    """False."""
    return False
