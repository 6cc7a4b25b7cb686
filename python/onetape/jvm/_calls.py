"""Calls in both directions, with tensors converted on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from onetape._C import Tensor
from onetape.jvm._errors import java_error
from onetape.jvm._start import java_class
from onetape.jvm._tensors import from_java, is_java_tensor, to_java


def _to_python(value: Any) -> Any:
    """Java tensors, also in arrays and tensor vectors, as Python tensors; anything else unchanged."""
    if is_java_tensor(value):
        return from_java(value)
    if isinstance(value, java_class("org.onetape.TensorVector")):
        return [from_java(one) for one in value.get()]
    if isinstance(value, java_class("org.onetape.Tensor[]")):
        return [from_java(one) for one in value]
    return value


def _to_java(args: tuple[Any, ...]) -> list[Any]:
    """Python tensors as Java ones: for a parameter of type Object, JPype alone would try to make a number of one."""
    return [to_java(arg) if isinstance(arg, Tensor) else arg for arg in args]


def call(method: Callable[..., Any], *args: Any) -> Any:
    """Calls a Java method and gives tensors in its result as Python tensors."""
    return _to_python(method(*_to_java(args)))


def function(java: Any) -> Callable[..., Any]:
    """A Python callable of a Java ``org.onetape.Function``: its node stands in Python's graph.

    The callable gives one tensor, or a tuple of them where the function has several results.

    >>> cube = jvm.function(jvm.java_class("com.example.Cube")())
    >>> y = cube(x)
    """

    def apply(*args: Any) -> Any:
        results = tuple(_to_python(java.applyAll(*_to_java(args))))
        return results[0] if len(results) == 1 else results

    return apply


def callback(python: Callable[..., Any]) -> Callable[..., Any]:
    """What Java may call in place of a functional interface on tensors: ``python`` sees Python tensors.

    A Python ``torch.autograd.Function`` that is applied inside stands in Java's graph.
    """

    def called(*args: Any) -> Any:
        try:
            result = python(*(_to_python(arg) for arg in args))
        except BaseException as error:
            raise java_error(error) from None
        return to_java(result) if isinstance(result, Tensor) else result

    return called


class JavaModule:
    """A Java module as Python sees one: callable, with its parameters for a Python optimizer."""

    def __init__(self, java: Any) -> None:
        self.java = java

    def __call__(self, *args: Any) -> Any:
        return _to_python(self.java.forward(*_to_java(args)))

    def parameters(self) -> Iterator[Tensor]:
        """The parameters themselves, not copies: an optimizer of either language may step them."""
        vector = self.java.parameters()
        for i in range(vector.size()):
            tensor = from_java(vector.get(i))
            assert tensor is not None
            yield tensor

    def train(self, mode: bool = True) -> JavaModule:
        self.java.train(mode)
        return self

    def eval(self) -> JavaModule:
        self.java.eval()
        return self

    def zero_grad(self) -> None:
        self.java.zero_grad()

    def __repr__(self) -> str:
        return str(self.java)


def module(java: Any) -> JavaModule:
    """Wraps a Java module (``org.onetape.nn``) for Python's training loop."""
    return JavaModule(java)
