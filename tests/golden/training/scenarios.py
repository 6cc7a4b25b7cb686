"""Small programs that run with PyTorch, to make the stored answers, and with onetape, to be compared with them.

A scenario is a function of the library. It returns numbers, texts, tensors, and lists and dicts of those; `encoded`
makes JSON of them. Tensors are filled with fixed patterns, so that nothing but the answers needs to be stored.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.golden import store

Scenario = Callable[[Any], Any]


def pattern(torch: Any, shape: tuple[int, ...], place: int = 0, dtype: str = "float32") -> Any:
    """A tensor of multiples of 1/32 in (−1, 1), others at every place."""
    values = store.cotangent(shape, "float32" if dtype == "bfloat16" else dtype, place)
    return torch.from_numpy(np.ascontiguousarray(values)).to(getattr(torch, dtype))


def attempt(action: Callable[[], Any]) -> Any:
    """What the action gives, or the class and text of its exception."""
    try:
        return action()
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def encoded(torch: Any, value: Any) -> Any:
    """The value as JSON; a tensor with its dtype and elements."""
    if isinstance(value, torch.Tensor):
        dtype = str(value.dtype).removeprefix("torch.")
        plain = value.detach()
        array = (plain.float() if dtype == "bfloat16" else plain).numpy()
        return {"dtype": dtype, "shape": list(value.shape), "data": store.numbers(array, dtype)}
    if isinstance(value, dict):
        return {str(key): encoded(torch, item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [encoded(torch, item) for item in value]
    if isinstance(value, str):
        return value.replace("onetape.", "torch.")  # names of classes in messages
    return value if isinstance(value, (int, float, bool, type(None))) else repr(value)
