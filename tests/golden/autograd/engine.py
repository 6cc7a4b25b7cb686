"""Backward and grad: arguments, errors, second passes, re-entrant passes, anomaly mode."""

from __future__ import annotations

from typing import Any

from tests.golden.autograd.record import Log, case


def leaf(torch: Any, *values: float) -> Any:
    return torch.tensor(list(values) or [1.0, 2.0], requires_grad=True)


@case
def second_backward(torch: Any, log: Log) -> None:
    x = leaf(torch)
    y = (x * x).sum()
    y.backward()
    log.error(lambda: y.backward())
    z = (x + 1).sum()
    z.backward()
    log.error(lambda: z.backward())
    log(x.grad)
    w = x.exp()
    a = w.sum()
    a.backward(retain_graph=True)
    a.backward()
    log.error(lambda: a.backward())
    log.error(lambda: torch.autograd.grad(w.sum(), x))


@case
def roots(torch: Any, log: Log) -> None:
    x = leaf(torch)
    log.error(lambda: (x * 2).backward())
    log.error(lambda: torch.ones(2).backward())
    log.error(lambda: torch.ones(1).sum().backward())
    log.error(lambda: (x * 2).backward(torch.ones(3)))
    log.error(lambda: (x * 2).backward(torch.ones(2, dtype=torch.float64)))
    log.error(lambda: (x * 2).backward(torch.ones(2, 1)))
    log.error(lambda: x.sum().backward(torch.tensor(1, dtype=torch.int64)))
    log.error(lambda: torch.autograd.backward([], []))
    log.error(lambda: torch.autograd.backward([x * 2, x * 3], [torch.ones(2)]))
    log.error(lambda: torch.autograd.backward([x.sum(), x * 3], [None, torch.ones(2)]))
    log(x.grad)
    log.error(lambda: x.sum().backward(inputs=[]))
    log.error(lambda: x.sum().backward(inputs=[torch.ones(2)]))
    x.grad = None
    x.backward(torch.ones(2))
    log(x.grad)
    torch.autograd.backward((x * 2, x * 2), (torch.ones(2), torch.ones(2) * 2))
    log(x.grad)


@case
def gradients(torch: Any, log: Log) -> None:
    x, w = leaf(torch), leaf(torch)
    y = (x * 2).sum()
    log.error(lambda: torch.autograd.grad(y, w))
    log(torch.autograd.grad(y, [x, w], allow_unused=True, retain_graph=True))
    log(torch.autograd.grad(y, [x, w], materialize_grads=True, retain_graph=True))
    log.error(lambda: torch.autograd.grad(y, []))
    log.error(lambda: torch.autograd.grad(y, torch.ones(2)))
    log.error(lambda: torch.autograd.grad(y, x, allow_unused=False, materialize_grads=True))
    log.error(lambda: torch.autograd.grad([], x))
    log.error(lambda: torch.autograd.grad(x * 2, x))
    log(x.grad, torch.autograd.grad(y, y, retain_graph=True))
    log(torch.autograd.grad(y, [x, x], retain_graph=True))
    log(torch.autograd.grad([y, y], x, retain_graph=True))
    log(torch.autograd.grad(x, x, torch.ones(2)))


@case
def error_leaves_graph(torch: Any, log: Log) -> None:
    x, w = leaf(torch), leaf(torch)
    y = x * w
    state = {"fail": True}

    def sometimes(g: Any) -> Any:
        if state["fail"]:
            raise ValueError("no")

    h = (y * y).sum()
    y.register_hook(sometimes)
    log.error(lambda: h.backward(retain_graph=True))
    log(x.grad, w.grad)
    state["fail"] = False
    h.backward()
    log(x.grad, w.grad)


@case
def reentrant_in_hook(torch: Any, log: Log) -> None:
    x = leaf(torch)
    w = leaf(torch)

    def inner(g: Any) -> None:
        with torch.enable_grad():
            (w * w).sum().backward()

    y = x * 2
    y.register_hook(inner)
    y.sum().backward()
    log(x.grad, w.grad)


