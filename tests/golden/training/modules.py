"""Scenarios of modules, initialisation and losses."""

from __future__ import annotations

import copy
import pickle
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from tests.golden.training.scenarios import Scenario, attempt, pattern


def net(torch: Any) -> Any:
    """A module with everything that a module can have."""
    nn = torch.nn

    class Net(nn.Module):  # type: ignore[misc,name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.first = nn.Linear(3, 4)
            self.layers = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4), nn.ReLU()])
            self.named = nn.ModuleDict({"last": nn.Linear(4, 2, bias=False), "act": nn.Tanh()})
            self.scale = nn.Parameter(pattern(torch, (2,), 1))
            self.several = nn.ParameterList([pattern(torch, (1,), 2), pattern(torch, (2, 1), 3)])
            self.register_parameter("absent", None)
            self.register_buffer("count", pattern(torch, (2,), 4))
            self.register_buffer("scratch", pattern(torch, (3,), 5), persistent=False)
            self.again = self.first
            self.plain = "text"

        def forward(self, x: Any) -> Any:
            x = self.first(x)
            for layer in self.layers:
                x = layer(x)
            return self.named["act"](self.named["last"](x)) * self.scale + self.count

    torch.manual_seed(3)
    return Net()


def structure(torch: Any) -> Any:
    model = net(torch)
    seen: list[str] = []
    model.apply(lambda module: seen.append(type(module).__name__))
    return {
        "text": repr(model),
        "parameters": [name for name, _ in model.named_parameters()],
        "all parameters": [name for name, _ in model.named_parameters(remove_duplicate=False)],
        "own parameters": [name for name, _ in model.named_parameters("p", recurse=False)],
        "buffers": [name for name, _ in model.named_buffers()],
        "modules": [name for name, _ in model.named_modules()],
        "children": [name for name, _ in model.named_children()],
        "applied": seen,
        "dir": [name for name in dir(model) if name in ("first", "scale", "count", "layers", "plain")],
        "found": [
            type(model.get_submodule("layers.1")).__name__,
            tuple(model.get_parameter("named.last.weight").shape),
        ],
        "modes": [model.eval().layers[0].training, model.train().layers[0].training],
    }


def seeded(torch: Any) -> Any:
    """The first values of parameters follow from the seed."""
    return dict(net(torch).state_dict())


def state(torch: Any) -> Any:
    model, other = net(torch), net(torch)
    saved = model.state_dict()
    with torch.no_grad():
        model.scale.mul_(2)
    answers = [
        [list(saved), list(saved._metadata), type(saved).__mro__[-3:] and isinstance(saved, OrderedDict)],
        repr(other.load_state_dict(model.state_dict())),
        other.scale,
    ]
    broken = OrderedDict(saved)
    del broken["count"], broken["layers.0.bias"]
    broken["extra"] = torch.ones(1)
    broken["layers.7.weight"] = torch.ones(1)
    broken["scale"] = torch.ones(3)
    broken["first.bias"] = 3
    return [
        *answers,
        attempt(lambda: other.load_state_dict(broken)),
        attempt(lambda: repr(other.load_state_dict({"count": torch.ones(2), "z": torch.ones(1)}, strict=False))),
        other.count,
        attempt(lambda: other.load_state_dict(3)),
        model.state_dict(keep_vars=True)["scale"] is model.scale,
    ]


def assigned_state(torch: Any) -> Any:
    model = torch.nn.Linear(2, 1)
    given = {"weight": pattern(torch, (1, 2), 1), "bias": pattern(torch, (1,), 2)}
    before = model.weight
    model.load_state_dict(given, assign=True)
    shared = model.weight.data_ptr() == given["weight"].data_ptr()
    return [model.weight is before, shared, isinstance(model.weight, torch.nn.Parameter), model.weight]


