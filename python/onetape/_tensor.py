"""Parts of Tensor that need no speed: storages, copying, pickling, and what NumPy asks of an array."""

from __future__ import annotations

import copy
import sys
from typing import Any

from onetape import _C
from onetape._C import Tensor, dtype
from onetape._functional import unique
from onetape.storage import TypedStorage, UntypedStorage

__all__: list[str] = []


def storage(self: Tensor) -> TypedStorage:
    """The memory that the tensor is a view of."""
    return TypedStorage(_C._storage_tensor(self), self)


def untyped_storage(self: Tensor) -> UntypedStorage:
    """The memory that the tensor is a view of, as bytes."""
    return UntypedStorage(_C._storage_tensor(self, _C.uint8), self)


_set = Tensor.set_
_KIND = {
    _C.float16: "Half", _C.bfloat16: "BFloat16", _C.float32: "Float", _C.float64: "Double", _C.bool: "Bool",
    _C.uint8: "Byte", _C.int8: "Char", _C.int16: "Short", _C.int32: "Int", _C.int64: "Long",
    _C.complex64: "ComplexFloat", _C.complex128: "ComplexDouble",
}  # fmt: skip


def _as_tensor_of(self: Tensor, source: Any) -> Any:
    """A storage as a vector of self's dtype; anything else as it is."""
    if isinstance(source, TypedStorage) and source.dtype != self.dtype:
        raise RuntimeError(
            f"Expected a Storage of type {_KIND[self.dtype].lower()} or an UntypedStorage, "
            f"but got type {_KIND[source.dtype]} for argument 1 'storage'"
        )
    if isinstance(source, (TypedStorage, UntypedStorage)):
        return _C._storage_tensor(source._elements, self.dtype)
    return source


def set_(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    if args:
        args = (_as_tensor_of(self, args[0]), *args[1:])
    elif "source" in kwargs:
        kwargs["source"] = _as_tensor_of(self, kwargs["source"])
    return _set(self, *args, **kwargs)


set_.__doc__ = _set.__doc__


# ---- copying ----


def __deepcopy__(self: Tensor, memo: dict[Any, Any]) -> Tensor:
    if id(self) in memo:
        found: Tensor = memo[id(self)]
        return found
    if not self.is_leaf:
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  "
            "If you were attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, "
            "see https://github.com/pytorch/pytorch/pull/103001"
        )
    if self.is_meta:
        made = _C.empty_strided(self.size(), self.stride(), dtype=self.dtype, device="meta")
    else:  # tensors that share memory share it in the copy too
        memory = _C._storage_tensor(self)
        key = ("storage", memory.data_ptr(), memory.dtype)
        if key not in memo:
            memo[key] = memory.clone()
            memo[id(memory)] = memory  # keeps the address from being used again while the copy is made
        made = _C._placed(memo[key], self.size(), self.stride(), self.storage_offset())
    made = Tensor._make_subclass(type(self), made, self.requires_grad)
    memo[id(self)] = made
    if self.is_leaf and self.grad is not None:
        made.grad = copy.deepcopy(self.grad, memo)
    if self.__dict__:
        made.__dict__.update(copy.deepcopy(self.__dict__, memo))
    return made


def _rebuild(cls: type[Tensor], data: bytes, dtype: dtype, size: tuple[int, ...], requires_grad: bool) -> Tensor:
    return Tensor._make_subclass(cls, _C._from_bytes(data, dtype, size), requires_grad)


def _rebuild_meta(
    cls: type[Tensor], dtype: dtype, size: tuple[int, ...], stride: tuple[int, ...], requires_grad: bool
) -> Tensor:
    return Tensor._make_subclass(cls, _C.empty_strided(size, stride, dtype=dtype, device="meta"), requires_grad)


def __reduce_ex__(self: Tensor, protocol: Any) -> tuple[Any, ...]:
    if self.is_meta:
        shape = (type(self), self.dtype, tuple(self.shape), self.stride(), self.requires_grad)
        return _rebuild_meta, shape, self.__dict__ or None
    arguments = (type(self), self._to_bytes(), self.dtype, tuple(self.shape), self.requires_grad)
    return _rebuild, arguments, self.__dict__ or None


def __setstate__(self: Tensor, state: dict[str, Any]) -> None:
    self.__dict__.update(state)


# ---- sequences ----


def __reversed__(self: Tensor) -> Tensor:
    return self if self.dim() == 0 else self[_C.arange(len(self) - 1, -1, -1)]


# ---- NumPy and the array API ----


def __array_wrap__(self: Tensor, array: Any, context: Any = None, return_scalar: bool = False) -> Tensor:
    return _C.as_tensor(array)


def __array_namespace__(self: Tensor, *, api_version: str | None = None) -> Any:
    return sys.modules["onetape"]


for _function in (
    storage,
    untyped_storage,
    set_,
    __deepcopy__,
    __reduce_ex__,
    __setstate__,
    __reversed__,
    unique,
    __array_wrap__,
    __array_namespace__,
):
    setattr(Tensor, _function.__name__, _function)
