"""Custom functions: torch.autograd.Function."""

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
def both_styles(torch: Any, log: Log) -> None:
    def forward(ctx: Any, x: Any, k: int) -> Any:
        ctx.save_for_backward(x)
        ctx.k = k
        return x**k

    def backward(ctx: Any, g: Any) -> Any:
        (x,) = ctx.saved_tensors
        return g * ctx.k * x ** (ctx.k - 1), None

    one = make(torch, forward, backward)
    x = leaf(torch)
    y = one.apply(x, 3)
    log(y, y.grad_fn.name(), type(y.grad_fn).__name__, y.requires_grad)
    y.sum().backward()
    log(x.grad)

    def setup(ctx: Any, inputs: Any, output: Any) -> None:
        log("setup", len(inputs), output.requires_grad)
        ctx.save_for_backward(inputs[0])
        ctx.k = inputs[1]

    two = make(torch, lambda x, k: x**k, backward, setup_context=setup)
    x.grad = None
    two.apply(x, 3).sum().backward()
    log(x.grad)


@case
def double_backward(torch: Any, log: Log) -> None:
    def forward(ctx: Any, x: Any) -> Any:
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    exp = make(torch, forward, lambda ctx, g: g * ctx.saved_tensors[0])
    x = leaf(torch)
    y = exp.apply(x)
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    log(g, g.requires_grad)
    (h,) = torch.autograd.grad(g.sum(), x, create_graph=True)
    (k,) = torch.autograd.grad(h.sum(), x)
    log(h, k)

    def forward2(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * x

    square = make(torch, forward2, lambda ctx, g: square.apply(ctx.saved_tensors[0]) / ctx.saved_tensors[0] * 2 * g)
    (g,) = torch.autograd.grad(square.apply(x).sum(), x, create_graph=True)
    log(g, torch.autograd.grad(g.sum(), x))


@case
def nested(torch: Any, log: Log) -> None:
    inner = make(torch, lambda ctx, x: x * 3, lambda ctx, g: g * 3)

    def forward(ctx: Any, x: Any) -> Any:
        with torch.enable_grad():
            ctx.x = x.detach().requires_grad_()
            ctx.y = inner.apply(ctx.x) ** 2
        return ctx.y.detach()

    def backward(ctx: Any, g: Any) -> Any:
        ctx.y.backward(g)
        return ctx.x.grad

    outer = make(torch, forward, backward)
    x = leaf(torch)
    outer.apply(inner.apply(x)).sum().backward()
    log(x.grad)


@case
def needs_input_grad(torch: Any, log: Log) -> None:
    def forward(ctx: Any, *args: Any) -> Any:
        log("forward", ctx.needs_input_grad)
        return args[0] + args[1]

    def backward(ctx: Any, g: Any) -> Any:
        log("backward", ctx.needs_input_grad)
        return g, g, None

    f = make(torch, forward, backward)
    x = leaf(torch)
    f.apply(x, torch.ones(2), 3).sum().backward()
    f.apply(x, leaf(torch), "s").sum().backward()
    y = leaf(torch)
    z = leaf(torch)
    out = f.apply(y, z, 1)
    torch.autograd.grad(out.sum(), y)
    with torch.no_grad():
        log(f.apply(x, x, 1).requires_grad)
    log(f.apply(torch.ones(2), torch.ones(2), 1).requires_grad)


@case
def materialize(torch: Any, log: Log) -> None:
    def two(ctx: Any, x: Any, flag: bool) -> Any:
        ctx.set_materialize_grads(flag)
        return x * 1, x * 2

    def backward(ctx: Any, a: Any, b: Any) -> Any:
        log(a, b)
        return None, None

    f = make(torch, two, backward)
    x = leaf(torch)
    for flag in (True, False):
        f.apply(x, flag)[1].sum().backward()
        log(x.grad)


@case
def saving(torch: Any, log: Log) -> None:
    x = leaf(torch)
    keep: list[Any] = []

    def forward(ctx: Any, x: Any, other: Any) -> Any:
        ctx.save_for_backward(x, None, other)
        keep.append(ctx)
        log(ctx.saved_tensors if False else "saved")
        return x * 2

    def backward(ctx: Any, g: Any) -> Any:
        log(len(ctx.saved_tensors), ctx.saved_tensors[0] is x, ctx.saved_tensors[1])
        return g, None

    f = make(torch, forward, backward)
    y = f.apply(x, torch.ones(1))
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    log.error(lambda: keep[0].saved_tensors)
    log.error(lambda: y.sum().backward())
    log(x.grad)
    log.error(lambda: make(torch, lambda ctx, x: ctx.save_for_backward(3) or x * 2, lambda ctx, g: g).apply(x))
    log.error(lambda: make(torch, lambda ctx, x: ctx.save_for_backward([x]) or x * 2, lambda ctx, g: g).apply(x))
    log.error(lambda: make(torch, lambda ctx, x: ctx.save_for_forward(x) or x * 2, lambda ctx, g: g).apply(x))
    log.error(lambda: make(torch, lambda ctx, x: ctx.save_for_backward(3) or x * 2, lambda ctx, g: g).apply(x.detach()))

    def changed(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * 2

    g = make(torch, changed, lambda ctx, g: g * ctx.saved_tensors[0])
    b = x * 1
    y = g.apply(b)
    b.add_(1)
    log.error(lambda: y.sum().backward())


@case
def saving_with_hooks(torch: Any, log: Log) -> None:
    def forward(ctx: Any, x: Any) -> Any:
        y = x.exp()
        ctx.save_for_backward(x, y)
        return y

    f = make(torch, forward, lambda ctx, g: g * ctx.saved_tensors[1])
    x = leaf(torch)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: log("pack", t) or t, lambda t: log("unpack") or t):
        y = f.apply(x)
    y.sum().backward()
    log(x.grad)


@case
def once_differentiable(torch: Any, log: Log) -> None:
    once = torch.autograd.function.once_differentiable

    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x**2

    def backward(ctx: Any, g: Any) -> Any:
        log(torch.is_grad_enabled())
        return g * 2 * ctx.saved_tensors[0]

    f = make(torch, forward, once(backward))
    x = leaf(torch)
    f.apply(x).sum().backward()
    log(x.grad)
    (g,) = torch.autograd.grad(f.apply(x).sum(), x, create_graph=True)
    log(g, g.requires_grad)
    log.error(lambda: torch.autograd.grad(g.sum(), x))


@case
def exceptions(torch: Any, log: Log) -> None:
    x = leaf(torch)

    def bad(ctx: Any, *g: Any) -> Any:
        raise KeyError("mine")

    log.error(lambda: make(torch, bad, lambda ctx, g: g).apply(x))
    y = make(torch, lambda ctx, x: x * 2, bad).apply(x)
    log.error(lambda: y.sum().backward())
    log(x.grad, torch.is_grad_enabled())
    log.error(lambda: y.sum().backward())
    log.error(lambda: make(torch, lambda ctx, x: x * 2).apply(x).sum().backward())
    log.error(lambda: type("Mine", (torch.autograd.Function,), {}).apply(x))
    f = make(torch, lambda ctx, x: x * 2, lambda ctx, g: g, vjp=lambda ctx, g: g)
    log.error(lambda: f.apply(x).sum().backward())
    f = make(torch, lambda ctx, x: x * 2, vjp=lambda ctx, g: g * 5)
    log.error(lambda: f.apply(x).sum().backward())
    log(x.grad)
    log.error(lambda: f())
    log.error(lambda: f.apply(x, 1, 2))
    log.error(lambda: f.apply(x=x))


@case
def keyword_arguments_and_defaults(torch: Any, log: Log) -> None:
    x = leaf(torch)
    f = make(torch, lambda ctx, x, k=3: x * k, lambda ctx, g, *r: (g, None))
    log.error(lambda: f.apply(x))
    log.error(lambda: f.apply(x, 4))
    setup = lambda ctx, inputs, output: log(len(inputs))  # noqa: E731
    h = make(torch, lambda x, k=3: x * k, lambda ctx, g: (g, None), setup_context=setup)
    log.error(lambda: h.apply(x))
    log.error(lambda: h.apply(x, 4))


@case
def context_attributes(torch: Any, log: Log) -> None:
    x = leaf(torch)

    def forward(ctx: Any, x: Any) -> Any:
        ctx.a = 1
        ctx.b = {"x": x.detach()}
        log.error(lambda: ctx.missing)
        return x * 2

    def backward(ctx: Any, g: Any) -> Any:
        log(ctx.a, sorted(ctx.b))
        ctx.a += 1
        return g

    y = make(torch, forward, backward).apply(x)
    log(y.grad_fn.a)
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    log(y.grad_fn.a, len(y.grad_fn.next_functions))
    log.error(lambda: y.grad_fn.saved_tensors)
    log(y.grad_fn.needs_input_grad, y.grad_fn.metadata)


@case
def hooks_on_a_function(torch: Any, log: Log) -> None:
    x = leaf(torch)
    y = make(torch, lambda ctx, x: x * 2, lambda ctx, g: log("backward", g) or g * 2).apply(x)
    y.grad_fn.register_hook(lambda gi, go: log("post", gi, go))
    y.grad_fn.register_prehook(lambda go: log("pre", go) or (go[0] * 3,))
    y.register_hook(lambda g: log("tensor", g))
    y.sum().backward()
    log(x.grad)


@case
def tensors_in_containers(torch: Any, log: Log) -> None:
    x = leaf(torch)
    f = make(torch, lambda ctx, xs: xs[0] * 2, lambda ctx, g: None)
    y = f.apply([x, x])
    log(y.requires_grad)


@case
def jvp_without_forward_mode(torch: Any, log: Log) -> None:
    f = make(torch, lambda ctx, x: x * 2, lambda ctx, g: g * 2, jvp=lambda ctx, t: t * 2)
    x = leaf(torch)
    f.apply(x).sum().backward()
    log(x.grad)
    log.error(lambda: torch.autograd.Function.jvp(None, 3))
    log.error(lambda: torch.autograd.Function.vmap(None, None, 3))