def hooked_state(torch: Any) -> Any:
    model = torch.nn.Sequential(torch.nn.Linear(1, 1))
    seen: list[Any] = []
    model[0].register_state_dict_pre_hook(lambda module, prefix, keep: seen.append(["saving", prefix, keep]))
    model.register_state_dict_post_hook(lambda module, state, prefix, meta: state.__setitem__("more", 1))
    model.register_load_state_dict_pre_hook(lambda module, state, *rest: seen.append(["loading", sorted(state)]))
    model.register_load_state_dict_post_hook(lambda module, keys: keys.unexpected_keys.clear())
    saved = model.state_dict()
    return [seen, list(saved), attempt(lambda: repr(model.load_state_dict(saved)))]


def copies(torch: Any) -> Any:
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())
    model.requires_grad_(False)
    model[0].bias.requires_grad_(True)
    deep = copy.deepcopy(model)
    through_bytes = pickle.loads(pickle.dumps(model))
    parameter = torch.nn.Parameter(pattern(torch, (2,)))
    parameter.note = "kept"
    same = copy.deepcopy([parameter, parameter])
    answers: list[Any] = [same[0] is same[1], same[0] is parameter, repr(parameter)]
    for each in (deep, through_bytes):
        equal = all(torch.equal(a, b) for a, b in zip(each.parameters(), model.parameters()))
        apart = all(a is not b and a.data_ptr() != b.data_ptr() for a, b in zip(each.parameters(), model.parameters()))
        answers.append([repr(each), equal, apart, [p.requires_grad for p in each.parameters()]])
    return answers


def conversions(torch: Any) -> Any:
    model = net(torch)
    model.register_buffer("whole", torch.arange(3))
    weight = model.first.weight
    model(pattern(torch, (2, 3))).sum().backward()
    model.double()
    answers = [model.first.weight is weight, str(weight.dtype), str(weight.grad.dtype), str(model.whole.dtype)]
    answers += [str(model.to(torch.float16).scale.dtype), str(model.to("cpu", torch.float32).count.dtype)]
    model.requires_grad_(False)
    answers += [weight.requires_grad, weight.grad is None]
    model.zero_grad(set_to_none=False)
    answers.append(weight.grad)
    model.zero_grad()
    answers += [weight.grad is None, attempt(lambda: model.to(torch.int64)), attempt(lambda: model.train("x"))]
    return answers


def hooks(torch: Any) -> Any:
    model = torch.nn.Sequential(torch.nn.Identity(), torch.nn.Identity())
    seen: list[Any] = []
    model[0].register_forward_pre_hook(lambda module, args: (args[0] + 1,))
    model[0].register_forward_pre_hook(lambda module, args: seen.append(["second", args[0]]))
    model[0].register_forward_pre_hook(lambda module, args: seen.append(["first", args[0]]), prepend=True)
    handle = model[1].register_forward_hook(lambda module, args, result: result * 10)
    model[1].register_forward_hook(lambda module, args, kwargs, result: seen.append([kwargs, result]), with_kwargs=True)
    x = pattern(torch, (2,))
    answers = [model(x)]
    handle.remove()
    answers.append(model(x))
    return [*answers, seen]


def backward_hooks(torch: Any) -> Any:
    layer = torch.nn.Linear(2, 1)
    seen: list[Any] = []
    with torch.no_grad():
        layer.weight.copy_(pattern(torch, (1, 2), 1))
    layer.register_full_backward_pre_hook(lambda module, grad_output: (grad_output[0] * 2,))
    layer.register_full_backward_hook(lambda module, grad_input, grad_output: seen.append([grad_input, grad_output]))
    layer.register_full_backward_hook(lambda module, grad_input, grad_output: (grad_input[0] * 3,))
    x = pattern(torch, (3, 2)).requires_grad_()
    layer(x).sum().backward()
    return [seen, x.grad, layer.weight.grad]


