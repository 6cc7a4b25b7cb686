"""Trading time for memory: parts of a forward pass that keep nothing for backward, and run again in it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import onetape._C as _C
from onetape._C import Tensor
from onetape._C import _CheckpointError as CheckpointError
from onetape.autograd import Function, backward, enable_grad, no_grad

__all__ = [
    "CheckpointError",
    "CheckpointFunction",
    "check_backward_validity",
    "checkpoint",
    "checkpoint_sequential",
    "detach_variable",
    "noop_context_fn",
    "set_checkpoint_early_stop",
]

_early_stop: list[bool] = []
"""Set by set_checkpoint_early_stop; the last one counts."""

_Contexts = tuple[AbstractContextManager[Any], AbstractContextManager[Any]]


def noop_context_fn() -> _Contexts:
    """Contexts that do nothing: for the first time and for the recomputation."""
    return nullcontext(), nullcontext()


@contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """In a ``with`` block: whether checkpoints made inside stop their recomputation when they have all they need."""
    _early_stop.append(enable)
    try:
        yield
    finally:
        _early_stop.pop()


def check_backward_validity(inputs: Sequence[Any]) -> None:
    """Warns if none of the inputs requires a gradient."""
    if not any(isinstance(x, Tensor) and x.requires_grad for x in inputs):
        warnings.warn("None of the inputs have requires_grad=True. Gradients will be None", stacklevel=2)


def detach_variable(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """The tensors among the inputs without history, requiring a gradient where they did."""
    return tuple(x.detach().requires_grad_(x.requires_grad) if isinstance(x, Tensor) else x for x in inputs)


@contextmanager
def _random_state(state: Tensor | None) -> Iterator[None]:
    """Random numbers as from the given state; then those that would have come without."""
    if state is None:
        yield
        return
    generator = _C.default_generator
    before = generator.get_state()
    generator.set_state(state)
    try:
        yield
    finally:
        generator.set_state(before)


class CheckpointFunction(Function):
    """What ``use_reentrant=True`` makes: one node, whose backward runs a pass of its own."""

    @staticmethod
    def forward(ctx: Any, run_function: Callable[..., Any], preserve_rng_state: bool, *args: Any) -> Any:
        check_backward_validity(args)
        ctx.run_function = run_function
        ctx.random_state = _C.default_generator.get_state() if preserve_rng_state else None
        ctx.others = [None if isinstance(a, Tensor) else a for a in args]
        ctx.places = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        ctx.save_for_backward(*(args[i] for i in ctx.places))
        with no_grad():
            return run_function(*args)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        if _C._run_is_selective():
            raise RuntimeError(
                "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` "
                "parameter to .backward(). To resolve this error, you can either set use_reentrant=False, or call "
                ".backward() without passing the `inputs` argument."
            )
        inputs = list(ctx.others)
        for place, tensor in zip(ctx.places, ctx.saved_tensors, strict=True):
            inputs[place] = tensor
        detached = detach_variable(tuple(inputs))
        with _random_state(ctx.random_state), enable_grad():
            outputs = ctx.run_function(*detached)
        outputs = (outputs,) if isinstance(outputs, Tensor) else outputs
        roots = [(y, g) for y, g in zip(outputs, grads, strict=True) if isinstance(y, Tensor) and y.requires_grad]
        if not roots:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        backward([y for y, _ in roots], [g for _, g in roots])
        return (None, None, *(x.grad if isinstance(x, Tensor) and x.is_leaf else None for x in detached))


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Callable[[], _Contexts] = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    **kwargs: Any,
) -> Any:
    """function(*args, **kwargs), of which only the tensors among args are kept for backward.

    Backward calls the function again. Keyword arguments of its own besides those of the function:
    use_reentrant: False (better) keeps the graph and recomputes what it saved; True makes one node of it all, which
        backward goes through in a pass of its own, needs an input that requires a gradient, and takes no kwargs.
    preserve_rng_state: True for the same random numbers in both runs.
    context_fn: gives a context for the first run and one for the second.
    determinism_check: "none" accepts recomputed tensors of other shapes.
    early_stop: ends the second run when all that is needed has been computed.
    Raises CheckpointError: the second run saves other tensors than the first.
    """
    if use_reentrant is None:
        warnings.warn(
            "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. Pass "
            "use_reentrant=False, which is recommended, or use_reentrant=True.",
            stacklevel=2,
        )
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if use_reentrant:
        if kwargs:
            raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
        if context_fn is not noop_context_fn or debug is not False:
            raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
        return CheckpointFunction.apply(function, preserve, *args)
    if determinism_check not in ("default", "none"):
        raise ValueError(
            f"determinism_check should be one of ['default', 'none'] but got determinism_check={determinism_check}"
        )
    if not _C.is_grad_enabled():
        return function(*args, **kwargs)
    first, second = context_fn()

    def forward(*inputs: Any) -> Any:
        with first:
            return function(*inputs, **kwargs)

    def again(*inputs: Any) -> Any:
        with second:
            return function(*inputs, **kwargs)

    stop = _early_stop[-1] if _early_stop else early_stop
    return _C._run_checkpoint(forward, again, args, preserve, stop, determinism_check == "default")


def checkpoint_sequential(
    functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any
) -> Any:
    """The functions (or the modules of a Sequential) one after the other, all but the last segment as checkpoints.

    With about as many segments as the square root of the number of functions, memory grows as that root.
    """
    if use_reentrant is None:
        warnings.warn(
            "torch.utils.checkpoint.checkpoint_sequential: the use_reentrant parameter should be passed explicitly. "
            "Pass use_reentrant=False, which is recommended, or use_reentrant=True.",
            stacklevel=2,
        )
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    if hasattr(functions, "children"):
        functions = list(functions.children())
    functions = list(functions)
    length = len(functions) // segments

    def part(start: int, end: int) -> Callable[..., Any]:
        def run(x: Any) -> Any:
            for function in functions[start:end]:
                x = function(x)
            return x

        return run

    end = 0
    for start in range(0, length * (segments - 1), length or 1):
        end = start + length
        input = checkpoint(part(start, end), input, use_reentrant=use_reentrant, preserve_rng_state=preserve)
    return part(end, len(functions))(input)