@case
def reentrant_on_the_same_leaf(torch: Any, log: Log) -> None:
    x = leaf(torch)

    class Inner(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: Any) -> Any:
            return a * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            with torch.enable_grad():
                (x * x).sum().backward()
            return g * 2

    Inner.apply(x).sum().backward()
    log(x.grad)


@case
def reentrant_depth(torch: Any, log: Log) -> None:
    seen: list[int] = []

    class Deep(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: Any, depth: int) -> Any:
            ctx.depth = depth
            return a * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            if ctx.depth > 0:
                with torch.enable_grad():
                    b = torch.ones(1, requires_grad=True)
                    Deep.apply(b, ctx.depth - 1).sum().backward()
                seen.append(ctx.depth)
                return g * b.grad, None
            return g * 2, None

    x = torch.ones(1, requires_grad=True)
    Deep.apply(x, 70).sum().backward()
    log(len(seen), seen[0], seen[-1], x.grad / 2.0**71)


@case
def anomaly_nan(torch: Any, log: Log) -> None:
    import warnings

    x = torch.tensor([0.0, 1.0], requires_grad=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with torch.autograd.detect_anomaly():
            log(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
            y = x.sqrt() * 0
            log.error(lambda: y.sum().backward())
        with torch.autograd.detect_anomaly(check_nan=False):
            log(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
            y = x.sqrt() * 0
            log.error(lambda: y.sum().backward())
        log(torch.is_anomaly_enabled())
        with torch.autograd.set_detect_anomaly(True):
            log(torch.is_anomaly_enabled())
        with torch.autograd.set_detect_anomaly(True, check_nan=False):
            log(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
        torch.autograd.set_detect_anomaly(True)
        log(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
        torch.autograd.set_detect_anomaly(False)
        log(torch.is_anomaly_enabled())
    log([str(w.message).splitlines()[0][:110] for w in caught])


@case
def anomaly_of_an_error(torch: Any, log: Log) -> None:
    import warnings

    x = torch.ones(2, requires_grad=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with torch.autograd.set_detect_anomaly(True):
            y = x * 1
            z = y.exp()
            z.add_(1)
            log.error(lambda: z.sum().backward())
    text = [str(w.message) for w in caught]
    log(len(text), ["z = y.exp()" in t for t in text], [t.splitlines()[0][:110] for t in text])


@case
def anomaly_without_forward(torch: Any, log: Log) -> None:
    import warnings

    x = torch.tensor([0.0], requires_grad=True)
    y = x.sqrt() * 0
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with torch.autograd.set_detect_anomaly(True):
            log.error(lambda: y.sum().backward())
    log([str(w.message).splitlines()[0][:130] for w in caught])


@case
def anomaly_in_a_function(torch: Any, log: Log) -> None:
    import warnings

    class Mine(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: Any) -> Any:
            return a * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * float("nan")

    x = leaf(torch)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with torch.autograd.set_detect_anomaly(True):
            y = Mine.apply(x)
            log.error(lambda: y.sum().backward())
    log(["y = Mine.apply(x)" in str(w.message) for w in caught])


@case
def grad_mode_in_backward(torch: Any, log: Log) -> None:
    x = leaf(torch)
    y = x**2
    y.register_hook(lambda g: log(torch.is_grad_enabled()))
    y.sum().backward(retain_graph=True)
    with torch.no_grad():
        y.sum()
        torch.autograd.backward(y, torch.ones(2), create_graph=True)
    log(x.grad, x.grad.requires_grad)


@case
def grad_property(torch: Any, log: Log) -> None:
    x = leaf(torch)
    log.error(lambda: setattr(x, "grad", torch.ones(3)))
    log.error(lambda: setattr(x, "grad", torch.ones(2, dtype=torch.float64)))
    log.error(lambda: setattr(x, "grad", 3))
    log.error(lambda: setattr(x, "grad", x))
    x.grad = torch.ones(2)
    (x * 2).sum().backward()
    log(x.grad)
    g = x.grad
    (x * 2).sum().backward()
    log(x.grad is g, g)
    del x.grad
    log(x.grad)
    (x * 2).sum().backward(create_graph=True)
    log(x.grad.requires_grad)
