"""torch.backends.openmp."""

__all__ = ["is_available"]


def is_available() -> bool:
    """False: this build does without OpenMP."""
    return False
