"""What Python tells the nodes of a graph while somebody records: the line, and the module that is called."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any

from onetape._C import _enter_module, _leave_module, _start_recording, _stop_recording

if TYPE_CHECKING:
    from onetape.nn import Module

__all__ = ["GraphRecording"]

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


def _text(name: str) -> str:
    """A name as it can stand in a path of names."""
    return name.encode("utf-8", "replace").decode().replace("\0", "?").replace(".", "_")


class _Modules:
    """The modules that have been called, each under its path, ``Net.layers.0``, with the classes along the path."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[int, tuple[Module, str, str]] = {}
        self._taken: set[str] = set()
        self._thread = threading.local()

    def call(self, plain: Any, module: Module, args: Any, kwargs: Any) -> Any:
        """Calls a module by its plain method, with its path told to the nodes."""
        stack: list[tuple[str, str]] = self._thread.__dict__.setdefault("stack", [])
        known = self._known.get(id(module))
        path = known[1:] if known else self._name(module, *(stack[-1] if stack else ("", "")))
        _enter_module(*path)
        stack.append(path)
        try:
            return plain(module, *args, **kwargs)
        finally:
            stack.pop()
            _leave_module()

    def _name(self, module: Module, names: str, classes: str) -> tuple[str, str]:
        """Names a module that is called inside another, or inside none, and all its parts."""
        kind = _text(type(module).__name__)
        with self._lock:
            path = free = f"{names}.{kind}" if names else kind
            number = 1
            while free in self._taken:
                number += 1
                free = f"{path} {number}"
            self._add(module, free, f"{classes}.{kind}" if classes else kind)
            return self._known[id(module)][1:]

    def _add(self, module: Module, names: str, classes: str) -> None:
        if id(module) in self._known:
            return
        self._known[id(module)] = (module, names, classes)
        self._taken.add(names)
        for name, child in module.named_children():
            self._add(child, f"{names}.{_text(name)}", f"{classes}.{_text(type(child).__name__)}")


class _Recorder:
    """Counts who records. Meanwhile, and only then, calls of modules go through another method."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running = 0
        self._plain: Any = None

    def start(self) -> None:
        from onetape.nn.modules._hooks import CalledModule

        with self._lock:
            self._running += 1
            _start_recording(_PACKAGE)
            if self._running > 1:
                return
            modules = _Modules()
            plain = self._plain = CalledModule.__call__

            def call(module: Any, *args: Any, **kwargs: Any) -> Any:
                return modules.call(plain, module, args, kwargs)

            CalledModule.__call__ = call  # type: ignore[assignment, method-assign]

    def stop(self) -> None:
        from onetape.nn.modules._hooks import CalledModule

        with self._lock:
            self._running -= 1
            _stop_recording()
            if not self._running:
                CalledModule.__call__ = self._plain  # type: ignore[method-assign]


_recorder = _Recorder()


class GraphRecording:
    """What onetape.graph.record() gives: in its ``with`` block nodes note where they come from."""

    def __init__(self) -> None:
        self._on = False

    def __enter__(self) -> GraphRecording:
        if self._on:
            raise RuntimeError("this recording has begun already")
        _recorder.start()
        self._on = True
        return self

    def __exit__(self, *error: object) -> None:
        if self._on:
            self._on = False
            _recorder.stop()
