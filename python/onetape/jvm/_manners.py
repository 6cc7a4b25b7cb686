"""What JPype is told before the JVM starts: Python tensors are Java tensors, and Java's have Python manners."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from onetape._C import Tensor
from onetape.jvm._tensors import from_java, is_java_tensor, to_java

_installed = False

BINARY = (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and_", "or_", "xor",
    "eq", "ne", "lt", "le", "gt", "ge",
)  # fmt: skip


def _tensor(java: Any) -> Any:
    """The Python tensor of a Java one; operations on the undefined tensor fail as they do on None."""
    return from_java(java)


def _python(value: Any) -> Any:
    """The Python tensor where there is a Java one; else the value."""
    return from_java(value) if is_java_tensor(value) else value


def _binary(name: str) -> Callable[[Any, Any], Any]:
    function = getattr(operator, name)
    return lambda self, other: function(_tensor(self), _python(other))


def _reflected(name: str) -> Callable[[Any, Any], Any]:
    function = getattr(operator, name)
    return lambda self, other: function(_python(other), _tensor(self))


def _unary(name: str) -> Callable[[Any], Any]:
    function = getattr(operator, name)
    return lambda self: function(_tensor(self))


def _set_item(self: Any, index: Any, value: Any) -> None:
    operator.setitem(_tensor(self), _python(index), _python(value))


def _manners() -> dict[str, Any]:
    members: dict[str, Any] = {}
    for name in BINARY:
        slot = name.rstrip("_")
        members[f"__{slot}__"] = _binary(name)
        if name not in ("eq", "ne", "lt", "le", "gt", "ge"):
            members[f"__r{slot}__"] = _reflected(name)
    for name in ("neg", "abs", "invert"):
        members[f"__{name}__"] = _unary(name)
    members["__hash__"] = lambda self: int(self.hashCode())
    members["__getitem__"] = lambda self, index: _tensor(self)[_python(index)]
    members["__setitem__"] = _set_item
    members["__len__"] = lambda self: len(_tensor(self))
    members["__iter__"] = lambda self: iter(_tensor(self))
    members["__bool__"] = lambda self: bool(_tensor(self))
    members["__float__"] = lambda self: float(_tensor(self))
    members["__int__"] = lambda self: int(_tensor(self))
    members["__repr__"] = lambda self: repr(_tensor(self))
    members["__array__"] = lambda self, *args, **kwargs: _tensor(self).__array__(*args, **kwargs)
    members["numpy"] = lambda self: _tensor(self).numpy()
    members["tolist"] = lambda self: _tensor(self).tolist()
    members["python"] = from_java
    return members


def install() -> None:
    """Registers the conversions and the manners; must come before the JVM starts, and does nothing the second time."""
    global _installed
    if _installed:
        return
    import jpype

    for kind in ("org.onetape.Tensor", "org.onetape.TorchTensor"):

        def convert(java_class: Any, tensor: Tensor, kind: str = kind) -> Any:
            return to_java(tensor, kind)

        jpype.JConversion(kind, instanceof=Tensor)(convert)
    jpype.JConversion("org.onetape.TensorHook", attribute="__call__")(_hook)
    jpype.JImplementationFor("org.onetape.Tensor")(type("_JavaTensor", (), _manners()))
    for scope in ("org.onetape.MemoryScope", "org.onetape.NoGradGuard", "org.onetape.AutoGradMode"):
        jpype.JImplementationFor(scope)(type("_JavaScope", (), {"__enter__": _enter, "__exit__": _leave}))
    _installed = True


def _hook(java_class: Any, function: Callable[..., Any]) -> Any:
    """A Python function as a Java hook: it sees Python tensors, and Java sees what it raises."""
    import jpype

    from onetape.jvm._calls import callback

    return jpype.JProxy(java_class, dict={"apply": callback(function)})


def _enter(self: Any) -> Any:
    return self


def _leave(self: Any, *error: object) -> None:
    self.close()