def containers(torch: Any) -> Any:
    nn = torch.nn

    def row(*sizes: int) -> Any:
        return nn.Sequential(*(nn.Flatten(1, size) for size in sizes))

    model = row(1, 2, 3, 4)
    model.append(nn.Flatten(1, 5)).insert(0, nn.Flatten(1, 0))
    named = nn.Sequential(OrderedDict([("a", nn.ReLU()), ("b", nn.Tanh())]))
    listed = nn.ModuleList([nn.ReLU(), nn.ReLU(), nn.Tanh(), nn.Linear(1, 2), nn.Linear(1, 2)])
    listed.extend([nn.ReLU()])
    listed += [nn.Tanh()]
    named_dict = nn.ModuleDict([["x", nn.ReLU()]])
    named_dict.update({"y": nn.Tanh()})
    values = nn.ParameterDict({"p": pattern(torch, (2, 3)), "q": nn.Parameter(pattern(torch, (1,)))})
    params = nn.ParameterList([pattern(torch, (2,)), pattern(torch, (3, 1))])
    params.append(nn.Parameter(pattern(torch, (1,))))
    answers: list[Any] = [repr(x) for x in (model, named, listed, named_dict, values, params)]
    answers += [repr(model[1:3]), repr(model[-1]), repr(named[:1]), repr(listed[2:]), repr(params[1:])]
    answers += [len(model), len(listed), len(params), "x" in named_dict, list(named_dict), list(values.keys())]
    del model[1]
    taken = model.pop(0)
    answers += [repr(model), repr(taken), repr(row(1) + row(2)), repr(row(1) * 2), list(params.state_dict())]
    model += row(9)
    model[0] = nn.Tanh()
    answers += [repr(model), [name for name, _ in values.named_parameters()]]
    del listed[0]
    listed.insert(1, nn.Sigmoid())
    listed.pop(-1)
    return [
        *answers,
        repr(listed),
        repr(named_dict.pop("x")),
        len(named_dict),
        repr(nn.Sequential()),
        repr(nn.ModuleList()),
    ]


def texts(torch: Any) -> Any:
    """How the modules show themselves."""
    nn = torch.nn
    made = [
        nn.Identity(1, a=2),
        nn.Linear(2, 3, bias=False),
        nn.Flatten(),
        nn.Unflatten(1, (2, 3)),
        nn.ReLU(),
        nn.ReLU(True),
        nn.ReLU6(),
        nn.GELU(),
        nn.GELU(approximate="tanh"),
        nn.SiLU(),
        nn.SiLU(True),
        nn.Tanh(),
        nn.Sigmoid(),
        nn.Softmax(),
        nn.Softmax(dim=1),
        nn.LogSoftmax(-1),
        nn.Softmin(1),
        nn.LeakyReLU(),
        nn.LeakyReLU(0.2, True),
        nn.ELU(),
        nn.ELU(2.0, True),
        nn.Softplus(),
        nn.Softplus(2, 10),
        nn.Hardtanh(),
        nn.Hardtanh(-2, 2),
        nn.LogSigmoid(),
        nn.Softsign(),
        nn.Tanhshrink(),
        nn.Dropout(),
        nn.Dropout(0.1, True),
        nn.MSELoss(),
        nn.L1Loss(),
        nn.CrossEntropyLoss(weight=torch.ones(3)),
        nn.NLLLoss(),
        nn.BCELoss(),
        nn.BCEWithLogitsLoss(),
        nn.SmoothL1Loss(),
        nn.HuberLoss(),
        nn.KLDivLoss(),
        nn.Mish(True),
        nn.SELU(),
        nn.CELU(2.0),
        nn.Hardsigmoid(True),
        nn.Hardswish(),
        nn.Threshold(1, 2),
        nn.PReLU(3),
        nn.GLU(),
        nn.LayerNorm(3),
        nn.LayerNorm((2, 3), bias=False),
        nn.RMSNorm(3),
        nn.GroupNorm(2, 4, affine=False),
        nn.BatchNorm1d(3),
        nn.BatchNorm2d(3, momentum=None, track_running_stats=False),
        nn.Embedding(3, 4),
        nn.Embedding(3, 4, padding_idx=-1, max_norm=2.0, scale_grad_by_freq=True),
        nn.CosineSimilarity(),
    ]
    return [repr(module) for module in made]


