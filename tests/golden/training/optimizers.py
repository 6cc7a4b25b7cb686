"""Scenarios of the optimizers."""

from __future__ import annotations

from functools import partial
from typing import Any

from tests.golden.training.scenarios import Scenario, attempt, pattern

STEPS = 20
SHAPES = ((3, 4), (5,), (), (2, 0), (17, 3))
OTHER_SHAPES = {"Adafactor": ((3, 4), (5,), (), (2, 3, 4), (17, 3)), "Muon": ((3, 4), (5, 5), (1, 3), (17, 3))}
"""Those of optimizers that PyTorch does not give all of them: of no elements it has no mean."""
REAL = ("Adafactor", "Muon")
"""Optimizers that refuse complex parameters."""

OPTIONS: dict[str, dict[str, dict[str, Any]]] = {
    "SGD": {
        "plain": {"lr": 0.1},
        "decay": {"lr": 0.03, "weight_decay": 0.1},
        "momentum": {"lr": 0.03, "momentum": 0.9},
        "dampening": {"lr": 0.03, "momentum": 0.9, "dampening": 0.1, "weight_decay": 0.01},
        "nesterov": {"lr": 0.03, "momentum": 0.9, "nesterov": True, "weight_decay": 0.01},
        "maximize": {"lr": 0.03, "momentum": 0.5, "maximize": True},
    },
    "Adam": {
        "plain": {"lr": 0.01},
        "betas": {"lr": 0.01, "betas": (0.3, 0.6), "eps": 1e-3},
        "decay": {"lr": 0.01, "weight_decay": 0.05},
        "amsgrad": {"lr": 0.01, "amsgrad": True},
        "maximize": {"lr": 0.01, "amsgrad": True, "maximize": True, "weight_decay": 0.05},
        "decoupled": {"lr": 0.01, "weight_decay": 0.05, "decoupled_weight_decay": True},
    },
    "AdamW": {
        "plain": {"lr": 0.01},
        "betas": {"lr": 0.01, "betas": (0.3, 0.6), "eps": 1e-3},
        "decay": {"lr": 0.01, "weight_decay": 0.05},
        "amsgrad": {"lr": 0.01, "amsgrad": True},
        "maximize": {"lr": 0.01, "amsgrad": True, "maximize": True, "weight_decay": 0.05},
    },
    "Adamax": {
        "plain": {},
        "betas": {"lr": 0.01, "betas": (0.4, 0.7), "eps": 1e-3},
        "maximize": {"lr": 0.01, "maximize": True, "weight_decay": 0.05},
    },
    "NAdam": {
        "plain": {},
        "betas": {"lr": 0.01, "betas": (0.4, 0.7), "eps": 1e-3, "momentum_decay": 0.1},
        "decay": {"lr": 0.01, "weight_decay": 0.05},
        "decoupled": {"lr": 0.01, "weight_decay": 0.05, "decoupled_weight_decay": True},
        "maximize": {"lr": 0.01, "maximize": True},
    },
    "RAdam": {
        "plain": {},
        "betas": {"lr": 0.01, "betas": (0.4, 0.7), "eps": 1e-3},
        "decay": {"lr": 0.01, "betas": (0.8, 0.95), "weight_decay": 0.05},
        "decoupled": {"lr": 0.01, "weight_decay": 0.05, "decoupled_weight_decay": True},
        "maximize": {"lr": 0.01, "maximize": True},
    },
    "RMSprop": {
        "plain": {},
        "decay": {"alpha": 0.7, "eps": 1e-3, "weight_decay": 0.05},
        "momentum": {"momentum": 0.8},
        "centered": {"centered": True},
        "all": {"centered": True, "momentum": 0.5, "maximize": True, "weight_decay": 0.05, "alpha": 0.9},
    },
    "Adagrad": {
        "plain": {},
        "decay": {"lr": 0.1, "lr_decay": 0.1, "weight_decay": 0.05, "eps": 1e-3},
        "initial": {"lr": 0.1, "initial_accumulator_value": 0.3},
        "maximize": {"lr": 0.1, "maximize": True},
    },
    "Adadelta": {
        "plain": {},
        "decay": {"lr": 0.5, "rho": 0.7, "eps": 1e-3, "weight_decay": 0.05},
        "maximize": {"maximize": True},
    },
    "Rprop": {
        "plain": {},
        "bounds": {"lr": 0.02, "etas": (0.3, 1.5), "step_sizes": (1e-2, 0.05)},
        "maximize": {"maximize": True},
    },
    "ASGD": {
        "plain": {},
        "averaged": {"lr": 0.1, "lambd": 0.1, "alpha": 0.5, "t0": 5, "weight_decay": 0.05},
        "maximize": {"lr": 0.1, "t0": 0, "maximize": True},
    },
    "Adafactor": {
        "plain": {},
        "shrinking": {"lr": 0.1, "weight_decay": 0.05, "d": 2.0},
        "bounds": {"lr": 0.5, "beta2_decay": -0.3, "eps": (0.5, 0.1)},
        "maximize": {"lr": 0.1, "maximize": True},
    },
    "Muon": {
        "plain": {},
        "adamw": {"lr": 0.02, "adjust_lr_fn": "match_rms_adamw", "weight_decay": 0.0},
        "unclamped": {"lr": 0.02, "adjust_lr_fn": "spectral_unclamped", "nesterov": False},
        "rounds": {"lr": 0.02, "ns_steps": 3, "ns_coefficients": (2.0, -1.5, 0.5), "momentum": 0.5, "eps": 0.5},
    },
}
"""Of every optimizer, the options of the stored cases."""


