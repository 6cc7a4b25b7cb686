"""Grad modes and inference mode: context managers, decorators, threads."""

from __future__ import annotations

import threading
from typing import Any

from tests.golden.autograd.record import Log, case


def state(torch: Any) -> tuple[bool, bool]:
    return torch.is_grad_enabled(), torch.is_inference_mode_enabled()


@case
def nesting(torch: Any, log: Log) -> None:
    log(state(torch))
    with torch.no_grad():
        log(state(torch))
        with torch.enable_grad():
            log(state(torch))
            with torch.no_grad():
                log(state(torch))
            log(state(torch))
        with torch.set_grad_enabled(True):
            log(state(torch))
        log(state(torch))
    log(state(torch))
    with torch.inference_mode():
        log(state(torch))
        with torch.enable_grad():
            log(state(torch))
        with torch.inference_mode(False):
            log(state(torch))
            with torch.inference_mode(True):
                log(state(torch))
        log(state(torch))
    log(state(torch))
    with torch.no_grad(), torch.inference_mode(False):
        log(state(torch))


@case
def restored_after_errors(torch: Any, log: Log) -> None:
    for mode in (torch.no_grad(), torch.enable_grad(), torch.inference_mode(), torch.set_grad_enabled(False)):
        try:
            with mode:
                raise ValueError
        except ValueError:
            log(state(torch))


@case
def set_grad_enabled(torch: Any, log: Log) -> None:
    torch.set_grad_enabled(False)
    log(state(torch))
    torch.set_grad_enabled(True)
    log(state(torch))
    with torch.set_grad_enabled(mode=False):
        log(state(torch))
    log(state(torch))
    log.error(lambda: torch.set_grad_enabled(3))
    log.error(lambda: torch.set_grad_enabled())
    log(repr(torch.set_grad_enabled(True)))


@case
def decorated(torch: Any, log: Log) -> None:
    @torch.no_grad()
    def a() -> Any:
        return state(torch)

    @torch.no_grad
    def b(x: int, *, y: int = 2) -> Any:
        """Text."""
        return x, y, state(torch)

    @torch.enable_grad()
    def c() -> Any:
        return state(torch)

    @torch.inference_mode()
    def d() -> Any:
        return state(torch)

    @torch.inference_mode
    def e() -> Any:
        return state(torch)

    @torch.set_grad_enabled(False)
    def f() -> Any:
        return state(torch)

    @torch.inference_mode(mode=False)
    def g() -> Any:
        return state(torch)

    log(a(), b(1, y=3), b.__name__, b.__doc__, c(), d(), e(), f(), g())
    with torch.no_grad():
        log(c(), f(), g())
    log(state(torch))

    @torch.no_grad()
    def fails() -> None:
        raise KeyError(3)

    log.error(fails)
    log(state(torch))

    @torch.no_grad()
    def again(n: int) -> Any:
        return (state(torch), again(n - 1)) if n else state(torch)

    log(again(2), state(torch))


@case
def decorated_generator(torch: Any, log: Log) -> None:
    @torch.no_grad()
    def numbers(n: int) -> Any:
        for i in range(n):
            got = yield i, state(torch)
            log("got", got, state(torch))
        return "end"

    gen = numbers(2)
    log(next(gen), state(torch))
    log(gen.send("x"), state(torch))
    log.error(lambda: gen.send(3))
    log(state(torch))

    @torch.no_grad()
    def catches() -> Any:
        try:
            yield state(torch)
        except ValueError:
            log("caught", state(torch))
            yield "after"
        finally:
            log("finally", state(torch))

    gen = catches()
    log(next(gen))
    log(gen.throw(ValueError("v")), state(torch))
    gen.close()
    log(state(torch))

    @torch.no_grad()
    def outer() -> Any:
        yield from numbers(1)

    log(list(outer()), state(torch))


@case
def decorated_class(torch: Any, log: Log) -> None:
    import warnings

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")

        @torch.no_grad()
        class A:
            """Text."""

            def __init__(self) -> None:
                log("init", state(torch))

            def method(self) -> Any:
                return state(torch)

        log([type(w.message).__name__ for w in caught], [str(w.message)[:70] for w in caught])
        log(A().method())


