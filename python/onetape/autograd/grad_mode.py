"""Switching the recording of operators on and off: context managers that also decorate functions."""

from __future__ import annotations

import functools
from collections.abc import Callable, Generator
from typing import Any, TypeVar

from onetape._C import _set_grad_enabled, is_grad_enabled

__all__ = ["enable_grad", "inference_mode", "no_grad", "set_grad_enabled"]

_IS_GENERATOR = 0x20
"""The flag of code objects that the module inspect, slow to load, calls CO_GENERATOR."""

F = TypeVar("F", bound=Callable[..., Any])


class _GradMode:
    """Sets the grad mode of the thread for a ``with`` block, or for each call of a decorated function."""

    def __init__(self, mode: bool) -> None:
        self.mode = mode
        self.previous: list[bool] = []

    def __enter__(self) -> None:
        self.previous.append(is_grad_enabled())
        _set_grad_enabled(self.mode)

    def __exit__(self, *error: object) -> None:
        _set_grad_enabled(self.previous.pop())

    def clone(self) -> _GradMode:
        return _GradMode(self.mode)

    def __call__(self, function: F) -> F:
        if isinstance(function, type):
            raise TypeError("a grad mode decorates functions; put it on the methods of a class")
        code = getattr(function, "__code__", None)
        if code is not None and code.co_flags & _IS_GENERATOR:
            return _wrap_generator(self.clone, function)  # type: ignore[return-value]

        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            with self.clone():
                return function(*args, **kwargs)

        return wrapped  # type: ignore[return-value]


def _wrap_generator(mode: Callable[[], _GradMode], function: Callable[..., Any]) -> Callable[..., Any]:
    """The mode holds while the generator's own code runs, not while its caller's does."""

    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        generator = function(*args, **kwargs)
        try:
            with mode():
                given = generator.send(None)
            while True:
                try:
                    request = yield given
                except GeneratorExit:
                    with mode():
                        generator.close()
                    raise
                except BaseException as error:
                    with mode():
                        given = generator.throw(error)
                else:
                    with mode():
                        given = generator.send(request)
        except StopIteration as stop:
            return stop.value

    return wrapped


class no_grad(_GradMode):
    """Operators are not recorded: ``with torch.no_grad():``, or ``@torch.no_grad()`` on a function."""

    def __new__(cls, function: F | None = None) -> Any:
        self = super().__new__(cls)
        if function is None:
            return self
        _GradMode.__init__(self, False)
        return self(function)

    def __init__(self) -> None:
        super().__init__(False)


class enable_grad(_GradMode):
    """Operators are recorded, also inside ``no_grad``."""

    def __new__(cls, function: F | None = None) -> Any:
        self = super().__new__(cls)
        if function is None:
            return self
        _GradMode.__init__(self, True)
        return self(function)

    def __init__(self) -> None:
        super().__init__(True)


class inference_mode(_GradMode):
    """The same as ``no_grad``, or with mode=False nothing at all."""

    def __new__(cls, mode: bool | F = True) -> Any:
        self = super().__new__(cls)
        if isinstance(mode, bool):
            return self
        _GradMode.__init__(self, False)
        return self(mode)

    def __init__(self, mode: bool = True) -> None:
        super().__init__(not mode and is_grad_enabled())


class set_grad_enabled(_GradMode):
    """Sets the mode at once; as a context manager puts the old one back at the end."""

    def __init__(self, mode: bool) -> None:
        super().__init__(mode)
        self.previous.append(is_grad_enabled())
        _set_grad_enabled(mode)

    def __enter__(self) -> None:
        if not self.previous:
            super().__enter__()
        _set_grad_enabled(self.mode)

    def __call__(self, function: F) -> F:
        _set_grad_enabled(self.previous.pop())  # a decorator sets the mode for its calls only
        return super().__call__(function)

    def __repr__(self) -> str:
        return f"set_grad_enabled(mode={self.mode})"