def steps(kind: str, options: dict[str, Any], dtype: str) -> Scenario:
    """Parameters and their state after some steps along fixed gradients; one of them is left out of every third."""

    shapes = OTHER_SHAPES.get(kind, SHAPES)

    def scenario(torch: Any) -> Any:
        params = [pattern(torch, shape, i, dtype).requires_grad_() for i, shape in enumerate(shapes)]
        optimizer = getattr(torch.optim, kind)(params, **options)
        for step in range(STEPS):
            for i, param in enumerate(params):
                skipped = i == 1 and step % 3 == 0
                param.grad = None if skipped else pattern(torch, shapes[i], 31 * step + i, dtype)
            optimizer.step()
        return {"params": [p.detach() for p in params], **optimizer.state_dict()}

    return scenario


def groups_and_state(torch: Any) -> Any:
    """Groups, their text, and a state dict that another optimizer takes over in the middle."""
    first = [pattern(torch, (2, 2), 1).requires_grad_(), pattern(torch, (3,), 2).requires_grad_()]
    second = [p.detach().clone().requires_grad_() for p in first]

    def make(params: list[Any]) -> Any:
        optimizer = torch.optim.Adam([{"params": params[:1], "lr": 0.1}], lr=0.01)
        optimizer.add_param_group({"params": params[1], "betas": (0.5, 0.9)})
        return optimizer

    def step(optimizer: Any, params: list[Any], number: int) -> None:
        for i, param in enumerate(params):
            param.grad = pattern(torch, tuple(param.shape), number + i)
        optimizer.step()

    one = make(first)
    for number in range(4):
        step(one, first, number)
        if number == 1:
            saved = one.state_dict()
            for mine, other in zip(second, first):
                mine.data.copy_(other.data)
            two = make(second)
            two.load_state_dict(saved)
        if number in (1, 2):
            step(two, second, number + 1)
    return {
        "text": repr(one),
        "saved": saved,
        "first": first,
        "second": second,
        "groups": two.state_dict()["param_groups"],
    }


