"""Starting the JVM with the library's own jar and the native library that Python already has."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).resolve().parent.parent


def jar() -> Path:
    """The library's jar inside this package; RuntimeError if it was built without a JDK."""
    path = PACKAGE / "onetape.jar"
    if not path.exists():
        raise RuntimeError(f"{path} is missing: this onetape was built without a JDK; install one and build again")
    return path


def classpath(more: Iterable[str | os.PathLike[str]] = ()) -> str:
    """The class path of the JVM: the library's jar, then ``more``."""
    return os.pathsep.join([str(jar()), *(os.fspath(entry) for entry in more)])


def _jpype() -> Any:
    try:
        import jpype
    except ImportError as error:
        raise ImportError("onetape.jvm needs JPype: pip install jpype1") from error
    return jpype


_at_fork = False


def _without_collector() -> None:
    gc.callbacks[:] = [each for each in gc.callbacks if getattr(each, "__module__", None) != "_jpype"]


def _leave_to_parent() -> None:
    """Has forked processes, in which no thread of the JVM runs, not ask it to collect when Python does: that never
    ends."""
    global _at_fork
    if not _at_fork:
        os.register_at_fork(after_in_child=_without_collector)
    _at_fork = True


def is_started() -> bool:
    """Whether a JVM runs in this process."""
    return bool(_jpype().isJVMStarted())


def start(
    class_path: Sequence[str | os.PathLike[str]] = (), options: Sequence[str] = (), jvm: str | None = None
) -> None:
    """Starts a JVM in this process, with the library's jar before ``class_path``.

    Args:
        class_path: more jars and folders.
        options: options of the JVM, such as ``-Xmx2g``.
        jvm: path of libjvm; found through JAVA_HOME or the system if None.

    Raises:
        RuntimeError: a JVM runs already and does not know the library, or asks for another class path.
        JVMNotFoundException: there is no JVM on this machine.
    """
    jpype = _jpype()
    from onetape.jvm import _errors, _manners

    _manners.install()
    _leave_to_parent()
    if jpype.isJVMStarted():
        _check_running(jpype, class_path)
        _errors.install()
        return
    library = PACKAGE / "lib" / "libonetape.so"
    jpype.startJVM(
        *([jvm] if jvm else []),
        f"-Donetape.library={library}",
        *options,
        classpath=classpath(class_path).split(os.pathsep),
        convertStrings=False,
    )
    _errors.install()


def _check_running(jpype: Any, class_path: Sequence[str | os.PathLike[str]]) -> None:
    try:
        jpype.JClass("org.onetape.Tensor")
    except TypeError as error:
        raise RuntimeError(
            "a JVM runs already and does not know onetape: start it by onetape.jvm.start(), or with "
            f"onetape.jvm.jar() on its class path and -Donetape.library={PACKAGE / 'lib' / 'libonetape.so'}"
        ) from error
    known = str(jpype.java.lang.System.getProperty("java.class.path")).split(os.pathsep)
    missing = [os.fspath(entry) for entry in class_path if os.fspath(entry) not in known]
    if missing:
        raise RuntimeError(f"a JVM runs already, and its class path cannot grow: {os.pathsep.join(missing)}")


def java_class(name: str) -> Any:
    """A Java class by its full name; starts the JVM if none runs."""
    if not is_started():
        start()
    return _jpype().JClass(name)
