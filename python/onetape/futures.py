"""A result that comes later, as ``torch.futures.Future``."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")
S = TypeVar("S")


class Future(Generic[T]):
    """Holds a value, or the exception in its place, once somebody sets it.

    Callbacks run on the thread that sets it, or at once where that was before.
    """

    def __init__(self, *, devices: object = None) -> None:
        self._set = threading.Condition()
        self._done = False
        self._value: Any = None
        self._error: BaseException | None = None
        self._callbacks: list[Callable[[Future[T]], Any]] = []

    def done(self) -> bool:
        """Is there a value or an exception?"""
        with self._set:
            return self._done

    def wait(self) -> T:
        """The value, once it is there. Raises the exception that is there instead."""
        with self._set:
            self._set.wait_for(lambda: self._done)
        return self._get()

    def value(self) -> T:
        """The value that is there. Raises RuntimeError if there is none yet, or the exception."""
        if not self.done():
            raise RuntimeError("Future has no value yet: call wait() first")
        return self._get()

    def _get(self) -> T:
        if self._error is not None:
            raise self._error
        result: T = self._value
        return result

    def then(self, callback: Callable[[Future[T]], S]) -> Future[S]:
        """A future of what the callback, called with this one once it is done, returns."""
        following: Future[S] = Future()

        def run(done: Future[T]) -> None:
            try:
                following.set_result(callback(done))
            except BaseException as error:
                following.set_exception(error)

        self._call(run)
        return following

    def add_done_callback(self, callback: Callable[[Future[T]], None]) -> None:
        """Calls the callback with this future once it is done."""
        self._call(callback)

    def _call(self, callback: Callable[[Future[T]], Any]) -> None:
        with self._set:
            if not self._done:
                self._callbacks.append(callback)
                return
        callback(self)

    def set_result(self, result: T) -> None:
        """Sets the value. Raises RuntimeError if something was set before."""
        self._finish(result, None)

    def set_exception(self, result: BaseException) -> None:
        """Sets an exception. Raises RuntimeError if something was set before."""
        if not isinstance(result, BaseException):
            raise AssertionError(f"{result} is of type {type(result)}, not an Exception.")
        self._finish(None, result)

    def _finish(self, value: Any, error: BaseException | None) -> None:
        with self._set:
            if self._done:
                raise RuntimeError("Future can only be set once")
            self._value, self._error, self._done = value, error, True
            callbacks, self._callbacks = self._callbacks, []
            self._set.notify_all()
        for callback in callbacks:
            callback(self)


def collect_all(futures: list[Future[T]]) -> Future[list[Future[T]]]:
    """A future of the list, done once all in it are; it has the first exception of theirs, if any."""
    whole: Future[list[Future[T]]] = Future()
    lock = threading.Lock()
    left = len(futures)

    def one(_: Future[T]) -> None:
        nonlocal left
        with lock:
            left -= 1
            if left > 0:
                return
        errors = [future._error for future in futures if future._error is not None]
        if errors:
            whole.set_exception(errors[0])
        else:
            whole.set_result(futures)

    if not futures:
        whole.set_result(futures)
    for future in list(futures):
        future.add_done_callback(one)
    return whole


def wait_all(futures: list[Future[T]]) -> list[T]:
    """The values of all, once they are there. Raises the first exception."""
    return [future.wait() for future in collect_all(futures).wait()]
