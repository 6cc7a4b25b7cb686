"""Small programs on forward_ad, each a function of the library that runs it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

SCENARIOS: dict[str, Callable[[Any], Any]] = {}


def vec(torch: Any, *values: float, **options: Any) -> Any:
    return torch.tensor(values, dtype=torch.float64, **options)


def both(torch: Any, t: Any) -> list[Any]:
    """A tensor and its tangent."""
    return list(torch.autograd.forward_ad.unpack_dual(t))


Program = Callable[[Any, Any, Any], Any]


def dual(name: str) -> Callable[[Program], Program]:
    """A program that runs inside a level with a dual of (1, 2) along (1, -3)."""

    def add(program: Program) -> Program:
        def run(torch: Any) -> Any:
            fw = torch.autograd.forward_ad
            with fw.dual_level():
                return program(torch, fw, fw.make_dual(vec(torch, 1, 2), vec(torch, 1, -3)))

        SCENARIOS[f"dual: {name}"] = run
        return program

    return add


def level(name: str) -> Callable[[Callable[[Any, Any], Any]], Any]:
    def add(program: Callable[[Any, Any], Any]) -> Any:
        def run(torch: Any) -> Any:
            fw = torch.autograd.forward_ad
            with fw.dual_level():
                return program(torch, fw)

        SCENARIOS[f"level: {name}"] = run
        return program

    return add


SCENARIOS["no level"] = lambda torch: torch.autograd.forward_ad.make_dual(vec(torch, 1), vec(torch, 1))
SCENARIOS["no level to exit"] = lambda torch: torch.autograd.forward_ad.exit_dual_level()
SCENARIOS["no level to unpack in"] = lambda torch: both(torch, vec(torch, 1))

level("nested")(lambda torch, fw: fw.enter_dual_level())
level("another one exits")(lambda torch, fw: fw.exit_dual_level(level=5))
level("whole numbers")(lambda torch, fw: fw.make_dual(torch.tensor([1]), vec(torch, 1)))
level("whole tangents")(lambda torch, fw: fw.make_dual(vec(torch, 1), torch.tensor([1])))
level("another size")(lambda torch, fw: fw.make_dual(vec(torch, 1, 2), vec(torch, 1)))
level("another level")(lambda torch, fw: fw.make_dual(vec(torch, 1), vec(torch, 1), level=3))
level("unpacked of another level")(lambda torch, fw: list(fw.unpack_dual(vec(torch, 1), level=3)))
level("a tensor without tangent")(lambda torch, fw: both(torch, vec(torch, 1)))

dual("twice")(lambda torch, fw, d: fw.make_dual(d, vec(torch, 1, 1)))
dual("with a dual tangent")(lambda torch, fw, d: fw.make_dual(vec(torch, 1, 1), d))
dual("text")(lambda torch, fw, d: [repr(d), repr(d.sum()), f"{d}"])
dual("out=")(lambda torch, fw, d: torch.mul(d, 2, out=vec(torch, 0, 0)))
dual("flags")(lambda torch, fw, d: [d.requires_grad, d.is_leaf, d.grad_fn is None, (d * 2).requires_grad])
dual("square")(lambda torch, fw, d: both(torch, d * d))
dual("square in no_grad")(lambda torch, fw, d: both(torch, torch.no_grad()(lambda: d * d)()))
dual("detached")(lambda torch, fw, d: both(torch, d.detach()))
dual("data")(lambda torch, fw, d: both(torch, d.data))
dual("like")(lambda torch, fw, d: both(torch, torch.zeros_like(d)))
dual("floor")(lambda torch, fw, d: both(torch, d.floor()))
dual("sign")(lambda torch, fw, d: both(torch, d.sign()))
dual("compared")(lambda torch, fw, d: both(torch, d > 1))
dual("argmax")(lambda torch, fw, d: both(torch, d.argmax()))
dual("max")(lambda torch, fw, d: [both(torch, d.max()), both(torch, d.max(0)[0])])
dual("another dtype")(lambda torch, fw, d: [both(torch, d.to(torch.float32)), both(torch, d.to(torch.int64))])
dual("broadcast")(lambda torch, fw, d: both(torch, d * vec(torch, 1, 2, 3).unsqueeze(1)))
dual("std")(lambda torch, fw, d: both(torch, d.std()))
dual("layer_norm")(lambda torch, fw, d: both(torch, torch.nn.functional.layer_norm(d * d, (2,))))
dual("softmax")(lambda torch, fw, d: both(torch, torch.softmax(d, 0)))
dual("split")(lambda torch, fw, d: [both(torch, part) for part in d.split(1)])
dual("unbind")(lambda torch, fw, d: [both(torch, part) for part in d.unbind()])
dual("stack")(lambda torch, fw, d: both(torch, torch.stack([d, vec(torch, 5, 6), d * 2])))
dual("where")(lambda torch, fw, d: both(torch, torch.where(d > 1, d, d * 3)))
dual("matmul")(lambda torch, fw, d: both(torch, d.outer(d) @ d))
dual("index")(lambda torch, fw, d: both(torch, d[torch.tensor([1, 1, 0])]))
dual("complex")(lambda torch, fw, d: both(torch, (d * (1 + 2j)).abs()))


@level("complex dual")
def _(torch: Any, fw: Any) -> Any:
    z = torch.tensor([1 + 2j, -1j], dtype=torch.complex128)
    d = fw.make_dual(z, torch.tensor([1j, 2 + 1j], dtype=torch.complex128))
    return [both(torch, y) for y in (d * d, d.abs(), d.exp(), d.conj() * d, d.sum())]


@level("the tangent itself is kept")
def _(torch: Any, fw: Any) -> Any:
    tangent = vec(torch, 1, 1)
    d = fw.make_dual(vec(torch, 1, 2), tangent)
    d.mul_(3)
    return [fw.unpack_dual(d).tangent is tangent, tangent, both(torch, d)]


@dual("changed in place")
def _(torch: Any, fw: Any, d: Any) -> Any:
    steps = [both(torch, d)]
    for change in (
        lambda: d.mul_(d.clone()),  # PyTorch errs in mul_ with itself
        lambda: d.add_(vec(torch, 1, 1)),
        lambda: d.exp_(),
        lambda: d.clamp_(max=5.0),
        lambda: d.zero_(),
        lambda: d.add_(fw.make_dual(vec(torch, 1, 1), vec(torch, 7, 8))),
        lambda: d.fill_(3.0),
    ):
        change()
        steps.append([t.clone() for t in both(torch, d)])
    return steps


@dual("a tensor without tangent is changed in place")
def _(torch: Any, fw: Any, d: Any) -> Any:
    a = vec(torch, 5, 6)
    a.mul_(d)
    b = vec(torch, 5, 6)
    b.copy_(d)
    c = vec(torch, 5, 6)
    c[1] = d[1]
    e = vec(torch, 5, 6)
    e[torch.tensor([0])] = d[1]
    return [both(torch, t) for t in (a, b, c, e)]


@dual("views share the tangent")
def _(torch: Any, fw: Any, d: Any) -> Any:
    a = d * 2
    first, matrix = a[:1], a.view(2, 1)
    first.mul_(10)
    turned = matrix.t()
    a.add_(fw.make_dual(vec(torch, 0, 0), vec(torch, 100, 100)))
    return [both(torch, t) for t in (a, first, matrix, turned)]


@dual("a view of a tensor without tangent is changed in place")
def _(torch: Any, fw: Any, d: Any) -> Any:
    base = torch.zeros(4, dtype=torch.float64)
    left, middle = base[:2], base[1:3]
    left.add_(d)
    return [both(torch, t) for t in (base, left, middle, base.view(2, 2))]


@dual("a column of a matrix is changed in place")
def _(torch: Any, fw: Any, d: Any) -> Any:
    base = torch.zeros(2, 2, dtype=torch.float64).t()
    base[:, 1] = d
    base[0].mul_(vec(torch, 3, 3))
    return both(torch, base)


@dual("the primal's views")
def _(torch: Any, fw: Any, d: Any) -> Any:
    primal = fw.unpack_dual(d).primal
    view = primal.view(-1)
    view.mul_(fw.make_dual(vec(torch, 1, 1), vec(torch, 4, 5)))
    return [both(torch, t) for t in (primal, view, d)]


def learnt(torch: Any, fw: Any) -> tuple[Any, Any]:
    x = vec(torch, 1, 2, requires_grad=True)
    return x, fw.make_dual(x, vec(torch, 1, -3))


CURVES: dict[str, Callable[[Any, Any], Any]] = {
    "power": lambda torch, x: x**3,
    "exp": lambda torch, x: x.exp(),
    "tanh": lambda torch, x: x.tanh() * x,
    "softmax": lambda torch, x: torch.softmax(x, 0) * vec(torch, 1, 5),
    "std": lambda torch, x: x.std(),
    "outer": lambda torch, x: x.outer(x).sin(),
    "matmul": lambda torch, x: x.outer(x) @ x,
    "layer_norm": lambda torch, x: torch.nn.functional.layer_norm(x * x, (2,)) * vec(torch, 1, 5),
    "view": lambda torch, x: x.view(2, 1).expand(2, 2).cumsum(0) ** 2,
    "norm": lambda torch, x: (x * x).norm(),
}


def over_reverse(curve: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def run(torch: Any, fw: Any) -> Any:
        x, d = learnt(torch, fw)
        (g,) = torch.autograd.grad(curve(torch, d).sum(), x)
        return both(torch, g)

    return run


def over_forward(curve: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def run(torch: Any, fw: Any) -> Any:
        x, d = learnt(torch, fw)
        tangent = fw.unpack_dual(curve(torch, d)).tangent
        return [tangent, torch.autograd.grad(tangent.sum(), x)]

    return run


for name_, curve_ in CURVES.items():
    level(f"forward over reverse, {name_}")(over_reverse(curve_))
    if name_ not in ("softmax", "layer_norm"):  # there PyTorch changes what it has saved, or leaves out terms
        level(f"reverse over forward, {name_}")(over_forward(curve_))


@level("a tangent that is learnt")
def _(torch: Any, fw: Any) -> Any:
    v = vec(torch, 1, -3, requires_grad=True)
    y = fw.make_dual(vec(torch, 1, 2), v) ** 3
    return torch.autograd.grad(fw.unpack_dual(y).tangent.sum(), v)


@level("after the level")
def _(torch: Any, fw: Any) -> Any:
    d = fw.make_dual(vec(torch, 1, 2), vec(torch, 1, 1))
    fw.exit_dual_level()
    fw.enter_dual_level()
    return both(torch, d * 2)


# ---- custom functions ----


def function(torch: Any, forward: Any, jvp: Any = None, backward: Any = None) -> Any:
    """A custom function of these parts."""
    parts = {"forward": staticmethod(forward)}
    if jvp is not None:
        parts["jvp"] = staticmethod(jvp)
    if backward is not None:
        parts["backward"] = staticmethod(backward)
    return type("Custom", (torch.autograd.Function,), parts)


def dirty(ctx: Any, x: Any) -> Any:
    ctx.mark_dirty(x)
    return x.mul_(2)


for name_, forward_, jvp_ in (
    ("without jvp", lambda ctx, x: x * 2, None),
    ("too many", lambda ctx, x: x * 2, lambda ctx, g: (g, g)),
    ("no tensor", lambda ctx, x: x * 2, lambda ctx, g: 3),
    ("another size", lambda ctx, x: x * 2, lambda ctx, g: g[:1]),
    ("good", lambda ctx, x: x * 2, lambda ctx, g: g * 2),
    ("the same tangent", lambda ctx, x: x * 1, lambda ctx, g: g),
    ("view without view", lambda ctx, x: x.view_as(x), lambda ctx, g: g * 2),
    ("view", lambda ctx, x: x[:1], lambda ctx, g: g[:1]),
    ("input without view", lambda ctx, x: x, lambda ctx, g: g * 2),
    ("input", lambda ctx, x: x, lambda ctx, g: g.view_as(g)),
    ("dirty without dirty", dirty, lambda ctx, g: g * 2),
    ("dirty", dirty, lambda ctx, g: g.mul_(2)),
    ("fails", lambda ctx, x: x * 2, lambda ctx, g: {}["missing"]),
):

    def run_(torch: Any, fw: Any, d: Any, f: Any = forward_, j: Any = jvp_) -> Any:
        return both(torch, function(torch, f, j).apply(d.clone()))

    dual(f"function, {name_}")(run_)


@dual("function, several outputs")
def _(torch: Any, fw: Any, d: Any) -> Any:
    def forward(ctx: Any, x: Any, n: int) -> Any:
        ctx.save_for_forward(x)
        ctx.n = n
        return x**n, torch.tensor(3)

    def jvp(ctx: Any, g: Any, n: None) -> Any:
        (x,) = ctx.saved_tensors
        return ctx.n * x ** (ctx.n - 1) * g, n

    return [both(torch, y) for y in function(torch, forward, jvp).apply(d, 3)]


@dual("function, a tangent for what has none")
def _(torch: Any, fw: Any, d: Any) -> Any:
    custom = function(torch, lambda ctx, x: (x * 2, torch.tensor(3)), lambda ctx, g: (g, g))
    return custom.apply(d)


@level("function, arguments without tangents")
def _(torch: Any, fw: Any) -> Any:
    seen = []

    def forward(ctx: Any, x: Any, y: Any, n: int) -> Any:
        seen.append(list(ctx.needs_input_grad))
        ctx.save_for_backward(x, y)
        ctx.save_for_forward(x, y)
        return x * y

    def jvp(ctx: Any, gx: Any, gy: Any, gn: None) -> Any:
        x, y = ctx.saved_tensors
        seen.append([gx, gy, gn, torch.is_grad_enabled()])
        return gx * y + x * gy

    def backward(ctx: Any, g: Any) -> Any:
        x, y = ctx.saved_tensors
        return g * y, g * x, None

    d = fw.make_dual(vec(torch, 1, 2), vec(torch, 1, -3))
    y = vec(torch, 3, 4, requires_grad=True)
    z = function(torch, forward, jvp, backward).apply(d, y, 1)
    (over,) = torch.autograd.grad(fw.unpack_dual(z).tangent.sum(), y, retain_graph=True)
    (g,) = torch.autograd.grad(z.sum(), y)
    return [seen, both(torch, z), over, both(torch, g)]
