"""Tensors that modules keep: parameters, which are trained, and buffers, which are not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from onetape import _C
from onetape._C import Tensor

__all__ = [
    "Buffer",
    "Parameter",
    "UninitializedBuffer",
    "UninitializedParameter",
    "UninitializedTensorMixin",
    "is_lazy",
]


def _rebuild_parameter(cls: type[Parameter], data: Tensor, requires_grad: bool) -> Parameter:
    return cls(data, requires_grad)


class Parameter(Tensor):
    """A tensor that a module counts among its parameters once it is assigned to one of the module's attributes.

    data: the elements, which are shared and not copied.
    requires_grad: whether gradients are wanted.
    """

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Parameter:
        elements = _C.empty(0) if data is None else data
        if not isinstance(elements, Tensor):
            raise TypeError(f"Parameter data must be a tensor, not {type(elements).__name__}")
        if requires_grad and not (elements.is_floating_point() or elements.is_complex()):
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        made: Parameter = Tensor._make_subclass(cls, elements, requires_grad)
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> Parameter:
        if id(self) not in memo:
            copy = type(self)(self.data.clone(), self.requires_grad)
            copy.__dict__.update(self.__dict__)
            memo[id(self)] = copy
        found: Parameter = memo[id(self)]
        return found

    def __repr__(self) -> str:
        return "Parameter containing:\n" + str(_C._repr(self, "tensor"))

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return _rebuild_parameter, (type(self), self.data, self.requires_grad), self.__dict__ or None


class _BufferMeta(type(Tensor)):  # type: ignore[misc]
    """A buffer is any tensor with a mark, so that marking one does not change its class."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and getattr(instance, "_is_buffer", False)


class Buffer(Tensor, metaclass=_BufferMeta):
    """A tensor that a module counts among its buffers once it is assigned to one of the module's attributes.

    persistent: whether it belongs to the module's state_dict().
    """

    persistent: bool

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Tensor:  # type: ignore[misc]
        source = _C.empty(0) if data is None else data
        made = source.detach().requires_grad_(source.requires_grad)
        made.persistent = persistent  # type: ignore[attr-defined]
        made._is_buffer = True  # type: ignore[attr-defined]
        return made


_CONVERSIONS = ("half", "float", "double", "char", "short", "int", "long", "cuda", "cpu", "to")
_ALLOWED = {
    *_CONVERSIONS,
    *("size", "copy_", "is_complex", "is_floating_point", "get_device"),
    *("__new__", "__repr__", "__hash__", "__format__", "__deepcopy__", "__reduce_ex__", "__setstate__"),
}
"""What can be called on a tensor that has no shape yet."""


class UninitializedTensorMixin:
    """What tensors without a shape have in common: they are made and kept, and calculated with only afterwards."""

    cls_to_become: ClassVar[type[Tensor]]
    data: Any

    def materialize(self, shape: Sequence[int], device: Any = None, dtype: Any = None) -> None:
        """Gives the tensor its shape, whose elements are not set; from now on it is a parameter or buffer as others."""
        self.data = _C.empty(tuple(shape), device=device, dtype=self.data.dtype if dtype is None else dtype)
        self.__class__ = self.cls_to_become  # type: ignore[assignment]

    @property
    def shape(self) -> Any:
        """RuntimeError: there is none yet."""
        raise RuntimeError(
            "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
            "`load_state_dict` when trying to load an uninitialized parameter into an initialized one. Call `forward` "
            "to initialize the parameters before accessing their attributes."
        )

    def share_memory_(self) -> Any:
        """RuntimeError: there are no elements yet."""
        raise RuntimeError(
            "Can't share memory on an uninitialized parameter or buffer. Call `forward` to initialize the parameters "
            "before calling `module.share_memory()`."
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


def _refusing(name: str) -> Callable[..., Any]:
    def refuse(self: Any, *args: Any, **kwargs: Any) -> Any:
        raise ValueError(
            f"Attempted to use an uninitialized parameter in {getattr(Tensor, name)}. This error happens when you are "
            f"using a `LazyModule` or explicitly manipulating `torch.nn.parameter.{type(self).__name__}` objects. When "
            "using LazyModules Call `forward` with a dummy batch to initialize the parameters before calling torch "
            "functions"
        )

    return refuse


for _name, _member in list(vars(Tensor).items()):
    if callable(_member) and _name not in _ALLOWED and (_name.startswith("__") or not _name.startswith("_")):
        setattr(UninitializedTensorMixin, _name, _refusing(_name))
UninitializedTensorMixin.__hash__ = Tensor.__hash__  # type: ignore[assignment]


def is_lazy(param: Any) -> bool:
    """Whether a tensor has no shape yet."""
    return isinstance(param, UninitializedTensorMixin)


def _rebuild_uninitialized(cls: Any, requires_grad: bool, dtype: Any) -> Any:
    return cls(requires_grad, dtype=dtype)


class UninitializedParameter(UninitializedTensorMixin, Parameter):
    """A parameter whose shape follows from the first input of its module; ``materialize()`` makes it a Parameter."""

    cls_to_become = Parameter

    def __new__(cls, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> UninitializedParameter:
        made: UninitializedParameter = Tensor._make_subclass(
            cls, _C.empty(0, device=device, dtype=dtype), requires_grad
        )
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> UninitializedParameter:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.requires_grad, dtype=self.data.dtype)
        found: UninitializedParameter = memo[id(self)]
        return found

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return _rebuild_uninitialized, (type(self), self.requires_grad, self.data.dtype)


class UninitializedBuffer(UninitializedTensorMixin, Tensor):
    """A buffer whose shape follows from the first input of its module; ``materialize()`` makes it a plain tensor."""

    cls_to_become = Tensor
    persistent: bool
    _is_buffer: bool

    def __new__(
        cls, requires_grad: bool = False, device: Any = None, dtype: Any = None, persistent: bool = True
    ) -> UninitializedBuffer:
        made: UninitializedBuffer = Tensor._make_subclass(cls, _C.empty(0, device=device, dtype=dtype), requires_grad)
        made.persistent = persistent
        made._is_buffer = True
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> UninitializedBuffer:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.requires_grad, dtype=self.data.dtype, persistent=self.persistent)
        found: UninitializedBuffer = memo[id(self)]
        return found

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return _rebuild_uninitialized, (type(self), self.requires_grad, self.data.dtype)


def _converting(name: str) -> Callable[..., Any]:
    def convert(self: UninitializedBuffer, *args: Any, **kwargs: Any) -> UninitializedBuffer:
        """A buffer without a shape, of the dtype that the conversion gives."""
        made = getattr(self.data, name)(*args, **kwargs)
        return type(self)(self.requires_grad, dtype=made.dtype, persistent=self.persistent)

    return convert


for _name in _CONVERSIONS:
    setattr(UninitializedBuffer, _name, _converting(_name))
