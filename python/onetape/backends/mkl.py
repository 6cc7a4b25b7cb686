"""torch.backends.mkl."""

__all__ = ["is_available"]


def is_available() -> bool:
    """False: this build does without MKL."""
    return False