def refusals(torch: Any) -> Any:
    nn = torch.nn
    model = net(torch)

    class Early(nn.Module):  # type: ignore[misc,name-defined]
        def __init__(self, action: Callable[[Any], Any]) -> None:
            action(self)

    actions: list[Callable[[], Any]] = [
        lambda: Early(lambda m: setattr(m, "p", nn.Parameter(torch.ones(1)))),
        lambda: Early(lambda m: setattr(m, "l", nn.ReLU())),
        lambda: Early(lambda m: setattr(m, "b", nn.Buffer(torch.ones(1)))),
        lambda: Early(lambda m: m.register_buffer("b", torch.ones(1))),
        lambda: Early(lambda m: m.register_parameter("b", nn.Parameter(torch.ones(1)))),
        lambda: nn.Module()(1),
        lambda: nn.Parameter(torch.ones(2, dtype=torch.int64)),
        lambda: nn.Sequential(3),
        lambda: nn.Sequential(nn.ReLU())[3],
        lambda: nn.ModuleList([3]),
        lambda: nn.ModuleList([nn.ReLU()])[2],
        lambda: nn.ModuleDict({3: nn.ReLU()}),
        lambda: nn.ModuleDict(3),
        lambda: nn.ModuleList()(3),
        lambda: nn.ModuleList([nn.ReLU()]).extend(3),
        lambda: nn.ModuleDict().update([1]),
        lambda: nn.ModuleDict().update([(1,)]),
        lambda: nn.Dropout(2),
        lambda: nn.Sequential(nn.ReLU()).insert(4, nn.ReLU()),
        lambda: nn.Sequential(nn.ReLU()) + 3,
        lambda: nn.MSELoss(reduction="most")(torch.ones(1), torch.ones(1)),
        lambda: nn.BCELoss()(torch.ones(2), torch.ones(3)),
        lambda: nn.BCEWithLogitsLoss()(torch.ones(2), torch.ones(3)),
        lambda: nn.init.kaiming_uniform_(torch.ones(2)),
        lambda: nn.init.kaiming_uniform_(torch.ones(2, 2), mode="x"),
        lambda: nn.init.calculate_gain("x"),
        lambda: nn.init.eye_(torch.ones(2)),
        lambda: nn.utils.vector_to_parameters(3, []),
        lambda: nn.Embedding(3, 4, padding_idx=3),
        lambda: nn.Embedding.from_pretrained(torch.ones(3)),
        lambda: nn.GroupNorm(2, 3),
        lambda: nn.BatchNorm1d(3)(torch.ones(3)),
        lambda: nn.BatchNorm1d(3)(torch.ones(1, 3)),
        lambda: nn.BatchNorm2d(3)(torch.ones(1, 3)),
        lambda: nn.Hardtanh(2, 1),
        lambda: model.missing,
    ]
    for name, value in (("scale", 3), ("scale", torch.ones(2)), ("first", 3), ("count", 3), ("count", "x")):
        actions.append(lambda name=name, value=value: setattr(model, name, value))  # type: ignore[misc]
    for name in ("a.b", "", "forward", 3):
        actions.append(lambda name=name: model.register_parameter(name, None))  # type: ignore[misc]
        actions.append(lambda name=name: model.register_buffer(name, None))  # type: ignore[misc]
        actions.append(lambda name=name: model.add_module(name, nn.ReLU()))  # type: ignore[misc]
    for value in (torch.ones(1), 3):
        actions.append(lambda value=value: model.register_parameter("x", value))  # type: ignore[misc]
    actions += [lambda: model.register_buffer("x", 3), lambda: model.add_module("x", 3)]
    for path in ("q.r", "scale"):
        actions.append(lambda path=path: model.get_submodule(path))  # type: ignore[misc]
    actions += [lambda: model.get_parameter("first"), lambda: model.get_buffer("first.weight")]
    return [attempt(lambda action=action: repr(action())) for action in actions]  # type: ignore[misc]