def closures_and_hooks(torch: Any) -> Any:
    param = pattern(torch, (2,), 3).requires_grad_()
    optimizer = torch.optim.SGD([param], lr=0.5)
    seen: list[str] = []
    before = optimizer.register_step_pre_hook(lambda opt, args, kwargs: seen.append("before"))
    optimizer.register_step_post_hook(lambda opt, args, kwargs: seen.append("after"))

    def closure() -> Any:
        optimizer.zero_grad()
        loss = (param * param).sum()
        loss.backward()
        return loss

    with torch.no_grad():
        loss = optimizer.step(closure)
    before.remove()
    optimizer.step()
    cleared = param.grad is None
    optimizer.zero_grad(set_to_none=False)
    zero = param.grad
    optimizer.zero_grad()
    return [loss, param, seen, cleared, zero, param.grad is None]


def named_parameters(torch: Any) -> Any:
    optimizer = torch.optim.SGD([("w", pattern(torch, (2,)).requires_grad_())], lr=0.1)
    return [repr(optimizer), optimizer.state_dict()]


def refusals(torch: Any) -> Any:
    """Exceptions for what no optimizer takes."""
    optim = torch.optim

    def leaf() -> Any:
        return torch.ones(2, requires_grad=True)

    shared = leaf()
    sgd = optim.SGD([leaf()], lr=0.1)
    adam = optim.Adam([leaf()])
    return [
        attempt(action)
        for action in (
            lambda: optim.SGD(leaf(), lr=0.1),
            lambda: optim.SGD([], lr=0.1),
            lambda: optim.SGD([leaf() * 2], lr=0.1),
            lambda: optim.SGD([3], lr=0.1),
            lambda: optim.SGD([leaf()], lr=-1),
            lambda: optim.SGD([leaf()], lr=0.1, momentum=-1),
            lambda: optim.SGD([leaf()], lr=0.1, weight_decay=-1),
            lambda: optim.SGD([leaf()], lr=0.1, nesterov=True),
            lambda: optim.SGD([leaf()], lr=0.1, nesterov=True, momentum=0.1, dampening=0.1),
            lambda: optim.SGD([{"params": [shared]}, {"params": [shared]}], lr=0.1),
            lambda: optim.SGD([{"params": {shared}}], lr=0.1),
            lambda: optim.SGD([{"x": [shared]}], lr=0.1),
            lambda: optim.Adam([leaf()], lr=-1),
            lambda: optim.Adam([leaf()], eps=-1),
            lambda: optim.Adam([leaf()], betas=(1, 0)),
            lambda: optim.Adam([leaf()], betas=(0, 1)),
            lambda: optim.Adam([leaf()], weight_decay=-1),
            lambda: optim.Adam([leaf()], lr=torch.tensor([0.1, 0.2])),
            lambda: optim.Adam([leaf()], fused=True, foreach=True),
            lambda: optim.Adam([leaf()], fused=True, differentiable=True),
            lambda: optim.Adam([("a", leaf()), leaf()]),
            lambda: sgd.add_param_group(3),
            lambda: adam.load_state_dict({"param_groups": [], "state": {}}),
            lambda: adam.load_state_dict({"param_groups": [{"params": [0, 1]}], "state": {}}),
            lambda: repr(sgd),
            lambda: repr(adam),
            lambda: repr(optim.AdamW([leaf()])),
        )
    ]


def states_that_others_saved(torch: Any) -> Any:
    """States with plain numbers, of groups that lack newer options, and tensors of another dtype."""
    answers = []
    for kind, old in (("Adam", ("step",)), ("NAdam", ("step", "mu_product")), ("ASGD", ("step", "eta", "mu"))):
        param = pattern(torch, (3,), 1).requires_grad_()
        one = getattr(torch.optim, kind)([param], lr=0.1)
        param.grad = pattern(torch, (3,), 2)
        one.step()
        saved = one.state_dict()
        for name in old:
            saved["state"][0][name] = saved["state"][0][name].item()
        for name in ("maximize", "foreach", "capturable", "differentiable"):
            del saved["param_groups"][0][name]
        wide = pattern(torch, (3,), 1, "float64").requires_grad_()
        two = getattr(torch.optim, kind)([wide])
        two.load_state_dict(saved)
        wide.grad = pattern(torch, (3,), 3, "float64")
        two.step()
        answers.append([two.state_dict(), wide])
    return answers


