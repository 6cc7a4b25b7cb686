"""Lists of hooks that can be taken out again."""

from __future__ import annotations

import itertools
import weakref
from collections import OrderedDict
from typing import Any

_ids = itertools.count()


class RemovableHandle:
    """Takes a hook out again: by remove(), or at the end of a ``with`` block."""

    def __init__(self, *registries: Registry) -> None:
        self.id = next(_ids)
        self._registries = [weakref.ref(registry) for registry in registries]

    def __getstate__(self) -> tuple[int, list[Registry | None]]:
        return self.id, [reference() for reference in self._registries]

    def __setstate__(self, state: tuple[int, list[Registry | None]]) -> None:
        self.id, registries = state
        self._registries = [weakref.ref(registry) for registry in registries if registry is not None]

    def remove(self) -> None:
        """Takes the hook out; harmless if it is out already."""
        for reference in self._registries:
            registry = reference()
            if registry is not None:
                registry.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()


class Registry(OrderedDict[int, Any]):
    """Hooks in the order in which they run, by the number of their handle."""

    def add(self, hook: Any, prepend: bool = False) -> RemovableHandle:
        """Adds a hook; prepend: before those already there."""
        handle = RemovableHandle(self)
        self[handle.id] = hook
        if prepend:
            self.move_to_end(handle.id, last=False)
        return handle
