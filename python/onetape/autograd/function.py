"""Custom functions: ``forward`` and ``backward`` written in Python as one node of the graph."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from onetape._C import Tensor, _apply_function, _FunctionBase
from onetape.autograd.grad_mode import no_grad

__all__ = ["Function", "FunctionCtx", "FunctionMeta", "once_differentiable"]


class FunctionCtx(_FunctionBase):
    """What ``forward`` hands on to ``backward``; programs may set attributes of their own."""

    _forward_cls: type[Function]

    @property
    def _backward_function(self) -> Callable[..., Any]:
        cls = self._forward_cls
        own_backward = cls.backward is not Function.backward
        own_vjp = cls.vjp is not Function.vjp
        if own_backward and own_vjp:
            raise RuntimeError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. "
                "You should only implement one of them."
            )
        return cls.vjp if own_vjp else cls.backward


class FunctionMeta(type):
    """Gives every function the class of its contexts, which names its node too: ``MyReLUBackward`` of ``MyReLU``."""

    _backward_cls: type[FunctionCtx]
    _has_setup_context: bool

    def __init__(cls, name: str, bases: tuple[type, ...], attributes: dict[str, Any]) -> None:
        super().__init__(name, bases, attributes)
        cls._backward_cls = type(f"{name}Backward", (FunctionCtx,), {"_forward_cls": cls, "__module__": cls.__module__})
        cls._has_setup_context = any(
            "setup_context" in base.__dict__ for base in cls.__mro__ if base.__name__ != "Function"
        )


class Function(metaclass=FunctionMeta):
    """An operation with a gradient of its own: subclass it, write the static methods, call ``apply``."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        import warnings

        warnings.warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you should "
            "invoke them on the class itself. Instantiating an autograd function will raise an error in a future "
            "version of PyTorch.",
            DeprecationWarning,
            stacklevel=2,
        )

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """``forward(ctx, *args)``; or ``forward(*args)`` where there is a ``setup_context``."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Saves what backward needs, apart from ``forward``."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """The gradients of the arguments of ``forward``, from those of its outputs; None where there is none."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with "
            "backward mode AD."
        )

    @staticmethod
    def vjp(ctx: Any, *grad_outputs: Any) -> Any:
        """Another name for ``backward``."""
        return Function.backward(ctx, *grad_outputs)

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """For forward mode: the tangents of the outputs, from those of the arguments.

        A tangent of an input that was changed in place is changed in place, too. What jvp needs is kept by
        ``ctx.save_for_forward``.
        """
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
        )

    @staticmethod
    def vmap(info: Any, in_dims: Any, *args: Any) -> Any:
        """The function over a batch; there is no vmap that would call it."""
        raise NotImplementedError(
            "To use autograd.Function with vmap, you must either override the vmap staticmethod or set "
            "generate_vmap_rule=True."
        )

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Runs ``forward`` and records the function if an argument requires a gradient."""
        if kwargs or cls._has_setup_context:
            args = _positional(cls, args, kwargs)
        return _apply_function(cls, args)


def _positional(cls: type[Function], args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """The arguments of forward in its order, with its defaults where it has a setup_context of its own."""
    code = getattr(cls.forward, "__code__", None)
    if code is not None and not kwargs and len(args) >= code.co_argcount:
        return args
    from inspect import signature  # slow to load

    bound = signature(cls.forward).bind(*(args if cls._has_setup_context else (None, *args)), **kwargs)
    if cls._has_setup_context:
        bound.apply_defaults()
    return bound.args if cls._has_setup_context else bound.args[1:]


class _TwiceError(Function):
    """Stands for a gradient that cannot be differentiated again."""

    @staticmethod
    def forward(ctx: Any, *tensors: Tensor) -> tuple[Tensor, ...]:
        return tuple(t.detach() for t in tensors)

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        raise RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable")


def once_differentiable(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a ``backward`` that is not made of recorded operators.

    A second derivative through it is an error instead of a wrong number.
    """

    @functools.wraps(function)
    def wrapped(ctx: Any, *args: Any) -> Any:
        with no_grad():
            outputs = function(ctx, *args)
        wanted = [a for a in args if isinstance(a, Tensor) and a.requires_grad]
        if not wanted:
            return outputs
        single = not isinstance(outputs, tuple)
        grads = (outputs,) if single else outputs
        # The error node hangs on what came in; the gradients hang on the error node.
        tensors = [g for g in grads if isinstance(g, Tensor)]
        linked = iter(_TwiceError.apply(*(g.detach().requires_grad_() for g in tensors)))
        result = tuple(next(linked) if isinstance(g, Tensor) else g for g in grads)
        return result[0] if single else result

    return wrapped