def hooks_of_states(torch: Any) -> Any:
    param = pattern(torch, (2,), 3).requires_grad_()
    optimizer = torch.optim.SGD([param], lr=0.5)
    seen: list[str] = []
    optimizer.register_state_dict_pre_hook(lambda opt: seen.append("saving"))
    optimizer.register_state_dict_pre_hook(lambda opt: seen.append("first"), prepend=True)
    optimizer.register_state_dict_post_hook(lambda opt, state: {**state, "note": "saved"})
    optimizer.register_load_state_dict_pre_hook(lambda opt, state: {**state, "state": {0: {"momentum_buffer": None}}})
    optimizer.register_load_state_dict_post_hook(lambda opt: seen.append("loaded"))
    state = optimizer.state_dict()
    optimizer.load_state_dict(state)
    return [seen, state["note"], optimizer.state[param], optimizer.state_dict()["param_groups"]]


def matrices_alone(torch: Any) -> Any:
    """What optimizers of matrices refuse; parameters stay as they are where PyTorch leaves them so."""
    vector, matrix = torch.ones(3, requires_grad=True), torch.ones(2, 2, requires_grad=True)
    twisted = torch.ones(2, 2, dtype=torch.complex64, requires_grad=True)
    matrix.grad, vector.grad, twisted.grad = torch.ones(2, 2), torch.ones(3), torch.ones(2, 2, dtype=torch.complex64)
    muon = torch.optim.Muon([matrix])
    answers = [attempt(lambda: torch.optim.Muon([matrix, vector])), repr(muon), repr(torch.optim.Adafactor([vector]))]
    for kind in ("Adafactor", "Muon"):
        answers.append(attempt(getattr(torch.optim, kind)([twisted]).step))
    answers.append(attempt(torch.optim.Muon([matrix], ns_steps=100).step))
    muon.add_param_group({"params": [vector]})
    return [*answers, attempt(muon.step), vector.detach()]


def made(torch: Any, kind: str, leaf: Any, options: dict[str, Any]) -> str:
    return repr(getattr(torch.optim, kind)([leaf], **options))


def options_out_of_bounds(torch: Any) -> Any:
    """Exceptions for numbers that make no sense."""
    wrong: dict[str, list[dict[str, Any]]] = {
        "Adamax": [{"lr": -1}, {"eps": -1}, {"betas": (1, 0)}, {"betas": (0, 1)}, {"weight_decay": -1}],
        "NAdam": [{"lr": -1}, {"eps": -1}, {"betas": (1.5, 0)}, {"weight_decay": -1}, {"momentum_decay": -1}],
        "RAdam": [{"lr": -1}, {"eps": -1}, {"betas": (0, -1)}, {"weight_decay": -1}],
        "RMSprop": [{"lr": -1}, {"eps": -1}, {"momentum": -1}, {"weight_decay": -1}, {"alpha": -1}],
        "Adagrad": [{"lr": -1}, {"lr_decay": -1}, {"weight_decay": -1}, {"initial_accumulator_value": -1}, {"eps": -1}],
        "Adadelta": [{"lr": -1}, {"rho": 1.5}, {"eps": -1}, {"weight_decay": -1}],
        "Rprop": [{"lr": -1}, {"etas": (1.5, 2)}, {"etas": (0.5, 0.6)}, {"etas": (0, 2)}],
        "ASGD": [{"lr": -1}, {"lambd": -1}, {"alpha": -1}, {"weight_decay": -1}],
        "Adafactor": [
            {"lr": -1},
            {"beta2_decay": 1},
            {"eps": (-1, 1)},
            {"eps": (None, -1)},
            {"d": 0.5},
            {"weight_decay": -1},
        ],
        "Muon": [{"lr": -1}, {"momentum": -1}, {"weight_decay": -1}, {"adjust_lr_fn": "adam"}],
    }
    leaf = torch.ones(2, requires_grad=True)
    answers: list[Any] = []
    for kind, cases in wrong.items():
        for case in ({}, {"lr": torch.ones(2)}, *cases):
            answers.append(attempt(partial(made, torch, kind, leaf, case)))
    named = torch.optim.Adam([("a", leaf)])
    answers.append(attempt(lambda: named.add_param_group({"params": [torch.ones(1)]})))
    adam = torch.optim.Adam([leaf])
    leaf.grad = torch.ones(2)
    adam.step()
    adam.param_groups[0]["amsgrad"] = True
    answers += [attempt(adam.step), leaf.detach().clone()]
    adam.param_groups[0]["amsgrad"] = False
    del adam.param_groups[0]["lr"]
    return [*answers, attempt(adam.step)]


