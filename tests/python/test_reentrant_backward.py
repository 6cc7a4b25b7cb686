"""Backward passes inside backward passes, and many at once."""

from __future__ import annotations

import subprocess
import sys
import threading
from typing import Any

import pytest

import onetape as torch

DEPTH = 10_000


def nested_functions(depth: int, at_the_bottom: Any = lambda: None) -> tuple[int, torch.Tensor]:
    """Functions whose backward runs the backward of the next one."""
    runs = 0

    class Deep(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor, left: int) -> torch.Tensor:
            ctx.left = left
            return x * 1

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> Any:
            nonlocal runs
            runs += 1
            if ctx.left == 0:
                at_the_bottom()
                return grad, None
            inner = torch.ones(1, requires_grad=True)
            with torch.enable_grad():
                Deep.apply(inner, ctx.left - 1).sum().backward()
            return grad * inner.grad, None

    x = torch.ones(1, requires_grad=True)
    Deep.apply(x, depth).sum().backward()
    assert x.grad is not None
    return runs, x.grad


def nested_hooks(depth: int) -> int:
    """Hooks that each run a backward pass with the next one."""
    left = depth

    def hook(grad: torch.Tensor) -> None:
        nonlocal left
        if left > 0:
            left -= 1
            with torch.enable_grad():
                start()

    def start() -> None:
        y = torch.ones(1, requires_grad=True) * 2
        y.register_hook(hook)
        y.sum().backward()

    start()
    return left


def test_depth() -> None:
    runs, grad = nested_functions(DEPTH)
    assert runs == DEPTH + 1 and grad.tolist() == [1.0]
    assert nested_hooks(DEPTH) == 0


def test_depth_on_a_small_stack() -> None:
    program = (
        "import resource; from tests.python.test_reentrant_backward import *; "
        "assert resource.getrlimit(resource.RLIMIT_STACK)[0] == 512 << 10; test_depth()"
    )
    command = f'ulimit -s 512 && exec "{sys.executable}" -c "{program}"'
    subprocess.run(["bash", "-c", command], check=True, timeout=120)


def test_exception_from_the_bottom() -> None:
    error = KeyError("at the bottom")

    def fail() -> None:
        raise error

    threads = threading.active_count()
    with pytest.raises(KeyError) as raised:
        nested_functions(500, fail)
    assert raised.value is error
    assert threading.active_count() == threads and torch.is_grad_enabled()


def test_modes_go_along() -> None:
    """What a thread has switched on also holds where its pass goes on on another thread."""
    seen: list[bool] = []

    def look() -> None:
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            nested_functions(100, lambda: seen.append(torch.is_grad_enabled()))

    look()
    assert seen == [False]


def test_threads_add_up_exactly() -> None:
    """Every thread's gradients arrive, although hooks and functions run backward passes of their own meanwhile."""
    threads, passes = 6, 50
    shared = torch.zeros(3, requires_grad=True)

    class Inner(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            with torch.enable_grad():
                (shared * 3).sum().backward()
            return grad * 2

    def work() -> None:
        for _ in range(passes):
            y = Inner.apply(shared)
            y.register_hook(lambda grad: grad)
            (y + shared).sum().backward()

    workers = [threading.Thread(target=work) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert shared.grad is not None
    assert shared.grad.tolist() == [float(threads * passes * (2 + 1 + 3))] * 3


def test_no_lock_is_held_while_hooks_run() -> None:
    """A hook waits for a pass of another thread through the same nodes and leaf."""
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    reached, go_on = threading.Event(), threading.Event()

    def wait(grad: torch.Tensor) -> None:
        if threading.current_thread() is slow:
            reached.set()
            assert go_on.wait(30)

    x.register_hook(wait)
    y.register_hook(wait)
    x.register_post_accumulate_grad_hook(wait)

    def pass_through() -> None:
        for _ in range(3):
            y.sum().backward(retain_graph=True)

    slow = threading.Thread(target=pass_through)
    slow.start()
    assert reached.wait(30)
    y.sum().backward(retain_graph=True)
    go_on.set()
    slow.join()
    assert x.grad is not None and x.grad.tolist() == [8.0, 8.0]


def test_state_after_an_error() -> None:
    """What was accumulated before the error stays, the graph can be gone through again."""
    x, w = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
    late = x * 2
    early = (w * 3) * late
    fail = True

    def sometimes(grad: torch.Tensor) -> None:
        if fail:
            raise ValueError

    late.register_hook(sometimes)
    for _ in range(3):
        with pytest.raises(ValueError):
            early.sum().backward(retain_graph=True)
        assert x.grad is None
    assert w.grad is not None and w.grad.tolist() == [18.0]  # its node comes before the hook
    fail = False
    x.grad = w.grad = None
    (x * w).sum().backward()
    assert x.grad is not None and x.grad.tolist() == [1.0]
