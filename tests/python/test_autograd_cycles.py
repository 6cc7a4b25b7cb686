"""Cycles through the graph, which the collector has to find: contexts of functions, hooks, notes on nodes."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import onetape as torch
from onetape.autograd.graph import saved_tensors_hooks
from onetape.utils.checkpoint import checkpoint


class Mark:
    """Shows by its end that the cycle is gone."""


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        return grad * 2


def leaf() -> torch.Tensor:
    return torch.ones(2, requires_grad=True)


def hook_with(*held: Any) -> Callable[..., None]:
    """A hook that keeps some things and does nothing."""

    def hook(*grads: Any) -> None:
        assert held

    return hook


def context_holds_its_result(mark: Mark) -> None:
    y = Double.apply(leaf())
    y.grad_fn.held = y, mark


def context_holds_a_later_result(mark: Mark) -> None:
    y = z = Double.apply(leaf())
    for _ in range(1000):
        z = z * 2
    y.grad_fn.held = z, mark


def context_holds_the_end_of_a_diamond(mark: Mark) -> None:
    y = Double.apply(leaf())
    y.grad_fn.held = y * y + y.exp(), mark


def context_holds_a_view(mark: Mark) -> None:
    y = Double.apply(leaf())
    y.grad_fn.held = y[0], mark


def context_after_backward(mark: Mark) -> None:
    y = Double.apply(leaf())
    y.grad_fn.held = y, mark
    y.sum().backward()


def context_holds_a_gradient_with_a_graph(mark: Mark) -> None:
    x = leaf()
    y = Double.apply(x)
    y.sum().backward(create_graph=True)
    y.grad_fn.held = x, x.grad, mark


def hook_of_a_result(mark: Mark) -> None:
    y = leaf() * 2
    y.register_hook(hook_with(y, mark))


def hook_of_a_leaf(mark: Mark) -> None:
    x = leaf()
    x.register_hook(hook_with(x, mark))


def hook_after_accumulation(mark: Mark) -> None:
    x = leaf()
    x.register_post_accumulate_grad_hook(hook_with(x, mark))


def hooks_of_a_node(mark: Mark) -> None:
    y = leaf() * 2
    y.grad_fn.register_hook(hook_with(y, mark))
    y.grad_fn.register_prehook(hook_with(y, mark))


def hook_with_its_handle(mark: Mark) -> None:
    y = leaf() * 2
    handle = y.register_hook(lambda grad: mark and handle.remove())


def notes_of_a_node(mark: Mark) -> None:
    y = leaf() * 2
    y.grad_fn.metadata["held"] = y, mark


def packed_tensor(mark: Mark) -> None:
    held: list[Any] = [mark]
    with saved_tensors_hooks(lambda t: (t.detach(), held), lambda packed: packed[0]):
        held.append(leaf().exp())


def inputs_of_a_checkpoint(mark: Mark) -> None:
    y = checkpoint(lambda x, other: x.exp(), leaf(), mark, use_reentrant=False)
    y.grad_fn.metadata["held"] = y


CYCLES = [
    context_holds_its_result,
    context_holds_a_later_result,
    context_holds_the_end_of_a_diamond,
    context_holds_a_view,
    context_after_backward,
    context_holds_a_gradient_with_a_graph,
    hook_of_a_result,
    hook_of_a_leaf,
    hook_after_accumulation,
    hooks_of_a_node,
    hook_with_its_handle,
    notes_of_a_node,
    packed_tensor,
    inputs_of_a_checkpoint,
]


@pytest.mark.parametrize("cycle", CYCLES, ids=lambda f: f.__name__)
def test_collected(cycle: Callable[[Mark], None]) -> None:
    gc.collect()
    before = torch.live_tensors()
    mark = Mark()
    gone = weakref.ref(mark)
    cycle(mark)
    del mark
    gc.collect()
    assert gone() is None
    assert torch.live_tensors() == before


def test_what_is_in_use_stays() -> None:
    """The collector sees through tensors, but takes nothing that a program can still reach."""
    y = Double.apply(leaf())
    y.grad_fn.held = {"y": y}
    seen: list[float] = []
    y.register_hook(lambda grad: seen.append(grad.sum().item()))
    z = (y * y).sum()
    del y
    gc.collect()
    z.backward()
    assert seen == [8.0]
