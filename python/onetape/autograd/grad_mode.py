"""Switching the recording of operators on and off: context managers that also decorate functions."""

from __future__ import annotations

import functools
from collections.abc import Callable, Generator
from typing import Any, TypeVar, overload

from onetape._C import (
    _set_grad_enabled,
    _set_inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
)

__all__ = ["enable_grad", "inference_mode", "no_grad", "set_grad_enabled"]

_IS_GENERATOR = 0x20
"""The flag of code objects that the module inspect, slow to load, calls CO_GENERATOR."""

F = TypeVar("F", bound=Callable[..., Any])


class _Mode:
    """A state of the thread for a ``with`` block, or for each call of a decorated function."""

    def __enter__(self) -> None:
        raise NotImplementedError

    def __exit__(self, *error: object) -> None:
        raise NotImplementedError

    def clone(self) -> _Mode:
        """Another one of the same kind."""
        return type(self)()

    def __call__(self, function: F) -> F:
        if isinstance(function, type):
            return self._decorate_class(function)  # type: ignore[return-value]
        code = getattr(function, "__code__", None)
        if code is not None and code.co_flags & _IS_GENERATOR:
            return _wrap_generator(self.clone, function)  # type: ignore[return-value]

        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            with self.clone():
                return function(*args, **kwargs)

        return wrapped  # type: ignore[return-value]

    def _decorate_class(self, cls: type) -> Callable[..., Any]:
        import warnings

        warnings.warn(
            "Decorating classes is deprecated and will be disabled in future versions. You should only decorate "
            "functions or methods. To preserve the current behavior of class decoration, you can directly decorate the "
            "`__init__` method and nothing else.",
            FutureWarning,
            stacklevel=3,
        )

        @functools.wraps(cls, updated=())
        def made(*args: Any, **kwargs: Any) -> Any:
            with self.clone():
                return cls(*args, **kwargs)

        return made


def _wrap_generator(mode: Callable[[], _Mode], function: Callable[..., Any]) -> Callable[..., Any]:
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


class _GradMode(_Mode):
    """Sets the grad mode."""

    mode: bool

    def __init__(self) -> None:
        self.previous: list[bool] = []

    def __enter__(self) -> None:
        self.previous.append(is_grad_enabled())
        _set_grad_enabled(self.mode)

    def __exit__(self, *error: object) -> None:
        _set_grad_enabled(self.previous.pop())


class no_grad(_GradMode):
    """Operators are not recorded: ``with torch.no_grad():``, or ``@torch.no_grad()`` on a function."""

    mode = False

    @overload
    def __new__(cls) -> no_grad: ...

    @overload
    def __new__(cls, orig_func: F) -> F: ...  # type: ignore[misc]

    def __new__(cls, orig_func: F | None = None) -> Any:
        self = super().__new__(cls)
        if orig_func is None:
            return self
        self.__init__()  # type: ignore[misc]
        return self(orig_func)


class enable_grad(_GradMode):
    """Operators are recorded, also inside ``no_grad``."""

    mode = True

    @overload
    def __new__(cls) -> enable_grad: ...

    @overload
    def __new__(cls, orig_func: F) -> F: ...  # type: ignore[misc]

    def __new__(cls, orig_func: F | None = None) -> Any:
        self = super().__new__(cls)
        if orig_func is None:
            return self
        self.__init__()  # type: ignore[misc]
        return self(orig_func)


class inference_mode(_Mode):
    """As ``no_grad``, and the tensors made inside can never take part in a record; mode=False leaves the mode.

    Tensors made inside count no changes: nothing that is recorded later may save them or change them in place.
    """

    @overload
    def __new__(cls, mode: bool = True) -> inference_mode: ...

    @overload
    def __new__(cls, mode: F) -> F: ...  # type: ignore[misc]

    def __new__(cls, mode: bool | F = True) -> Any:
        self = super().__new__(cls)
        if isinstance(mode, bool):
            return self
        self.__init__()  # type: ignore[misc]
        return self(mode)

    def __init__(self, mode: bool = True) -> None:
        self.mode = mode
        self.previous: list[tuple[bool, bool]] = []

    def clone(self) -> inference_mode:
        return type(self)(self.mode)

    def __enter__(self) -> None:
        self.previous.append((is_grad_enabled(), is_inference_mode_enabled()))
        _set_inference_mode(self.mode)
        _set_grad_enabled(not self.mode)

    def __exit__(self, *error: object) -> None:
        grad, inference = self.previous.pop()
        _set_inference_mode(inference)
        _set_grad_enabled(grad)


class set_grad_enabled(_GradMode):
    """Sets the mode at once; as a context manager puts the old one back at the end."""

    def __init__(self, mode: bool) -> None:
        super().__init__()
        self.mode = mode
        self.previous.append(is_grad_enabled())
        _set_grad_enabled(mode)

    def clone(self) -> set_grad_enabled:
        return type(self)(self.mode)

    def __enter__(self) -> None:
        if not self.previous:
            super().__enter__()
        _set_grad_enabled(self.mode)

    def __call__(self, function: F) -> F:
        _set_grad_enabled(self.previous.pop())  # a decorator sets the mode for its calls only
        return super().__call__(function)

    def __repr__(self) -> str:
        return f"torch.autograd.grad_mode.set_grad_enabled(mode={self.mode})"
