"""Small programs on autograd.functional, func and forward_ad, each a function of the library that runs it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.golden.functional import forward

SCENARIOS: dict[str, Callable[[Any], Any]] = dict(forward.SCENARIOS)


def scenario(name: str) -> Callable[[Callable[[Any], Any]], Callable[[Any], Any]]:
    def add(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        SCENARIOS[name] = function
        return function

    return add


def point(torch: Any, requires_grad: bool = True) -> Any:
    return torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=requires_grad)


def ones(torch: Any, *shape: int) -> Any:
    return torch.ones(shape, dtype=torch.float64)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "double": lambda x: x * 2,
    "square": lambda x: x**2,
    "cube sum": lambda x: (x**3).sum(),
    "fourth sum": lambda x: (x**4).sum(),
    "sum": lambda x: x.sum(),
    "detach": lambda x: x.detach(),
    "number": lambda x: 3,
    "pair with number": lambda x: (x, 3),
    "pair": lambda x: (x * 2, x),
    "tuple of one": lambda x: (x**2,),
    "matrix": lambda x: x.outer(x.sin()),
    "empty": lambda x: x[:0],
    "first of two": lambda x, y: x * 2,
    "first squared of two": lambda x, y: (x**2).sum(),
    "two": lambda x, y: (x * 2, y.sum()),
    "mixed": lambda x, y: (x * y.exp()).sum(),
    "cube and sum": lambda x, y: (x**3).sum() + y.sum(),
}


def inputs_of(torch: Any, kind: str) -> Any:
    x = point(torch)
    return {
        "x": x,
        "plain": point(torch, False),
        "(x,)": (x,),
        "(x, x)": (x, x),
        "(x, y)": (x, torch.tensor([0.5, -1.0], dtype=torch.float64)),
        "number": 3,
        "(x, number)": (x, 3),
        "one": torch.tensor(3.0, dtype=torch.float64),
    }[kind]


def vector_of(torch: Any, kind: str | None) -> Any:
    if kind is None:
        return None
    v = torch.tensor([1.0, -3.0], dtype=torch.float64)
    return {
        "v": v,
        "(v,)": (v,),
        "(v, v)": (v, v),
        "three": ones(torch, 3),
        "number": 3,
        "one": torch.tensor(2.0, dtype=torch.float64),
        "learnt": v.requires_grad_(),
    }[kind]


PRODUCTS = [
    ("vjp", "double", "number", None),
    ("vjp", "double", "(x, number)", None),
    ("vjp", "number", "x", None),
    ("vjp", "pair with number", "x", None),
    ("vjp", "double", "x", None),
    ("vjp", "double", "x", "three"),
    ("vjp", "double", "x", "number"),
    ("vjp", "pair", "x", "v"),
    ("vjp", "pair", "x", "(v, v)"),
    ("vjp", "double", "x", "(v, v)"),
    ("vjp", "detach", "x", "v"),
    ("vjp", "first of two", "(x, x)", "v"),
    ("vjp", "first of two", "(x, y)", "v"),
    ("vjp", "square", "x", "v"),
    ("vjp", "square", "plain", "v"),
    ("vjp", "square", "x", "learnt"),
    ("vjp", "square", "(x,)", "v"),
    ("vjp", "cube sum", "x", None),
    ("vjp", "mixed", "(x, y)", "one"),
    ("jvp", "double", "x", None),
    ("jvp", "double", "x", "three"),
    ("jvp", "square", "x", "v"),
    ("jvp", "square", "(x,)", "(v,)"),
    ("jvp", "square", "x", "learnt"),
    ("jvp", "pair", "x", "v"),
    ("jvp", "detach", "x", "v"),
    ("jvp", "first of two", "(x, y)", "(v, v)"),
    ("jvp", "mixed", "(x, y)", "(v, v)"),
    ("jvp", "square", "one", None),
    ("jvp", "matrix", "x", "v"),
    ("hvp", "cube sum", "x", None),
    ("hvp", "square", "x", "v"),
    ("hvp", "tuple of one", "x", "v"),
    ("hvp", "cube sum", "x", "v"),
    ("hvp", "cube sum", "one", None),
    ("hvp", "sum", "x", "v"),
    ("hvp", "mixed", "(x, y)", "(v, v)"),
    ("hvp", "cube and sum", "(x, y)", "(v, v)"),
    ("vhp", "cube sum", "x", "v"),
    ("vhp", "fourth sum", "x", "v"),
    ("vhp", "sum", "x", "v"),
    ("vhp", "cube sum", "x", "three"),
    ("vhp", "mixed", "(x, y)", "(v, v)"),
    ("vhp", "first squared of two", "(x, y)", "(v, v)"),
]
MATRICES = [
    ("jacobian", "square", "x"),
    ("jacobian", "square", "(x,)"),
    ("jacobian", "double", "x"),
    ("jacobian", "pair", "x"),
    ("jacobian", "two", "(x, y)"),
    ("jacobian", "first of two", "(x, y)"),
    ("jacobian", "mixed", "(x, y)"),
    ("jacobian", "matrix", "x"),
    ("jacobian", "empty", "x"),
    ("jacobian", "square", "number"),
    ("jacobian", "number", "x"),
    ("jacobian", "square", "one"),
    ("hessian", "square", "x"),
    ("hessian", "tuple of one", "x"),
    ("hessian", "cube sum", "x"),
    ("hessian", "cube sum", "plain"),
    ("hessian", "cube sum", "one"),
    ("hessian", "sum", "x"),
    ("hessian", "mixed", "(x, y)"),
    ("hessian", "cube and sum", "(x, y)"),
    ("hessian", "fourth sum", "x"),
]
OPTIONS: list[dict[str, Any]] = [{}, {"strict": True}, {"create_graph": True}, {"strict": True, "create_graph": True}]
MATRIX_OPTIONS: list[dict[str, Any]] = [
    *OPTIONS,
    {"vectorize": True},
    {"vectorize": True, "strict": True},
    {"strategy": "forward-mode"},
    {"strategy": "forward-mode", "vectorize": True},
    {"strategy": "forward-mode", "create_graph": True},
    {"strategy": "forward-mode", "strict": True},
    {"strategy": "sideways"},
]


def product(api: str, function: str, kind: str, v: str | None, options: dict[str, Any]) -> Callable[[Any], Any]:
    def run(torch: Any) -> Any:
        call = getattr(torch.autograd.functional, api)
        return call(FUNCTIONS[function], inputs_of(torch, kind), vector_of(torch, v), **options)

    return run


def matrix(api: str, function: str, kind: str, options: dict[str, Any]) -> Callable[[Any], Any]:
    given = dict(options)
    if api == "hessian" and "strategy" in given:
        given["outer_jacobian_strategy"] = given.pop("strategy")

    def run(torch: Any) -> Any:
        return getattr(torch.autograd.functional, api)(FUNCTIONS[function], inputs_of(torch, kind), **given)

    return run


for api_, function_, kind_, v_ in PRODUCTS:
    for options_ in OPTIONS:
        SCENARIOS[f"{api_}({function_}, {kind_}, {v_}, {options_})"] = product(api_, function_, kind_, v_, options_)
for api_, function_, kind_ in MATRICES:
    for options_ in MATRIX_OPTIONS:
        if options_.get("vectorize") and function_ in ("empty", "number"):
            continue  # PyTorch's errors there come from its inner parts
        SCENARIOS[f"{api_}({function_}, {kind_}, {options_})"] = matrix(api_, function_, kind_, options_)


# ---- batches of gradients ----


def batched(outputs: Callable[[Any, Any], Any], vectors: Callable[[Any], Any], **options: Any) -> Callable[[Any], Any]:
    def run(torch: Any) -> Any:
        x = point(torch)
        z = torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
        inputs = [x, z] if options.get("two") else x
        given = {key: value for key, value in options.items() if key != "two"}
        return torch.autograd.grad(outputs(torch, x), inputs, vectors(torch), is_grads_batched=True, **given)

    return run


SCENARIOS.update(
    {
        "batched": batched(lambda t, x: x * x, lambda t: ones(t, 3, 2)),
        "batched, create_graph": batched(lambda t, x: x * x, lambda t: ones(t, 3, 2), create_graph=True),
        "batched, a number": batched(lambda t, x: x.sum(), lambda t: ones(t, 4)),
        "batched, no vector": batched(lambda t, x: x.sum(), lambda t: None),
        "batched, several": batched(lambda t, x: [x * x, x.sum()], lambda t: [ones(t, 3, 2), ones(t, 3)]),
        "batched, unequal": batched(lambda t, x: [x, x * 2], lambda t: [ones(t, 3, 2), ones(t, 4, 2)]),
        "batched, unused": batched(lambda t, x: x * x, lambda t: ones(t, 3, 2), two=True, allow_unused=True),
    }
)


# ---- func ----


@scenario("func.grad")
def _(torch: Any) -> Any:
    return torch.func.grad(FUNCTIONS["cube sum"])(point(torch, False))


@scenario("func.grad of what requires grad")
def _(torch: Any) -> Any:
    return torch.func.grad(FUNCTIONS["cube sum"])(point(torch))


@scenario("func.grad in no_grad")
def _(torch: Any) -> Any:
    with torch.no_grad():
        return torch.func.grad(FUNCTIONS["cube sum"])(point(torch))


@scenario("func.grad of grad")
def _(torch: Any) -> Any:
    return torch.func.grad(lambda x: torch.func.grad(torch.sin)(x))(torch.tensor(0.5, dtype=torch.float64))


@scenario("func.grad of a closure over what requires grad")
def _(torch: Any) -> Any:
    w = point(torch)
    return torch.func.grad(lambda x: (x * w).sum())(point(torch, False))


@scenario("func.grad, several arguments")
def _(torch: Any) -> Any:
    return torch.func.grad(FUNCTIONS["mixed"], argnums=(1, 0))(*inputs_of(torch, "(x, y)"))


@scenario("func.grad, last argument")
def _(torch: Any) -> Any:
    return torch.func.grad(FUNCTIONS["mixed"], argnums=-1)(point(torch, False), point(torch, False))


@scenario("func.grad of a dict, with keywords and aux")
def _(torch: Any) -> Any:
    def loss(parameters: Any, factor: float) -> Any:
        value = (parameters["w"] * parameters["b"][0]).sum() * factor
        return value, (value * 2, value)

    parameters = {"w": point(torch, False), "b": [torch.tensor(3.0, dtype=torch.float64)]}
    return torch.func.grad_and_value(loss, has_aux=True)(parameters, factor=2.0)


for name_, function_of, argnums_ in (
    ("of a vector", lambda x: x * 2, 0),
    ("of no tensor", lambda x: 3.0, 0),
    ("argnum too large", lambda x: x.sum(), 1),
    ("no argnums", lambda x: x.sum(), ()),
    ("argnums twice", lambda x: x.sum(), (0, 0)),
    ("argnums of text", lambda x: x.sum(), "0"),
    ("independent", lambda x: x.detach().sum(), 0),
):
    SCENARIOS[f"func.grad {name_}"] = lambda torch, f=function_of, n=argnums_: torch.func.grad(f, argnums=n)(
        point(torch, False)
    )
SCENARIOS["func.grad without aux"] = lambda torch: torch.func.grad(lambda x: x.sum(), has_aux=True)(point(torch))
SCENARIOS["func.grad of a number"] = lambda torch: torch.func.grad(lambda x: x)(3.0)
SCENARIOS["func.vjp without aux"] = lambda torch: torch.func.vjp(lambda x: x, point(torch), has_aux=True)
SCENARIOS["func.vjp of int"] = lambda torch: torch.func.vjp(lambda x: x.to(torch.int64), point(torch))
SCENARIOS["func.vjp of no tensor"] = lambda torch: torch.func.vjp(lambda x: (x, 3), point(torch))
SCENARIOS["func.vjp of nothing"] = lambda torch: torch.func.vjp(lambda x: (), point(torch))
SCENARIOS["func.jvp of a list"] = lambda torch: torch.func.jvp(torch.sin, [point(torch)], [point(torch)])
SCENARIOS["func.jvp of no tensor"] = lambda torch: torch.func.jvp(torch.sin, (3.0,), (1.0,))
SCENARIOS["func.jvp, strict"] = lambda torch: torch.func.jvp(
    lambda x: x.detach(), (point(torch, False),), (point(torch, False),), strict=True
)
SCENARIOS["func.jvp, independent"] = lambda torch: torch.func.jvp(
    lambda x: x.detach(), (point(torch, False),), (point(torch, False),)
)
SCENARIOS["func.jacrev, chunk_size"] = lambda torch: torch.func.jacrev(torch.sin, chunk_size=0)
SCENARIOS["func.jacrev of complex"] = lambda torch: torch.func.jacrev(torch.sin)(ones(torch, 2).to(torch.complex128))


@scenario("func.vjp")
def _(torch: Any) -> Any:
    output, vjp_fn = torch.func.vjp(lambda x, y: (x * y, y.sum()), point(torch, False), point(torch, False))
    return output, vjp_fn((ones(torch, 2), ones(torch)))


@scenario("func.vjp of one, with aux")
def _(torch: Any) -> Any:
    output, vjp_fn, aux = torch.func.vjp(lambda x: (x.sin(), x.cos()), point(torch, False), has_aux=True)
    return output, vjp_fn(ones(torch, 2)), aux


@scenario("func.vjp, twice, of what requires grad")
def _(torch: Any) -> Any:
    output, vjp_fn = torch.func.vjp(torch.sin, point(torch))
    return output, vjp_fn(ones(torch, 2)), vjp_fn(2 * ones(torch, 2))


@scenario("func.jvp")
def _(torch: Any) -> Any:
    x, y = point(torch, False), ones(torch, 2)
    return torch.func.jvp(lambda a, b: {"product": a * b.exp(), "sum": [a.sum()]}, (x, y), (y, x))


@scenario("func.jvp, with aux, of what requires grad")
def _(torch: Any) -> Any:
    return torch.func.jvp(lambda a: (a**2, a.sum()), (point(torch),), (ones(torch, 2),), has_aux=True)


@scenario("func.jvp of jvp")
def _(torch: Any) -> Any:
    def slope(x: Any) -> Any:
        return torch.func.jvp(lambda a: a**3, (x,), (torch.ones_like(x),))[1]

    return torch.func.jvp(slope, (point(torch, False),), (ones(torch, 2),))


for name_, call_ in (
    ("jacrev", lambda torch, f, n: torch.func.jacrev(f, argnums=n)),
    ("jacfwd", lambda torch, f, n: torch.func.jacfwd(f, argnums=n)),
):
    SCENARIOS[f"func.{name_}"] = lambda torch, c=call_: c(torch, FUNCTIONS["matrix"], 0)(point(torch, False))
    SCENARIOS[f"func.{name_}, two"] = lambda torch, c=call_: c(torch, FUNCTIONS["two"], (0, 1))(
        point(torch, False), ones(torch, 3)
    )
    SCENARIOS[f"func.{name_} of a dict"] = lambda torch, c=call_: c(torch, lambda d: {"out": d["w"].sum() * d["b"]}, 0)(
        {"w": point(torch, False), "b": ones(torch, 1, 2)}
    )
    SCENARIOS[f"func.{name_} of what requires grad"] = lambda torch, c=call_: c(torch, torch.sin, 0)(point(torch))
SCENARIOS["func.hessian"] = lambda torch: torch.func.hessian(FUNCTIONS["cube sum"])(point(torch, False))
SCENARIOS["func.hessian, two"] = lambda torch: torch.func.hessian(FUNCTIONS["mixed"], argnums=(0, 1))(
    point(torch, False), ones(torch, 2)
)
SCENARIOS["func.jacrev of jacrev"] = lambda torch: torch.func.jacrev(torch.func.jacrev(FUNCTIONS["cube sum"]))(
    point(torch, False)
)
SCENARIOS["func.jacfwd of jacfwd"] = lambda torch: torch.func.jacfwd(torch.func.jacfwd(FUNCTIONS["cube sum"]))(
    point(torch, False)
)


# ---- functional_call ----


def module(torch: Any) -> Any:
    net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh(), torch.nn.Linear(2, 1)).double()
    with torch.no_grad():
        for number, p in enumerate(net.parameters()):
            p.copy_(torch.arange(p.numel(), dtype=torch.float64).reshape(p.shape) / 4 - number / 8)
    return net


@scenario("functional_call")
def _(torch: Any) -> Any:
    net = module(torch)
    other = {name: p.detach() * 2 for name, p in net.named_parameters()}
    before = net(point(torch, False))
    return torch.func.functional_call(net, other, point(torch, False)), before, net(point(torch, False))


@scenario("functional_call, gradient of all parameters")
def _(torch: Any) -> Any:
    net = module(torch)

    def loss(parameters: Any, x: Any) -> Any:
        return torch.func.functional_call(net, parameters, (x,)).sum()

    parameters = {name: p.detach() for name, p in net.named_parameters()}
    return torch.func.grad(loss)(parameters, point(torch, False))


SCENARIOS["functional_call, unknown name"] = lambda torch: torch.func.functional_call(
    module(torch), {"nothing": point(torch)}, point(torch)
)
SCENARIOS["functional_call, strict"] = lambda torch: torch.func.functional_call(
    module(torch), {"0.weight": ones(torch, 2, 2), "other": ones(torch, 1)}, point(torch), strict=True
)
SCENARIOS["functional_call, twice"] = lambda torch: torch.func.functional_call(
    module(torch), [{"0.weight": ones(torch, 2, 2)}, {"0.weight": ones(torch, 2, 2)}], point(torch)
)
SCENARIOS["functional_call, no dicts"] = lambda torch: torch.func.functional_call(module(torch), 3, point(torch))
SCENARIOS["functional_call, several dicts"] = lambda torch: torch.func.functional_call(
    module(torch), ({"0.weight": ones(torch, 2, 2)}, {"0.bias": ones(torch, 2)}), point(torch)
)
SCENARIOS["functional_call, no tensor"] = lambda torch: torch.func.functional_call(
    module(torch), {"0.weight": 3}, point(torch)
)
SCENARIOS["stack_module_state"] = lambda torch: torch.func.stack_module_state([module(torch), module(torch)])
SCENARIOS["stack_module_state, nothing"] = lambda torch: torch.func.stack_module_state([])
