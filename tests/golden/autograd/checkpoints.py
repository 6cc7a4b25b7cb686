"""torch.utils.checkpoint."""

from __future__ import annotations

import warnings
from typing import Any

from tests.golden.autograd.record import Log, case


def leaf(torch: Any, *values: float) -> Any:
    return torch.tensor(list(values) or [1.0, 2.0], requires_grad=True)


def parts(torch: Any) -> Any:
    import importlib

    return importlib.import_module(f"{torch.__name__}.utils.checkpoint")


@case
def both_kinds(torch: Any, log: Log) -> None:
    cp = parts(torch)
    for reentrant in (True, False):
        calls: list[int] = []

        def f(x: Any, y: Any, calls: list[int] = calls) -> Any:
            calls.append(1)
            return (x * y).sin() + x.exp()

        x, y = leaf(torch), leaf(torch, 3.0, 4.0)
        z = cp.checkpoint(f, x, y, use_reentrant=reentrant)
        log(len(calls), z, z.requires_grad)
        z.sum().backward()
        log(len(calls), x.grad, y.grad)
        log.error(lambda z=z: z.sum().backward())


@case
def other_arguments(torch: Any, log: Log) -> None:
    cp = parts(torch)
    x = leaf(torch)

    def f(x: Any, k: int, flag: bool = False, *, scale: float = 1.0) -> Any:
        return x * k * scale if flag else x

    for reentrant in (True, False):
        x.grad = None
        cp.checkpoint(f, x, 3, True, use_reentrant=reentrant).sum().backward()
        log(x.grad)
    x.grad = None
    cp.checkpoint(f, x, 3, flag=True, scale=2.0, use_reentrant=False).sum().backward()
    log(x.grad)
    log.error(lambda: cp.checkpoint(f, x, 3, flag=True, use_reentrant=True))
    log.error(lambda: cp.checkpoint(lambda d: d["x"] * 2, {"x": x}, use_reentrant=False).sum().backward())
    log(x.grad)


@case
def several_outputs(torch: Any, log: Log) -> None:
    cp = parts(torch)
    for reentrant in (True, False):
        x = leaf(torch)
        a, b = cp.checkpoint(lambda x: (x * 2, x * x), x, use_reentrant=reentrant)
        log(a, b)
        (a * b).sum().backward()
        log(x.grad)
        out = cp.checkpoint(lambda x: (x * 2, 3, None), x, use_reentrant=reentrant)
        log(out[1], out[2])
        out[0].sum().backward()
        log(x.grad)


@case
def random_state(torch: Any, log: Log) -> None:
    cp = parts(torch)

    def f(x: Any) -> Any:
        return x * torch.rand(2)

    for reentrant in (True, False):
        x = leaf(torch)
        torch.manual_seed(3)
        z = cp.checkpoint(f, x, use_reentrant=reentrant)
        after = torch.rand(1)
        z.sum().backward()
        log(bool((x.grad * x.detach() == z.detach()).all()), after, torch.rand(1))
        y = leaf(torch)
        z = cp.checkpoint(f, y, use_reentrant=reentrant, preserve_rng_state=False)
        z.sum().backward()
        log(bool((y.grad * y.detach() == z.detach()).all()))


@case
def nested(torch: Any, log: Log) -> None:
    cp = parts(torch)
    x = leaf(torch)
    calls: list[str] = []

    def inner(x: Any) -> Any:
        calls.append("inner")
        return x.sin() * x

    def outer(x: Any) -> Any:
        calls.append("outer")
        return cp.checkpoint(inner, x.cos(), use_reentrant=False) * x

    z = cp.checkpoint(outer, x, use_reentrant=False)
    z.sum().backward()
    log(x.grad, calls)
    x.grad = None

    def outer_r(x: Any) -> Any:
        return cp.checkpoint(inner, x.cos(), use_reentrant=True) * x

    cp.checkpoint(outer_r, x, use_reentrant=True).sum().backward()
    log(x.grad)


