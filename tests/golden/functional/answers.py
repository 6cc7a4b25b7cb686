"""What a scenario gives, in a form that can be stored and compared: values, or the error with its first line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def encoded(torch: Any, value: Any) -> Any:
    """A result without anything of the library: tensors by dtype, shape, elements and whether they have a gradient."""
    if isinstance(value, torch.Tensor):
        plain = value.detach()
        parts = plain.to(torch.complex128) if plain.is_complex() else plain
        flat = parts.reshape(-1).tolist()
        return {
            "tensor": str(value.dtype).removeprefix("torch."),
            "shape": list(value.shape),
            "data": [[x.real, x.imag] if isinstance(x, complex) else x for x in flat],
            "requires_grad": value.requires_grad,
        }
    if isinstance(value, dict):
        return {"dict": {key: encoded(torch, item) for key, item in value.items()}}
    if isinstance(value, (tuple, list)):
        return [encoded(torch, item) for item in value]
    return value


def answer(torch: Any, scenario: Callable[[Any], Any]) -> Any:
    """The encoded result of a scenario, or its error."""
    try:
        return encoded(torch, scenario(torch))
    except Exception as error:
        lines = str(error).splitlines() or [""]
        return {"error": [type(error).__name__, lines[0]]}
