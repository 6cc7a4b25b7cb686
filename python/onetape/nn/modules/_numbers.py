"""Numbers that stand for one a dimension."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def per_dimension(value: Any, dims: int) -> tuple[Any, ...]:
    """A list as a tuple; anything else once a dimension."""
    return tuple(value) if isinstance(value, Iterable) else (value,) * dims
