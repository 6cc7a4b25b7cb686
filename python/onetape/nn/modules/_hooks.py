"""Calling a module, with the hooks that surround the call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from onetape._C import Tensor
from onetape._registry import Registry, RemovableHandle
from onetape.autograd import Function
from onetape.nn.modules._state import ModuleState


class _Hook:
    """A forward hook with the choices made when it was registered."""

    __slots__ = ("always_call", "function", "with_kwargs")

    def __init__(self, function: Callable[..., Any], with_kwargs: bool, always_call: bool = False) -> None:
        self.function = function
        self.with_kwargs = with_kwargs
        self.always_call = always_call


class _Border(Function):
    """Passes tensors through and lets a function see, and replace, their gradients on the way back."""

    @staticmethod
    def forward(ctx: Any, seen: Callable[..., Any], *tensors: Tensor) -> tuple[Tensor, ...]:
        ctx.seen = seen
        ctx.set_materialize_grads(False)
        return tuple(tensor.view_as(tensor) for tensor in tensors)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor | None) -> tuple[Any, ...]:
        return None, *ctx.seen(grads)


def _through(seen: Callable[..., Any], values: Any) -> Any:
    """The same value with its tensors led through a border; values without tensors that matter come back unchanged."""
    items = values if isinstance(values, tuple) else (values,)
    at = [i for i, item in enumerate(items) if isinstance(item, Tensor) and item.requires_grad]
    if not at:
        return values
    passed = _Border.apply(lambda grads: _spread(seen, grads, at, len(items)), *(items[i] for i in at))
    result = list(items)
    for i, tensor in zip(at, passed if isinstance(passed, tuple) else (passed,), strict=True):
        result[i] = tensor
    return tuple(result) if isinstance(values, tuple) else result[0]


def _spread(seen: Callable[..., Any], grads: tuple[Any, ...], at: list[int], count: int) -> tuple[Any, ...]:
    """Shows the gradients in the places of the values they belong to."""
    places: list[Any] = [None] * count
    for i, grad in zip(at, grads, strict=True):
        places[i] = grad
    after = seen(tuple(places))
    return tuple(after[i] for i in at)


def _replaced(answer: Any, grads: tuple[Any, ...], hook: str) -> tuple[Any, ...]:
    if answer is None:
        return grads
    answers = answer if isinstance(answer, tuple) else (answer,)
    if len(answers) != len(grads):
        raise RuntimeError(
            f"Backward hook returned an invalid number of grad in {hook}, got {len(answers)}, but expected {len(grads)}"
        )
    return answers


class _BackwardCall:
    """One forward call whose gradients the module's backward hooks want to see."""

    def __init__(self, module: CalledModule) -> None:
        self.module = module
        self.grad_output: tuple[Any, ...] = ()
        self.input_seen = False

    def enter(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        passed = _through(self._saw_input, args)
        self.input_seen = passed is not args
        return passed  # type: ignore[no-any-return]

    def leave(self, result: Any) -> Any:
        return _through(self._saw_output, result)

    def _saw_output(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        for hook in self.module._backward_pre_hooks.values():
            grads = _replaced(hook(self.module, grads), grads, "grad_output")
        self.grad_output = grads
        if not self.input_seen:  # no input needs a gradient, so nothing more will come
            for hook in self.module._backward_hooks.values():
                hook(self.module, (), grads)
        return grads

    def _saw_input(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        for hook in self.module._backward_hooks.values():
            grads = _replaced(hook(self.module, grads, self.grad_output), grads, "grad_input")
        return grads


class CalledModule(ModuleState):
    """A module that can be called: hooks before, forward(), hooks after."""

    _forward_hooks: Registry
    _forward_pre_hooks: Registry
    _backward_hooks: Registry
    _backward_pre_hooks: Registry

    def __init__(self) -> None:
        super().__init__()
        for name in ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks"):
            self.__dict__[name] = Registry()

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the module computes; every module defines its own."""
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not (self._forward_pre_hooks or self._forward_hooks or self._backward_hooks or self._backward_pre_hooks):
            return self.forward(*args, **kwargs)
        done = False
        try:
            args, kwargs = self._before(args, kwargs)
            backward = _BackwardCall(self) if self._backward_hooks or self._backward_pre_hooks else None
            if backward:
                args = backward.enter(args)
            result = self.forward(*args, **kwargs)
            for hook in self._forward_hooks.values():
                result = self._after(hook, args, kwargs, result)
            done = True
            return backward.leave(result) if backward else result
        finally:
            if not done:
                for hook in self._forward_hooks.values():
                    if hook.always_call:
                        self._after(hook, args, kwargs, None)

    def _before(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        for hook in self._forward_pre_hooks.values():
            if hook.with_kwargs:
                answer = hook.function(self, args, kwargs)
                if answer is None:
                    continue
                if not (isinstance(answer, tuple) and len(answer) == 2):
                    raise RuntimeError(
                        f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {answer}."
                    )
                args, kwargs = answer
            else:
                answer = hook.function(self, args)
                if answer is not None:
                    args = answer if isinstance(answer, tuple) else (answer,)
        return args, kwargs

    def _after(self, hook: _Hook, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> Any:
        seen = (args, kwargs, result) if hook.with_kwargs else (args, result)
        answer = hook.function(self, *seen)
        return result if answer is None else answer

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Has hook(module, args) called before forward(); what it returns replaces the arguments.

        prepend: before the hooks already there. with_kwargs: calls hook(module, args, kwargs) instead.
        """
        return self._forward_pre_hooks.add(_Hook(hook, with_kwargs), prepend)

    def register_forward_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """Has hook(module, args, result) called after forward(); what it returns replaces the result.

        with_kwargs: calls hook(module, args, kwargs, result). always_call: also where forward() raised, with None.
        """
        return self._forward_hooks.add(_Hook(hook, with_kwargs, always_call), prepend)

    def register_full_backward_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Has hook(module, grad_input, grad_output) called in backward; what it returns replaces grad_input."""
        return self._backward_hooks.add(hook, prepend)

    register_backward_hook = register_full_backward_hook

    def register_full_backward_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Has hook(module, grad_output) called in backward; what it returns replaces grad_output."""
        return self._backward_pre_hooks.add(hook, prepend)
