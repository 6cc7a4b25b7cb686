"""Exceptions across the border: each comes out as the object that was thrown, in its own language and in the other."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from types import TracebackType
from typing import Any, NoReturn

from onetape import _C
from onetape.jvm._start import java_class


def _frames(trace: TracebackType | None) -> Iterator[Any]:
    """The frames of a traceback as Java tells its own, outermost first."""
    element = java_class("java.lang.StackTraceElement")
    while trace is not None:
        code = trace.tb_frame.f_code
        module = str(trace.tb_frame.f_globals.get("__name__", "python"))
        yield element(module, code.co_name, code.co_filename, trace.tb_lineno)
        trace = trace.tb_next


def java_error(error: BaseException) -> Any:
    """The Java exception for a Python one.

    A Java exception that passed through Python is itself. Any other is one that JPype makes Python's own object of when
    it comes back to Python; in Java it tells the class and the text of that object, and its stack begins with Python's.
    """
    import jpype

    if isinstance(error, jpype.JException):
        return error
    trace, context = error.__traceback__, error.__context__

    def raising() -> NoReturn:
        raise error

    try:
        text = "".join(traceback.format_exception_only(type(error), error)).rstrip()
        frames = [*_frames(trace)][::-1]
        return java_class("org.onetape.internal.Handover").caught(raising, text, frames)
    finally:
        error.__traceback__, error.__context__ = trace, context  # as before it was raised once more


def _leave(error: BaseException) -> None:
    java_class("org.onetape.internal.Handover").leave(java_error(error))


def install() -> None:
    """Lets the engine bring exceptions of a backward pass across the border. A JVM runs already."""
    _C._set_bridge(_leave, java_class("org.onetape.internal.Handover").rethrow)
