"""torch.backends.cudnn: its switches can be set, and have nothing to switch."""

__all__ = ["allow_tf32", "benchmark", "deterministic", "enabled", "is_available", "version"]

enabled = True
benchmark = False
deterministic = False
allow_tf32 = True


def is_available() -> bool:
    """False."""
    return False


def version() -> int | None:
    """None: the library is not there."""
    return None