@case
def early_stop(torch: Any, log: Log) -> None:
    cp = parts(torch)
    for early in (True, False):
        seen: list[str] = []

        def f(x: Any, seen: list[str] = seen) -> Any:
            y = x.exp()
            seen.append("first")
            z = y.sin()
            seen.append("second")
            return z + 1

        x = leaf(torch)
        with cp.set_checkpoint_early_stop(early):
            z = cp.checkpoint(f, x, use_reentrant=False)
        z.sum().backward()
        log(seen, x.grad)


@case
def no_gradient(torch: Any, log: Log) -> None:
    cp = parts(torch)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        z = cp.checkpoint(lambda x: x * 2, torch.ones(2), use_reentrant=True)
        log(z.requires_grad, [str(w.message) for w in caught])
    w = leaf(torch)
    z = cp.checkpoint(lambda x: x * w, torch.ones(2), use_reentrant=False)
    log(z.requires_grad)
    z.sum().backward()
    log(w.grad)
    with torch.no_grad():
        log(cp.checkpoint(lambda x: x * 2, w, use_reentrant=False).requires_grad)


@case
def missing_use_reentrant(torch: Any, log: Log) -> None:
    cp = parts(torch)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        log.error(lambda: cp.checkpoint(lambda x: x * 2, leaf(torch)))
        log([type(w.message).__name__ for w in caught], [str(w.message)[:80] for w in caught])


@case
def with_grad(torch: Any, log: Log) -> None:
    cp = parts(torch)
    x = leaf(torch)
    z = cp.checkpoint(lambda x: x**3, x, use_reentrant=True)
    log.error(lambda: torch.autograd.grad(z.sum(), x))
    z = cp.checkpoint(lambda x: x**3, x, use_reentrant=False)
    log.error(lambda: torch.autograd.grad(z.sum(), x))
    z = cp.checkpoint(lambda x: x**3, x, use_reentrant=False)
    (g,) = torch.autograd.grad(z.sum(), x, create_graph=True)
    log(torch.autograd.grad(g.sum(), x))
    z = cp.checkpoint(lambda x: x**3, x, use_reentrant=False)
    z.sum().backward(retain_graph=True)
    z.sum().backward()
    log(x.grad)


@case
def different_recomputation(torch: Any, log: Log) -> None:
    cp = parts(torch)
    x = leaf(torch)
    first = [True]

    def fewer(x: Any) -> Any:
        y = x.exp()
        if first[0]:
            first[0] = False
            y = y.sin()
        return y.cos() * y

    z = cp.checkpoint(fewer, x, use_reentrant=False)
    log.error(lambda: z.sum().backward())
    first[0] = True

    def shape(x: Any) -> Any:
        n = 2 if first[0] else 1
        first[0] = False
        return x[:n].exp()

    z = cp.checkpoint(shape, x, use_reentrant=False)
    log.error(lambda: z.sum().backward())


@case
def recomputation_fails(torch: Any, log: Log) -> None:
    cp = parts(torch)
    for reentrant in (True, False):
        first = [True]

        def f(x: Any, first: list[bool] = first) -> Any:
            if not first[0]:
                raise KeyError("again")
            first[0] = False
            return x.exp()

        x = leaf(torch)
        z = cp.checkpoint(f, x, use_reentrant=reentrant)
        log.error(lambda z=z: z.sum().backward())
        log(x.grad, torch.is_grad_enabled())


@case
def sequential(torch: Any, log: Log) -> None:
    cp = parts(torch)
    for reentrant in (True, False):
        for segments in (1, 2, 3):
            x = leaf(torch)
            functions = [torch.sin, torch.exp, lambda x: x * x, torch.cos, lambda x: x + 1]
            z = cp.checkpoint_sequential(functions, segments, x, use_reentrant=reentrant)
            z.sum().backward()
            log(z, x.grad)
    module = torch.nn.Sequential(torch.nn.Tanh(), torch.nn.Sigmoid(), torch.nn.Tanh())
    x = leaf(torch)
    cp.checkpoint_sequential(module, 2, x, use_reentrant=False).sum().backward()
    log(x.grad)
    log.error(lambda: cp.checkpoint_sequential(functions, 2, x, use_reentrant=False, other=3))
