"""The base class of all modules."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from onetape import _C
from onetape._C import Tensor, device, dtype
from onetape._registry import Registry
from onetape.autograd import no_grad
from onetape.nn.modules._hooks import CalledModule
from onetape.nn.parameter import Parameter

__all__ = ["Module"]

M = TypeVar("M", bound="Module")


def _indented(text: str) -> str:
    """All lines but the first are moved in."""
    return text.replace("\n", "\n  ")


def _conversion(args: tuple[Any, ...], wanted: Any, place: Any, like: Any) -> tuple[Any, Any]:
    """The dtype and the device that Module.to is asked for, or None."""
    for value in (*args, wanted, like, place):
        if isinstance(value, Tensor):
            wanted, place = value.dtype, value.device
        elif isinstance(value, dtype):
            wanted = value
        elif isinstance(value, (str, device, int)) and not isinstance(value, bool):
            place = _C.device(value)
    return wanted, place


class Module(CalledModule):
    """Base class of neural network modules.

    A subclass calls ``super().__init__()``, assigns parameters and modules to attributes, and defines ``forward``.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if args or kwargs:
            name = f"{type(self).__name__}.__init__()"
            if kwargs:
                raise TypeError(f"{name} got an unexpected keyword argument '{next(iter(kwargs))}'")
            raise TypeError(
                f"{name} takes 1 positional argument but {len(args) + 1} {'was' if not args else 'were'} given"
            )
        super().__init__()

    # ---- all modules and tensors at once ----

    def apply(self: M, fn: Callable[[Module], Any]) -> M:
        """Calls fn for every module below this one and then for itself."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def _apply(self: M, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> M:
        """Replaces the elements of every parameter, its gradient and every buffer by what fn makes of them."""
        if recurse:
            for module in self.children():
                module._apply(fn)
        for name, parameter in self._parameters.items():
            if parameter is None:
                continue
            grad = parameter.grad
            with no_grad():
                changed = fn(parameter)
                changed_grad = None if grad is None else fn(grad)
            if changed.device == parameter.device:
                parameter.data = changed
                if grad is not None and changed_grad is not None:
                    grad.data = changed_grad
                continue
            moved = self._parameters[name] = Parameter(changed, parameter.requires_grad)
            if grad is not None and changed_grad is not None:
                moved.grad = changed_grad.requires_grad_(grad.requires_grad)
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def to(
        self: M,
        *args: Any,
        dtype: Any = None,
        device: Any = None,
        tensor: Tensor | None = None,
        non_blocking: bool = False,
        memory_format: Any = None,
    ) -> M:
        """Moves parameters and buffers, and converts floating-point ones: to(dtype), to(device, dtype), to(tensor).

        Parameters stay the same objects, but for a move between the CPU and meta. NotImplementedError: from meta, where
        there are no elements; use to_empty().
        """
        wanted, place = _conversion(args, dtype, device, tensor)
        if wanted is not None and not (wanted.is_floating_point or wanted.is_complex):
            raise TypeError(
                f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={wanted}"
            )

        def convert(t: Tensor) -> Tensor:
            try:
                return t.to(place, wanted if t.is_floating_point() or t.is_complex() else None)
            except NotImplementedError as error:
                if str(error) != "Cannot copy out of meta tensor; no data!":
                    raise
                raise NotImplementedError(
                    f"{error} Please use torch.nn.Module.to_empty() instead of torch.nn.Module.to() when moving module "
                    "from meta to a different device."
                ) from None

        return self._apply(convert)

    def _floating_to(self: M, wanted: Any) -> M:
        return self._apply(lambda t: t.to(wanted) if t.is_floating_point() else t)

    def float(self: M) -> M:
        """Converts floating-point parameters and buffers to float32, in place."""
        return self._floating_to(_C.float32)

    def double(self: M) -> M:
        """Converts floating-point parameters and buffers to float64, in place."""
        return self._floating_to(_C.float64)

    def half(self: M) -> M:
        """Converts floating-point parameters and buffers to float16, in place."""
        return self._floating_to(_C.float16)

    def bfloat16(self: M) -> M:
        """Converts floating-point parameters and buffers to bfloat16, in place."""
        return self._floating_to(_C.bfloat16)

    def type(self: M, dst_type: Any) -> M:
        """Converts all parameters and buffers to a dtype, in place."""
        return self._apply(lambda t: t.type(dst_type))

    def cpu(self: M) -> M:
        """The module itself: its tensors are there already."""
        return self._apply(lambda t: t.cpu())

    def cuda(self: M, device: Any = None) -> M:
        """AssertionError: there is no CUDA device."""
        return self._apply(lambda t: t.cuda(device))

    def xpu(self: M, device: Any = None) -> M:
        """AssertionError: there is no XPU."""
        return self._apply(lambda t: t.xpu(device))

    def ipu(self: M, device: Any = None) -> M:
        """RuntimeError: there is no IPU."""
        return self._apply(lambda t: t.to("ipu"))

    def to_empty(self: M, *, device: Any, recurse: bool = True) -> M:
        """Replaces all tensors by ones of the same shape whose elements are not set."""
        return self._apply(lambda t: _C.empty_like(t, device=device), recurse=recurse)

    def requires_grad_(self: M, requires_grad: bool = True) -> M:
        """Sets for all parameters whether gradients are wanted."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Clears the gradients of all parameters; set_to_none: drops them, else fills them with zeros."""
        for parameter in self.parameters():
            if parameter.grad is None:
                continue
            if set_to_none:
                parameter.grad = None
            else:
                parameter.grad = parameter.grad.detach()
                parameter.grad.zero_()

    def train(self: M, mode: bool = True) -> M:
        """Puts this module and all below it into training mode, or with False into evaluation mode."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self: M) -> M:
        """Puts this module and all below it into evaluation mode."""
        return self.train(False)

    def share_memory(self: M) -> M:
        """The module itself: its tensors can be used by all threads already."""
        return self

    # ---- as text and as bytes ----

    def extra_repr(self) -> str:
        """What repr() shows of the module itself; override it."""
        return ""

    def _get_name(self) -> str:
        return type(self).__name__

    def _child_lines(self) -> Iterator[str]:
        for name, module in self._modules.items():
            yield f"({name}): {_indented(repr(module))}"

    def __repr__(self) -> str:
        extra = self.extra_repr()
        own = extra.split("\n") if extra else []
        children = list(self._child_lines())
        if len(own) == 1 and not children:
            return f"{self._get_name()}({own[0]})"
        lines = "".join(f"\n  {line}" for line in own + children)
        return f"{self._get_name()}({lines}\n)" if lines else f"{self._get_name()}()"

    def __setstate__(self, state: dict[str, Any]) -> None:
        fresh = Module.__new__(Module)
        CalledModule.__init__(fresh)
        for name, value in fresh.__dict__.items():
            if isinstance(value, Registry):  # hooks that a saved older module did not have
                self.__dict__[name] = value
        self.__dict__.update(state)
