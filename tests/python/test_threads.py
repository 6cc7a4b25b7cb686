"""Several Python threads at once: the GIL is free during long work, and taken back for Python code inside it."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

import onetape as torch


def run_together(count: int, work: Callable[[int], None]) -> None:
    """Runs work(i) on its own thread for each i; an exception of one is raised here."""
    errors: list[BaseException] = []

    def guarded(i: int) -> None:
        try:
            work(i)
        except BaseException as error:  # raised again by the main thread
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def lets_others_run(work: Callable[[], Any], seconds: float = 20) -> bool:
    """Whether another thread gets to run while this one is at work, in one of the attempts of that time."""
    counter = [0]
    stop = threading.Event()

    def count() -> None:
        while not stop.is_set():
            counter[0] += 1
            time.sleep(0)  # hands the GIL back at once

    thread = threading.Thread(target=count)
    interval = sys.getswitchinterval()
    # So that this thread keeps the GIL unless the work lets go of it; before the other one begins to wait for it.
    sys.setswitchinterval(10)
    thread.start()
    try:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            before = counter[0]
            work()
            if counter[0] > before:
                return True
        return False
    finally:
        sys.setswitchinterval(interval)
        stop.set()
        thread.join()


def test_small_operators_keep_the_gil() -> None:
    x = torch.ones(3)
    assert not lets_others_run(lambda: x.exp(), seconds=0.1)


def test_large_operators_let_others_run() -> None:
    x = torch.ones(500, 500)
    assert lets_others_run(lambda: x @ x)
    assert lets_others_run(lambda: x.exp())
    assert lets_others_run(lambda: torch.randn(500, 500))
    assert lets_others_run(lambda: x * 2)


def test_backward_lets_others_run() -> None:
    x = torch.ones(300, 300, requires_grad=True)

    def work() -> None:
        (x @ x).sum().backward()

    assert lets_others_run(work)


def test_custom_functions_and_hooks_on_many_threads() -> None:
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            (x,) = ctx.saved_tensors
            return 2 * x * grad

    shared = torch.full((3,), 2.0, requires_grad=True)
    calls = [0] * 4

    def work(i: int) -> None:
        def hook(grad: torch.Tensor) -> None:
            calls[i] += 1

        for _ in range(100):
            y = Square.apply(shared * 1)
            y.register_hook(hook)
            y.sum().backward()

    run_together(4, work)
    assert calls == [100] * 4
    assert shared.grad is not None and shared.grad.tolist() == [1600.0] * 3


def test_grad_mode_belongs_to_the_thread() -> None:
    modes: list[bool] = []
    with torch.no_grad():
        run_together(1, lambda i: modes.append(torch.is_grad_enabled()))
        assert not torch.is_grad_enabled()
    assert modes == [True]


def test_exceptions_on_many_threads() -> None:
    class Fails(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor, i: int) -> torch.Tensor:
            ctx.i = i
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> Any:
            raise KeyError(ctx.i)

    def work(i: int) -> None:
        for _ in range(50):
            with pytest.raises(KeyError) as raised:
                Fails.apply(torch.ones(1, requires_grad=True), i).backward()
            assert raised.value.args == (i,)

    run_together(4, work)


def test_tensors_freed_on_other_threads() -> None:
    """A tensor with attributes whose last owner is the graph ends wherever the graph ends."""

    def work(i: int) -> None:
        for _ in range(100):
            x = torch.ones(2, requires_grad=True)
            x.note = [i]
            y = (x * 2).sum()
            del x
            pile.append(y)
            if len(pile) > 10:
                pile.pop(0).backward()

    pile: list[torch.Tensor] = []
    run_together(4, work)
    pile.clear()
