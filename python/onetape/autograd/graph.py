"""The recorded graph: its nodes, hooks on several gradients, hooks on what is saved for backward."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import onetape._C as _C
from onetape._C import Node, RemovableHandle, Tensor

__all__ = [
    "GradientEdge",
    "Node",
    "RemovableHandle",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
]


class GradientEdge(NamedTuple):
    """Where the gradient of a tensor goes: to output number output_nr of a node."""

    node: Node
    output_nr: int


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """The node that gets the gradient of a tensor: its grad_fn, or the AccumulateGrad node of a leaf.

    Raises RuntimeError: the tensor does not require a gradient.
    """
    if not tensor.requires_grad:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    if tensor.grad_fn is not None:
        return GradientEdge(tensor.grad_fn, tensor.output_nr)
    with _recording():
        return GradientEdge(tensor.view(tensor.shape).grad_fn.next_functions[0][0], 0)


@contextmanager
def _recording() -> Iterator[None]:
    before = _C.is_grad_enabled()
    _C._set_grad_enabled(True)
    try:
        yield
    finally:
        _C._set_grad_enabled(before)


def increment_version(tensor: Tensor | Sequence[Tensor]) -> None:
    """Notes that the elements of tensors were changed in place by something that autograd does not see."""
    for one in (tensor,) if isinstance(tensor, Tensor) else tensor:
        _C._increment_version(one)


class saved_tensors_hooks:
    """In a ``with`` block: what is saved for backward goes through pack_hook(tensor), and back through unpack_hook.

    unpack_hook gets what pack_hook returned, and must give a tensor of the same content. Of nested blocks the innermost
    counts.
    Raises RuntimeError: pack_hook changes the tensor in place, or hooks are disabled.
    """

    def __init__(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]) -> None:
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def __enter__(self) -> None:
        _C._push_saved_hooks(self.pack_hook, self.unpack_hook)

    def __exit__(self, *error: object) -> None:
        _C._pop_saved_hooks()


class save_on_cpu(saved_tensors_hooks):
    """In a ``with`` block: keeps copies in CPU memory for backward, where tensors may live elsewhere.

    All tensors of this library do live on the CPU, so this only copies. pin_memory has no effect.
    """

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        def pack(tensor: Tensor) -> Tensor:
            return tensor.detach().clone()

        def unpack(packed: Tensor) -> Tensor:
            return packed

        super().__init__(pack, unpack)


@contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """In a ``with`` block: setting hooks for saved tensors is an error with this message, as it is if some are set."""
    before = _C._disable_saved_hooks(error_message)
    try:
        yield
    finally:
        _C._restore_saved_hooks(before)


class _Handles:
    """Handles of several hooks as one."""

    def __init__(self, handles: Sequence[Any]) -> None:
        self.handles = tuple(handles)

    def remove(self) -> None:
        for handle in self.handles:
            handle.remove()

    def __enter__(self) -> _Handles:
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()


def register_multi_grad_hook(
    tensors: Sequence[Tensor],
    fn: Callable[[Sequence[Tensor | None]], None] | Callable[[Tensor], None],
    *,
    mode: str = "all",
) -> _Handles:
    """Calls fn in every backward pass that reaches any of the tensors.

    mode "all": once the gradients of all that the pass reaches are there, with a list of them (None for the others).
    mode "any": with the first gradient that is there.
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    for tensor in tensors:
        assert tensor.requires_grad, "Expected gradient function to be set"
    if mode == "all":
        return _register_all(tensors, fn)  # type: ignore[arg-type]
    return _register_any(tensors, fn)  # type: ignore[arg-type]


def _register_all(tensors: Sequence[Tensor], fn: Callable[[Sequence[Tensor | None]], None]) -> _Handles:
    lock = threading.Lock()
    passes: dict[int, tuple[int, list[Tensor | None]]] = {}  # gradients still to come, and those that are there

    def hook_of(place: int) -> Callable[[Tensor], None]:
        def hook(grad: Tensor) -> None:
            run = _C._current_graph_task_id()
            with lock:
                missing, grads = passes.get(run) or (sum(map(_C._will_execute, tensors)), [None] * len(tensors))
                missing -= 1
                grads[place] = grad
                passes[run] = missing, grads
                complete = missing == 0
                if complete:
                    del passes[run]
            if complete:
                fn(grads)

        return hook

    return _Handles([tensor.register_hook(hook_of(i)) for i, tensor in enumerate(tensors)])


def _register_any(tensors: Sequence[Tensor], fn: Callable[[Tensor], None]) -> _Handles:
    lock = threading.Lock()
    last = -1

    def hook(grad: Tensor) -> None:
        nonlocal last
        run = _C._current_graph_task_id()
        with lock:
            first, last = run != last, run
        if first:
            fn(grad)

    return _Handles([tensor.register_hook(hook) for tensor in tensors])
