"""Tensors that modules keep: parameters, which are trained, and buffers, which are not."""

from __future__ import annotations

from typing import Any

from onetape import _C
from onetape._C import Tensor

__all__ = ["Buffer", "Parameter"]


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