@case
def threads(torch: Any, log: Log) -> None:
    seen: list[Any] = []

    def look() -> None:
        seen.append(state(torch))
        with torch.no_grad():
            seen.append(state(torch))

    with torch.inference_mode():
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
        log(seen, state(torch))


@case
def results_in_no_grad(torch: Any, log: Log) -> None:
    x = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        y = x * 2
        log(y.requires_grad, y.is_leaf, x.requires_grad)
        z = torch.zeros(2, requires_grad=True)
        log(z.requires_grad)
        with torch.enable_grad():
            w = x * 2
        log(w.requires_grad)
        w.backward(torch.ones(2))
    log(x.grad)
    log.error(lambda: y.sum().backward())


@case
def inference_tensors(torch: Any, log: Log) -> None:
    x = torch.ones(2, requires_grad=True)
    with torch.inference_mode():
        a = torch.ones(2)
        b = x * 2
        v = x[:1]
        log(a.is_inference(), b.is_inference(), x.is_inference(), v.is_inference())
        log(a.requires_grad, b.requires_grad, b.is_leaf, v.requires_grad)
        a.add_(1)
        log(a, a.is_inference())
        log.error(lambda: a._version)
        c = torch.zeros(2, requires_grad=True)
        log(c.requires_grad, c.is_inference(), c.is_leaf)
        log(a[:1].is_inference(), a.view(2, 1).is_inference(), a.detach().is_inference(), a.data.is_inference())
        log((a + x).requires_grad)
    log(a.is_inference(), torch.ones(2).is_inference(), torch.is_inference(a))
    log.error(lambda: a._version)
    log.error(lambda: a.add_(1))
    log.error(lambda: a.mul_(x))
    log.error(lambda: a.requires_grad_())
    log.error(lambda: a.requires_grad_(False).requires_grad)
    log.error(lambda: setattr(a, "requires_grad", True))
    log.error(lambda: (a * x).sum().backward())
    log.error(lambda: (a * 2).is_inference())
    log.error(lambda: (a + x).sum().backward())
    log(x.grad)
    log(a.clone().is_inference(), a[:1].is_inference(), a.detach().is_inference())
    log.error(lambda: a[:1].add_(1))


@case
def normal_tensors_in_inference_mode(torch: Any, log: Log) -> None:
    x = torch.ones(2, requires_grad=True)
    p = torch.ones(4)
    y = x * 2
    with torch.inference_mode():
        p.add_(1)
        log(p._version, p.is_inference())
        w = p[:2]
        log(w.is_inference(), w._is_view(), w._version)
        w.add_(1)
        log(p, p._version)
        log.error(lambda: x.add_(1))
        y.add_(1)
        log(y.requires_grad, y._version)
    log.error(lambda: w.add_(1))
    log.error(lambda: y.sum().backward())
    log(x.grad)
    q = torch.ones(2, requires_grad=True) * 3
    with torch.inference_mode():
        v = q[:1]
        log(v.requires_grad, v.is_inference())
    log.error(lambda: v.add_(1))
    log.error(lambda: (v * 2).requires_grad)
    log.error(lambda: (v * v).sum().backward())


@case
def backward_in_inference_mode(torch: Any, log: Log) -> None:
    x = torch.ones(2, requires_grad=True)
    y = (x * x).sum()
    with torch.inference_mode():
        log.error(lambda: y.backward())
    log(x.grad, x.grad is not None and x.grad.is_inference())
    z = torch.ones(2, requires_grad=True)
    with torch.inference_mode():
        log.error(lambda: (z * 2).sum().backward())


@case
def saving_inference_tensors(torch: Any, log: Log) -> None:
    with torch.inference_mode():
        a = torch.full((2,), 3.0)
    x = torch.ones(2, requires_grad=True)
    log.error(lambda: (x * a).sum().backward())
    log.error(lambda: (x + a).sum().backward())
    log.error(lambda: x.mm(a) if x.dim() > 1 else x.dot(a).backward())
    log.error(lambda: (x * a.clone()).sum().backward())
    log(x.grad)
    y = torch.ones(2)
    y.copy_(a)
    log(y)
    with torch.no_grad():
        log((x * a).is_inference())
        log.error(lambda: a.add_(1))
