"""torch.backends.cuda."""

__all__ = ["is_built"]


def is_built() -> bool:
    """False: this build knows no CUDA."""
    return False
