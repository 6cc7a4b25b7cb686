"""What pickles of tensors may name: values, and functions that make tensors and plain objects of checked arguments."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pickle import UnpicklingError
from typing import Any

from onetape import _C
from onetape._C import Tensor
from onetape.autograd import no_grad
from onetape.io._dtypes import STORAGES
from onetape.nn.parameter import Parameter
from onetape.storage import _Storage

__all__ = ["CALLS", "VALUES", "Global"]


@dataclass(frozen=True)
class Global:
    """Something that is called by its name."""

    path: str


def _need(condition: bool, what: str) -> None:
    if not condition:
        raise UnpicklingError(what)


def _is_sizes(value: Any) -> bool:
    return isinstance(value, tuple) and all(type(n) is int and abs(n) < 1 << 63 for n in value)


def _tensor(storage: Any, offset: Any, size: Any, stride: Any, *rest: Any) -> Tensor:
    """A tensor over a storage: rest may hold requires_grad, hooks, and what PyTorch knows of conjugation."""
    _need(isinstance(storage, _Storage), f"a tensor of a storage of type {type(storage).__name__}")
    _need(_is_sizes(size) and _is_sizes(stride) and _is_sizes((offset,)), "the sizes of a tensor are no numbers")
    _need(len(rest) <= 3, "a tensor of too many arguments")
    _need(len(size) == len(stride) and len(size) <= 64, "mismatch in length of strides and shape")
    _check_place(storage._elements, offset, size, stride)
    made = _C._placed(storage._elements, size, stride, offset)
    if len(rest) > 2 and rest[2]:
        made = _marked(made, rest[2])
    if rest and rest[0]:
        _need(made.is_floating_point() or made.is_complex(), "a tensor of integers that requires a gradient")
        made.requires_grad_(True)
    return made


def _check_place(elements: Tensor, offset: int, size: tuple[int, ...], stride: tuple[int, ...]) -> None:
    if any(n < 0 for n in stride):
        raise RuntimeError(f"as_strided: Negative strides are not supported at the moment, got strides: {list(stride)}")
    if offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {offset}")
    if any(n < 0 for n in size):
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(size)}: {list(size)}")
    if 0 in size:
        return
    item = elements.itemsize
    need = (offset + 1 + sum((n - 1) * step for n, step in zip(size, stride))) * item
    if need > elements.nbytes:
        raise RuntimeError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {offset}, and itemsize {item} "
            f"requiring a storage size of {need} are out of bounds for storage of size {elements.nbytes}"
        )


def _without_elements(dtype: Any, size: Any, stride: Any, requires_grad: Any) -> Tensor:
    """A tensor on meta."""
    _need(dtype in STORAGES.values(), f"a tensor of {dtype!r}")
    _need(_is_sizes(size) and _is_sizes(stride), "the sizes of a tensor are no numbers")
    _need(type(requires_grad) is bool, "requires_grad is no bool")
    return _C.empty_strided(size, stride, dtype=dtype, requires_grad=requires_grad, device="meta")


def _marked(made: Tensor, marks: Any) -> Tensor:
    """PyTorch keeps conjugation and negation as marks; here the elements are what the marks make of them."""
    _need(type(marks) is dict and all(type(name) is str for name in marks), "the marks of a tensor are no dict")
    _need(not set(marks) - {"conj", "neg"}, f"a tensor with marks {sorted(marks)}")
    with no_grad():
        made = made.conj() if marks.get("conj") else made
        return -made if marks.get("neg") else made


def _parameter(data: Any, requires_grad: Any, *rest: Any) -> Parameter:
    """A parameter; rest holds hooks and attributes."""
    _need(isinstance(data, Tensor) and type(requires_grad) is bool and len(rest) <= 2, "a parameter of no tensor")
    number = data.is_floating_point() or data.is_complex()
    _need(number or not requires_grad, "a parameter of integers that requires a gradient")
    made = Parameter(data.detach(), requires_grad)
    if len(rest) == 2:
        _set_attributes(made, rest[1])
    return made


def _of_type(function: Any, kind: Any, arguments: Any, state: Any) -> Tensor:
    """A tensor with attributes."""
    _need(isinstance(function, Global) and function.path in _TENSORS, "a tensor made by something else")
    _need(kind == Global("torch.Tensor") or kind == Global("torch.nn.parameter.Parameter"), "a tensor of another class")
    _need(type(arguments) is tuple, "the arguments of a tensor are no tuple")
    made: Tensor = called(function.path, arguments)
    _set_attributes(made, state)
    return made


def _set_attributes(made: Tensor, state: Any) -> None:
    right = type(state) is dict and all(type(name) is str and not hasattr(type(made), name) for name in state)
    _need(right, "the attributes of a tensor are not what attributes can be")
    made.__dict__.update(state)


def _encoded(text: Any, coding: Any) -> bytes:
    _need(type(text) is str and coding in ("latin1", "latin-1"), "bytes that are no text in latin1")
    try:
        return bytes(text, "latin1")
    except UnicodeError:
        raise UnpicklingError("bytes that are no text in latin1") from None


def _bytearray(*arguments: Any) -> bytearray:
    if len(arguments) == 2:
        arguments = (_encoded(*arguments),)
    _need(len(arguments) <= 1 and all(type(part) is bytes for part in arguments), "a bytearray of no bytes")
    return bytearray(*arguments)


def _complex(*parts: Any) -> complex:
    _need(len(parts) <= 2 and all(type(part) in (int, float) for part in parts), "a complex number of no numbers")
    try:
        return complex(*parts)
    except OverflowError as error:
        raise UnpicklingError(str(error)) from None


def _ordered(*pairs: Any) -> OrderedDict[Any, Any]:
    items = pairs[0] if pairs else []
    right = len(pairs) <= 1 and all(isinstance(pair, (list, tuple)) and len(pair) == 2 for pair in items)
    _need(right, "an OrderedDict of no pairs")
    return OrderedDict(items)


def _size(sizes: Any = ()) -> Any:
    _need(_is_sizes(tuple(sizes)) if isinstance(sizes, (list, tuple)) else False, "a size of no numbers")
    return _C.Size(sizes)


def _device(name: Any, index: Any = None) -> Any:
    _need(type(name) is str and (index is None or (type(index) is int and 0 <= index < 128)), "a device of no name")
    return _C.device(name if index is None else f"{name}:{index}")


_TENSORS: dict[str, Callable[..., Any]] = {
    "torch._utils._rebuild_tensor": _tensor,
    "torch._utils._rebuild_tensor_v2": _tensor,
    "torch._utils._rebuild_meta_tensor_no_storage": _without_elements,
    "torch._utils._rebuild_parameter": _parameter,
    "torch._utils._rebuild_parameter_with_state": _parameter,
}


def _not_callable(*_: Any) -> Any:
    raise UnpicklingError("a class of storages or tensors is called")


CALLS: dict[str, Callable[..., Any]] = {
    **_TENSORS,
    **{f"torch.{name}": _not_callable for name in STORAGES},
    "torch.storage.UntypedStorage": _not_callable,
    "torch.Tensor": _not_callable,
    "torch.nn.parameter.Parameter": _not_callable,
    "torch._tensor._rebuild_from_type_v2": _of_type,
    "torch.Size": _size,
    "torch.device": _device,
    "collections.OrderedDict": _ordered,
    "collections.Counter": Counter,
    "builtins.set": set,
    "builtins.bytearray": _bytearray,
    "builtins.complex": _complex,
    "_codecs.encode": _encoded,
}
"""What may be called, by its name."""

VALUES: dict[str, Any] = {str(kind): kind for kind in STORAGES.values()}
"""What a name stands for by itself: the dtypes."""


def called(path: str, arguments: tuple[Any, ...]) -> Any:
    """The result of one of the functions.

    Raises UnpicklingError: the arguments are not its arguments.
    """
    try:
        return CALLS[path](*arguments)
    except TypeError as error:
        raise UnpicklingError(f"{path}: {error}") from None
