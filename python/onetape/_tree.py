"""Nested tuples, lists and dicts of values, taken apart and put together again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

__all__ = ["Tree", "flatten", "leaves", "mapped"]


@dataclass(frozen=True)
class Tree:
    """The structure of a nested value: the kind of each container, its keys, its parts. A leaf has no kind."""

    kind: type | None = None
    keys: tuple[Any, ...] = ()
    parts: tuple[Tree, ...] = ()

    def __str__(self) -> str:
        if self.kind is None:
            return "*"
        parts = [str(part) for part in self.parts]
        if issubclass(self.kind, dict):
            return "{" + ", ".join(f"{key!r}: {part}" for key, part in zip(self.keys, parts, strict=True)) + "}"
        text = ", ".join(parts)
        return f"[{text}]" if self.kind is list else f"({text}{',' if len(parts) == 1 else ''})"

    def unflatten(self, values: Iterable[Any]) -> Any:
        """The nested value with these leaves."""
        return self._take(iter(values))

    def _take(self, values: Iterator[Any]) -> Any:
        if self.kind is None:
            return next(values)
        make: Any = self.kind
        parts = [part._take(values) for part in self.parts]
        if issubclass(self.kind, dict):
            return make(zip(self.keys, parts, strict=True))
        # A namedtuple takes its fields one by one.
        return make(*parts) if hasattr(make, "_fields") else make(parts)


_LEAF = Tree()


def flatten(value: Any) -> tuple[list[Any], Tree]:
    """The leaves, in order, and the structure. Tuples, lists, dicts and their subclasses are containers; None is a
    leaf."""
    if isinstance(value, dict):
        keys, items = tuple(value), list(value.values())
    elif isinstance(value, (tuple, list)):
        keys, items = (), list(value)
    else:
        return [value], _LEAF
    flat: list[Any] = []
    parts = []
    for item in items:
        found, part = flatten(item)
        flat += found
        parts.append(part)
    return flat, Tree(type(value), keys, tuple(parts))


def leaves(value: Any) -> list[Any]:
    """The leaves, in order."""
    return flatten(value)[0]


def mapped(function: Callable[[Any], Any], value: Any) -> Any:
    """The same structure with function(leaf) for each leaf."""
    flat, tree = flatten(value)
    return tree.unflatten([function(leaf) for leaf in flat])
