"""Samples put together as a batch."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterable, Mapping, MutableMapping, MutableSequence, Sequence
from contextlib import suppress
from typing import Any

import onetape._C as _C
from onetape._C import Tensor

__all__ = ["collate", "default_collate", "default_collate_fn_map", "default_convert"]

_CollateMap = dict[Any, Callable[..., Any]]

_NO_NUMBERS = re.compile(r"[SaUO]")
"""Kinds of NumPy elements that no tensor holds: texts and objects."""


def _not_collatable(kind: Any) -> TypeError:
    return TypeError(
        f"default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {kind}"
    )


def _like_mapping(pattern: Mapping[Any, Any], items: dict[Any, Any]) -> Any:
    """A mapping of the kind of the pattern, with what else that carries, if it can be made."""
    kind: Any = type(pattern)
    try:
        if isinstance(pattern, MutableMapping):
            clone: Any = copy.copy(pattern)
            clone.update(items)
            return clone
        return kind(items)
    except TypeError:
        return items


def _like_sequence(pattern: Sequence[Any], items: Callable[[], Iterable[Any]]) -> Any:
    """A sequence of the kind of the pattern, with what else that carries, if it can be made."""
    kind: Any = type(pattern)
    values = list(items())
    try:
        if isinstance(pattern, MutableSequence):
            clone = copy.copy(pattern)
            for i, value in enumerate(values):
                clone[i] = value
            return clone
        return kind(values)
    except TypeError:
        return values


def default_convert(data: Any) -> Any:
    """The sample with its NumPy arrays and numbers turned into tensors; containers are gone through, other things stay.

    What loaders do when they make no batches.
    """
    kind = type(data)
    if isinstance(data, Tensor):
        return data
    if kind.__module__ == "numpy" and kind.__name__ not in ("str_", "bytes_"):
        if kind.__name__ == "ndarray" and _NO_NUMBERS.search(data.dtype.str):
            return data
        # Of its own dtype also if it is a float64, which is a float as well.
        return _C.as_tensor(data if kind.__name__ == "ndarray" else np.asarray(data))
    if isinstance(data, Mapping):
        return _like_mapping(data, {key: default_convert(value) for key, value in data.items()})
    if isinstance(data, tuple):
        values = [default_convert(value) for value in data]
        make: Any = kind
        return make(*values) if hasattr(data, "_fields") else values
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        return _like_sequence(data, lambda: [default_convert(value) for value in data])
    return data


def collate(batch: Sequence[Any], *, collate_fn_map: _CollateMap | None = None) -> Any:
    """Puts samples together: containers are gone through; the map says what becomes of the rest, by type.

    A function of the map takes the list of values and, by keyword, the map.

    Raises TypeError: nothing is known about a type. RuntimeError: sequences differ in length.
    """
    first = batch[0]
    kind = type(first)
    if collate_fn_map is not None:
        if kind in collate_fn_map:
            return collate_fn_map[kind](batch, collate_fn_map=collate_fn_map)
        for known, function in collate_fn_map.items():
            if isinstance(first, known):
                return function(batch, collate_fn_map=collate_fn_map)

    def together(values: Sequence[Any]) -> Any:
        return collate(values, collate_fn_map=collate_fn_map)

    if isinstance(first, Mapping):
        return _like_mapping(first, {key: together([sample[key] for sample in batch]) for key in first})
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        make: Any = kind
        return make(*(together(values) for values in zip(*batch)))
    if isinstance(first, Sequence):
        if any(len(sample) != len(first) for sample in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        if isinstance(first, tuple):
            return [together(values) for values in zip(*batch)]
        return _like_sequence(first, lambda: [together(values) for values in zip(*batch)])
    raise _not_collatable(kind)


def collate_tensor_fn(batch: Sequence[Tensor], *, collate_fn_map: _CollateMap | None = None) -> Tensor:
    """Stacks tensors along a new first dimension."""
    return _C.stack(batch, 0)


def collate_numpy_array_fn(batch: Sequence[Any], *, collate_fn_map: _CollateMap | None = None) -> Any:
    """Stacks NumPy arrays as tensors."""
    if _NO_NUMBERS.search(batch[0].dtype.str):
        raise _not_collatable(batch[0].dtype)
    return collate([_C.as_tensor(array) for array in batch], collate_fn_map=collate_fn_map)


def collate_numpy_scalar_fn(batch: Sequence[Any], *, collate_fn_map: _CollateMap | None = None) -> Tensor:
    """A vector of NumPy numbers."""
    return _C.as_tensor(np.asarray(batch))


def collate_float_fn(batch: Sequence[float], *, collate_fn_map: _CollateMap | None = None) -> Tensor:
    """A vector of doubles."""
    return _C.tensor(batch, dtype=_C.float64)


def collate_int_fn(batch: Sequence[int], *, collate_fn_map: _CollateMap | None = None) -> Tensor:
    """A vector of integers, or of booleans."""
    return _C.tensor(batch)


def collate_str_fn(batch: Sequence[Any], *, collate_fn_map: _CollateMap | None = None) -> Sequence[Any]:
    """Texts stay as they are."""
    return batch


default_collate_fn_map: _CollateMap = {Tensor: collate_tensor_fn}
"""What default_collate does with each type; programs may add theirs."""

with suppress(ImportError):
    import numpy as np

    default_collate_fn_map[np.ndarray] = collate_numpy_array_fn
    default_collate_fn_map[(np.bool_, np.number, np.object_)] = collate_numpy_scalar_fn
default_collate_fn_map[float] = collate_float_fn
default_collate_fn_map[int] = collate_int_fn
default_collate_fn_map[str] = collate_str_fn
default_collate_fn_map[bytes] = collate_str_fn


def default_collate(batch: Sequence[Any]) -> Any:
    """A batch of samples: tensors, NumPy arrays and numbers are stacked, texts are listed, containers gone through.

    What loaders do if not told otherwise.

    Raises TypeError: a sample holds something else. RuntimeError: samples differ in shape or length.
    """
    return collate(batch, collate_fn_map=default_collate_fn_map)
