"""Other places in memory for the elements of an argument: results should not depend on them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tests.golden.samples import Array, array_of

GAP = 7
"""What stands between the elements of a strided array: nothing may read it."""


def transposed(array: Array) -> Array | None:
    """The same elements with the last dimension outermost in memory."""
    if array.view.ndim < 2 or array.view.size < 2:
        return None
    storage = np.ascontiguousarray(array.view.T).reshape(-1)
    return replace(array, storage=storage, view=storage.reshape(array.view.T.shape).T)


def strided(array: Array) -> Array | None:
    """The same elements at every second place of a larger stretch of memory, after its start."""
    if array.view.size == 0:
        return None
    storage = np.full(2 * array.view.size + 3, GAP, array.storage.dtype)
    view = storage[3::2].reshape(array.shape, copy=False)
    view[...] = array.view
    return replace(array, storage=storage, view=view)


def expanded(array: Array) -> Array | None:
    """Every index of the first dimension shows the elements of index 0: stride 0."""
    if array.view.ndim < 1 or array.view.size < 2 or array.shape[0] < 2:
        return None
    return replace(array, view=np.broadcast_to(array.view[:1], array.shape))


def contiguous(array: Array) -> Array:
    """The same elements in row-major order."""
    copy = array_of(array.view, array.dtype)
    return replace(array, storage=copy.storage, view=copy.view)


LAYOUTS = {"transposed": transposed, "strided": strided, "expanded": expanded}


def laid_out(value: Any, layout: str) -> Any:
    """An argument with its arrays in that layout; those that cannot have it, and results of operators, stay."""
    if isinstance(value, Array):
        return value if value.is_result else LAYOUTS[layout](value) or value
    if isinstance(value, dict):
        return {key: laid_out(item, layout) for key, item in value.items()}
    return type(value)(laid_out(item, layout) for item in value) if isinstance(value, (list, tuple)) else value


def made_contiguous(value: Any) -> Any:
    """An argument with all its arrays in row-major order."""
    if isinstance(value, Array):
        return contiguous(value)
    if isinstance(value, dict):
        return {key: made_contiguous(item) for key, item in value.items()}
    return type(value)(made_contiguous(item) for item in value) if isinstance(value, (list, tuple)) else value
