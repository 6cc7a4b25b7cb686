"""A tensor keeps one Python object for its whole life; objects in cycles through the graph are collected."""

from __future__ import annotations

import gc
import threading
import weakref
from typing import Any

import pytest

import onetape as torch
from onetape import _C


class Marked(torch.Tensor):
    """A tensor class of a program's own."""


class Slotted(torch.Tensor):
    __slots__ = ("note",)
    note: Any


def test_grad_is_one_object() -> None:
    x = torch.ones(2, requires_grad=True)
    (x * 3).sum().backward()
    assert x.grad is x.grad


def test_in_place_gives_the_same_object() -> None:
    x = torch.ones(2)
    assert x.mul_(2) is x
    assert x.add_(1) is x
    before = x
    x += 1
    assert x is before


def test_attributes_survive_in_the_engine() -> None:
    x = torch.ones(2, requires_grad=True)
    x.grad = torch.zeros(2)
    x.grad.note = "mine"
    identity = id(x.grad)
    gc.collect()
    assert x.grad.note == "mine"
    assert id(x.grad) == identity


def test_subclass_survives_in_the_engine() -> None:
    leaf = torch.Tensor._make_subclass(Marked, torch.ones(2), True)
    y = leaf * 2
    del leaf
    gc.collect()
    found = y.grad_fn.next_functions[0][0].variable
    assert type(found) is Marked
    assert found.is_leaf and found.requires_grad


def test_attributes_of_a_saved_input_survive() -> None:
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            (x,) = ctx.saved_tensors
            seen.append(x.note)
            return 2 * x * grad

    seen: list[str] = []
    x = torch.ones(2, requires_grad=True)
    x.note = "saved"
    y = Square.apply(x).sum()
    del x
    y.backward()
    assert seen == ["saved"]


def test_object_lent_and_taken_back_many_times() -> None:
    x = torch.ones(1, requires_grad=True)
    x.grad = torch.zeros(1)
    x.grad.count = 0
    for i in range(1000):
        assert x.grad.count == i
        x.grad.count += 1


def test_weak_reference_sees_a_lent_object() -> None:
    x = torch.ones(2, requires_grad=True)
    x.grad = torch.full((2,), 3.0)
    reference = weakref.ref(x.grad)
    again = reference()
    assert again is not None and again.tolist() == [3.0, 3.0]
    assert again is x.grad
    del again
    x.grad = None
    gc.collect()
    assert reference() is None


def test_taken_back_through_a_weak_reference_alone() -> None:
    x = torch.ones(2, requires_grad=True)
    x.grad = torch.full((2,), 3.0)
    reference = weakref.ref(x.grad)
    again = reference()
    x.grad = None
    assert again is not None and again.sum().item() == 6.0
    del again
    assert reference() is None


def test_weak_reference_ends_with_the_tensor() -> None:
    x = torch.ones(2)
    reference = weakref.ref(x)
    del x
    assert reference() is None


def test_slots_and_attributes_are_freed() -> None:
    class Thing:
        pass

    t = torch.Tensor._make_subclass(Slotted, torch.ones(1))
    t.note = Thing()
    t.other = Thing()
    references = [weakref.ref(t.note), weakref.ref(t.other)]
    del t
    assert [r() for r in references] == [None, None]


def test_finalizer_of_a_subclass_runs() -> None:
    ended: list[int] = []

    class Loud(torch.Tensor):
        def __del__(self) -> None:
            ended.append(1)

    t = torch.Tensor._make_subclass(Loud, torch.ones(1))
    del t
    assert ended == [1]


def test_long_chain_of_attributes_ends() -> None:
    first = torch.ones(1)
    last = first
    for _ in range(200_000):
        last.next = torch.ones(1)
        last = last.next
    del first, last


# ---- cycles ----


def tensors_left(make: Any) -> int:
    gc.collect()
    before = _C.live_tensors()
    make()
    gc.collect()
    return int(_C.live_tensors() - before)


def test_cycle_through_attributes() -> None:
    def make() -> None:
        x = torch.ones(2)
        x.me = x

    assert tensors_left(make) == 0


def test_cycle_through_a_hook_on_a_result() -> None:
    def make() -> None:
        x = torch.ones(2, requires_grad=True)
        y = (x * 2).exp()
        y.register_hook(lambda grad: y)

    assert tensors_left(make) == 0


def test_cycle_through_a_hook_on_a_leaf() -> None:
    def make() -> None:
        x = torch.ones(2, requires_grad=True)
        x.register_hook(lambda grad: x)
        x.register_post_accumulate_grad_hook(lambda t: x and None)

    assert tensors_left(make) == 0


def test_cycle_through_a_context() -> None:
    class Keeps(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            ctx.result = x * 2
            return ctx.result

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            return grad * 2

    def make() -> None:
        x = torch.ones(2, requires_grad=True)
        (Keeps.apply(x) + 1).sum()

    assert tensors_left(make) == 0


def test_cycle_through_the_gradient() -> None:
    def make() -> None:
        x = torch.ones(2, requires_grad=True)
        x.grad = torch.ones(2)
        x.grad.owner = x

    assert tensors_left(make) == 0


def test_no_object_is_left() -> None:
    gc.collect()
    before = _C.live_objects()
    x = torch.ones(3, requires_grad=True)
    for _ in range(100):
        (x * x).sum().backward()
    del x
    gc.collect()
    assert _C.live_objects() == before


# ---- threads ----


def test_threads_share_leaves_and_objects() -> None:
    x = torch.ones(4, requires_grad=True)
    x.mark = 1
    errors: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(200):
                y = (x * 2).sum()
                y.note = x
                y.backward()
        except BaseException as error:  # seen by the main thread
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert x.grad is not None and x.grad.tolist() == [1600.0] * 4


def test_use_after_the_collector_cleared_it() -> None:
    class Late(torch.Tensor):
        def __del__(self) -> None:
            kept.append(self)

    kept: list[torch.Tensor] = []
    t = torch.Tensor._make_subclass(Late, torch.ones(2))
    t.me = t
    del t
    gc.collect()
    assert kept and kept[0].tolist() == [1.0, 1.0]
    kept[0].__dict__.clear()


def test_metaclass_is_kept_by_subclasses() -> None:
    assert type(Marked) is type(torch.Tensor)
    assert issubclass(Marked, torch.Tensor)
    with pytest.raises(TypeError):
        torch.Tensor._make_subclass(int, torch.ones(1))