def attributes(torch: Any) -> Any:
    """What assigning and deleting do to the registers."""
    model = net(torch)
    model.scale = None
    model.count = torch.ones(1)
    model.scratch = torch.nn.Buffer(torch.ones(1))
    model.plain = torch.nn.Parameter(torch.ones(1))
    refused = attempt(lambda: setattr(model, "absent", torch.nn.Tanh()))
    del model.first
    answers = [list(model._parameters), list(model._buffers), list(model._modules), "plain" in model.__dict__]
    return [*answers, refused, list(model.state_dict()), attempt(lambda: delattr(model, "nothing"))]


def network(torch: Any) -> Any:
    """Result and gradients of a network."""
    model = net(torch)
    x = pattern(torch, (4, 3)).requires_grad_()
    result = model(x)
    result.sum().backward()
    return {"result": result, "x": x.grad, "gradients": {name: p.grad for name, p in model.named_parameters()}}


def parts_replaced(torch: Any) -> Any:
    nn = torch.nn
    model = net(torch)
    model.set_submodule("layers.1", nn.Tanh())
    model.set_submodule("named.more", nn.ReLU())
    model.set_submodule("named.act", nn.Sigmoid(), strict=True)
    wrong = [("", nn.ReLU(), False), ("first", 3, False), ("absent2.x", nn.ReLU(), False)]
    wrong += [("named.none", nn.ReLU(), True), ("plain", nn.ReLU(), False), ("plain.x", nn.ReLU(), False)]
    return [repr(model), *(attempt(lambda case=case: model.set_submodule(*case)) for case in wrong)]


def dicts_of_parameters(torch: Any) -> Any:
    nn = torch.nn
    one = nn.ParameterDict({"a": pattern(torch, (2,)), "b": pattern(torch, (1,), 1)})
    other = nn.ParameterDict({"b": pattern(torch, (1,), 2), "c": 3})
    copied = one.copy()
    answers: list[Any] = [list(reversed(one)), repr(one | other), list((one | other).items())]
    one |= other
    answers += [list(one.items()), list(copied), copied["a"] is one["a"], one.popitem(), list(one)]
    answers += [one.setdefault("a"), one.setdefault("d", 5), list(one.fromkeys(["x", "y"], 1).items())]
    one.clear()
    answers.append(attempt(one.popitem))
    packed = torch.nn.utils.rnn.pack_sequence([pattern(torch, (2, 1))])
    return [*answers, [getattr(packed, name)().data for name in ("short", "char", "byte", "int", "long", "half")]]


def keywords_of_factories(torch: Any) -> Any:
    given = [
        None,
        {},
        {"device": "cpu", "factory_kwargs": {"dtype": 3}},
        {"size": 1},
        {"dtype": 1, "factory_kwargs": {"dtype": 3}},
    ]
    return [attempt(lambda one=one: torch.nn.factory_kwargs(one)) for one in given]


EXACT: dict[str, Scenario] = {
    "keywords of factories": keywords_of_factories,
    "parts replaced": parts_replaced,
    "dicts of parameters": dicts_of_parameters,
    "structure": structure,
    "seeded": seeded,
    "state": state,
    "assigned state": assigned_state,
    "hooked state": hooked_state,
    "copies": copies,
    "conversions": conversions,
    "hooks": hooks,
    "backward hooks": backward_hooks,
    "containers": containers,
    "texts": texts,
    "refusals": refusals,
    "attributes": attributes,
}

CLOSE: dict[str, Scenario] = {"network": network}
"""Answers that may differ by rounding, since sums are taken in another order."""