def accumulated(torch: Any) -> Any:
    """Gradients of two halves of a batch, added up, make the step of the whole batch."""

    def trained(parts: int) -> Any:
        weight = pattern(torch, (3, 1), 1).requires_grad_()
        optimizer = torch.optim.SGD([weight], lr=0.25, momentum=0.5)
        for step in range(4):
            x, y = pattern(torch, (8, 3), step), pattern(torch, (8, 1), step + 9)
            optimizer.zero_grad()
            for i in range(parts):
                rows = slice(i * 8 // parts, (i + 1) * 8 // parts)
                loss = ((x[rows] @ weight - y[rows]) ** 2).mean() / parts
                loss.backward()
            optimizer.step()
        return weight

    return [trained(1), trained(2), trained(4)]


def rates_that_are_tensors(torch: Any) -> Any:
    answers = []
    for kind in OPTIONS:
        shape = (3, 1) if kind == "Muon" else (3,)
        param = pattern(torch, shape, 1).requires_grad_()
        optimizer = getattr(torch.optim, kind)([param], lr=torch.tensor(0.03))
        for step in range(3):
            param.grad = pattern(torch, shape, 2 + step)
            optimizer.step()
        optimizer.param_groups[0]["lr"].fill_(0.5)
        optimizer.step()
        answers.append(param)
    return answers


def cases(*dtypes: str, kinds: tuple[str, ...] = tuple(OPTIONS), names: tuple[str, ...] = ()) -> dict[str, Scenario]:
    """Twenty steps of optimizers with their options, or with those of the given names alone."""
    return {
        f"{kind} {name} {dtype}": steps(kind, options, dtype)
        for kind in kinds
        for name, options in OPTIONS[kind].items()
        if not names or name in names
        for dtype in dtypes
    }


EXACT: dict[str, Scenario] = {
    "groups and state": groups_and_state,
    "closures and hooks": closures_and_hooks,
    "hooks of states": hooks_of_states,
    "named parameters": named_parameters,
    "refusals": refusals,
    "options out of bounds": options_out_of_bounds,
    "states that others saved": states_that_others_saved,
    "matrices alone": matrices_alone,
    **cases("float32", "float64"),
}
"""Answers that must be the same to the last digit, if square roots are exact."""

CLOSE: dict[str, Scenario] = {
    "accumulated": accumulated,
    "rates that are tensors": rates_that_are_tensors,
    **cases(
        "complex64",
        "complex128",
        kinds=tuple(kind for kind in OPTIONS if kind not in REAL),
        names=("decay", "averaged", "all", "bounds"),
    ),
}
"""Answers that may differ by rounding."""

ROOTS: dict[str, Scenario] = cases("float32")
"""The same with PyTorch's own square root, which is off by one in the last place for every fifth number."""

HALF: dict[str, Scenario] = {
    f"{kind} {dtype}": steps(kind, {"lr": 0.03}, dtype) for kind in OPTIONS for dtype in ("float16", "bfloat16")
}
"""Answers with few digits."""
