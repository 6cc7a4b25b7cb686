"""torch.backends.mkldnn."""

__all__ = ["is_available"]


def is_available() -> bool:
    """False: this build does without oneDNN."""
    return False
