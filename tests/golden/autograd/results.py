"""What custom functions return: results changed in place, views, gradients."""

from __future__ import annotations

from typing import Any

from tests.golden.autograd.record import Log, case


def leaf(torch: Any, *values: float) -> Any:
    return torch.tensor(list(values) or [1.0, 2.0], requires_grad=True)


def make(torch: Any, forward: Any, backward: Any = None, **more: Any) -> Any:
    """A function class of these two parts."""
    body = {"forward": staticmethod(forward), **{k: staticmethod(v) for k, v in more.items()}}
    if backward is not None:
        body["backward"] = staticmethod(backward)
    return type("Mine", (torch.autograd.Function,), body)


@case
def dirty(torch: Any, log: Log) -> None:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.mark_dirty(x)
        return x.mul_(3)

    f = make(torch, forward, lambda ctx, g: g * 3)
    x = leaf(torch)
    log.error(lambda: f.apply(x))
    y = x * 1
    z = f.apply(y)
    log(z is y, y.grad_fn.name(), y._version, y)
    y.sum().backward()
    log(x.grad)
    plain = torch.ones(2)
    log(f.apply(plain) is plain, plain)
    base = x * 1
    view = base[:1]
    out = f.apply(view)
    log(out is view, base.grad_fn.name(), base)
    base.sum().backward()
    log(x.grad)

    def forgets(ctx: Any, x: Any) -> Any:
        ctx.mark_dirty(x)
        return x + 1

    log.error(lambda: make(torch, forgets, lambda ctx, g: g).apply(x * 1))

    def number(ctx: Any, x: Any) -> Any:
        ctx.mark_dirty(3)
        return x + 1

    log.error(lambda: make(torch, number, lambda ctx, g: g).apply(x * 1))

    def two(ctx: Any, x: Any) -> Any:
        ctx.mark_dirty(x)
        return x.mul_(2), x + 1

    log.error(lambda: make(torch, two, lambda ctx, g, h: g).apply((x * 1)[:1]))

    def nothing(ctx: Any, x: Any) -> Any:
        return x.mul_(2)

    log.error(lambda: make(torch, nothing, lambda ctx, g: g).apply(x * 1).grad_fn.name())


@case
def non_differentiable(torch: Any, log: Log) -> None:
    def forward(ctx: Any, x: Any) -> Any:
        values, index = x.sort()
        sign = values.sign()
        ctx.mark_non_differentiable(index, sign)
        ctx.save_for_backward(index)
        return values, index, sign

    def backward(ctx: Any, g: Any, gi: Any, gs: Any) -> Any:
        log(g, gi, gs)
        return g * 2

    f = make(torch, forward, backward)
    x = leaf(torch, 2.0, 1.0)
    v, i, s = f.apply(x)
    log(v.requires_grad, i.requires_grad, s.requires_grad, s.is_leaf)
    v.sum().backward()
    log(x.grad)

    def same(ctx: Any, x: Any) -> Any:
        ctx.mark_non_differentiable(x)
        return x

    log.error(lambda: make(torch, same, lambda ctx, g: g).apply(x).requires_grad)

    def number(ctx: Any, x: Any) -> Any:
        ctx.mark_non_differentiable(3)
        return x + 1

    log.error(lambda: make(torch, number, lambda ctx, g: g).apply(x))


@case
def returned_inputs_and_views(torch: Any, log: Log) -> None:
    x = leaf(torch)
    f = make(torch, lambda ctx, x: x, lambda ctx, g: g * 2)
    y = f.apply(x)
    log(y is x, y.grad_fn.name(), y._is_view())
    y.sum().backward()
    log(x.grad)
    log.error(lambda: f.apply(x).mul_(2))
    log.error(lambda: f.apply(x * 1).mul_(2))
    g = make(torch, lambda ctx, x: x.view(2, 1), lambda ctx, g: g.view(2) * 2)
    z = g.apply(x * 1)
    log(z.grad_fn.name(), z._is_view())
    log.error(lambda: z.mul_(2))
    z.sum().backward()
    log(x.grad)
    two = make(torch, lambda ctx, x: (x, x[:1]), lambda ctx, a, b: a)
    a, b = two.apply(x * 1)
    log(a.grad_fn.name(), b.grad_fn.name())
    log.error(lambda: b.mul_(2))
    log.error(lambda: a.mul_(2))


@case
def outputs(torch: Any, log: Log) -> None:
    x = leaf(torch)
    log.error(lambda: make(torch, lambda ctx, x: None, lambda ctx, g: g).apply(x))
    log.error(lambda: make(torch, lambda ctx, x: 3, lambda ctx, g: g).apply(x))
    log.error(lambda: make(torch, lambda ctx, x: (x * 1, 3, "s", None), lambda ctx, *g: g[0]).apply(x)[1:])
    log.error(lambda: make(torch, lambda ctx, x: [x * 1], lambda ctx, g: g).apply(x))
    log.error(lambda: make(torch, lambda ctx, x: (), lambda ctx: None).apply(x))
    log.error(lambda: make(torch, lambda ctx, x: (x * 1,), lambda ctx, g: g).apply(x)[0].grad_fn.name())
    log.error(lambda: make(torch, lambda ctx, x: x.long(), lambda ctx, g: g).apply(x).requires_grad)

    def backward(ctx: Any, *g: Any) -> Any:
        log(len(g), [type(v).__name__ for v in g])
        return g[0]

    f = make(torch, lambda ctx, x: (x * 1, 3, x.long(), None), backward)
    f.apply(x)[0].sum().backward()


@case
def wrong_gradients(torch: Any, log: Log) -> None:
    def run(returns: Any) -> Any:
        x, y = leaf(torch), leaf(torch)
        f = make(torch, lambda ctx, x, y, k: x * y, lambda ctx, g: returns(g))
        f.apply(x, y, 3).sum().backward()
        return x.grad, y.grad

    for returns in (
        lambda g: (g, g, None),
        lambda g: g,
        lambda g: (g, g),
        lambda g: (g, g, None, None),
        lambda g: (g, g, None, g),
        lambda g: (g, g, g),
        lambda g: None,
        lambda g: (None, g, None),
        lambda g: (3, g, None),
        lambda g: ("x", g, None),
        lambda g: (g.sum(), g, None),
        lambda g: (g[:1], g, None),
        lambda g: (g.expand(3, 2), g, None),
        lambda g: (g.new_ones(3), g, None),
        lambda g: (g.double(), g, None),
        lambda g: [g, g, None],
        lambda g: (),
    ):
        log.error(lambda returns=returns: run(returns))


@case
def unused_argument(torch: Any, log: Log) -> None:
    x, w = leaf(torch), leaf(torch)
    f = make(torch, lambda ctx, x, w: x * 2, lambda ctx, g: (g, None))
    f.apply(x, w).sum().backward()
    log(x.grad, w.grad)
    log.error(lambda: torch.autograd.grad(f.apply(x, w).sum(), w))
    log.error(lambda: torch.autograd.grad(f.apply(x, w).sum(), w, allow_unused=True))
    log.error(lambda: torch.autograd.grad(f.apply(x, w).sum(), w, materialize_grads=True))
