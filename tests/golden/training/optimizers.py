"""Scenarios of the optimizers and of the learning rate schedules."""

from __future__ import annotations

import warnings
from typing import Any

from tests.golden.training.scenarios import Scenario, attempt, pattern

STEPS = 20
SHAPES = ((3, 4), (5,), (), (2, 0), (17, 3))

SGD: dict[str, dict[str, Any]] = {
    "plain": {"lr": 0.1},
    "decay": {"lr": 0.03, "weight_decay": 0.1},
    "momentum": {"lr": 0.03, "momentum": 0.9},
    "dampening": {"lr": 0.03, "momentum": 0.9, "dampening": 0.1, "weight_decay": 0.01},
    "nesterov": {"lr": 0.03, "momentum": 0.9, "nesterov": True, "weight_decay": 0.01},
    "maximize": {"lr": 0.03, "momentum": 0.5, "maximize": True},
}
ADAM: dict[str, dict[str, Any]] = {
    "plain": {"lr": 0.01},
    "betas": {"lr": 0.01, "betas": (0.3, 0.6), "eps": 1e-3},
    "decay": {"lr": 0.01, "weight_decay": 0.05},
    "amsgrad": {"lr": 0.01, "amsgrad": True},
    "maximize": {"lr": 0.01, "amsgrad": True, "maximize": True, "weight_decay": 0.05},
}


def steps(kind: str, options: dict[str, Any], dtype: str) -> Scenario:
    """Parameters and their state after some steps along fixed gradients; one of them is left out of every third."""

    def scenario(torch: Any) -> Any:
        params = [pattern(torch, shape, i, dtype).requires_grad_() for i, shape in enumerate(SHAPES)]
        optimizer = getattr(torch.optim, kind)(params, **options)
        for step in range(STEPS):
            for i, param in enumerate(params):
                skipped = i == 1 and step % 3 == 0
                param.grad = None if skipped else pattern(torch, SHAPES[i], 31 * step + i, dtype)
            optimizer.step()
        return {"params": [p.detach() for p in params], "state": optimizer.state_dict()["state"]}

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
            lambda: optim.lr_scheduler.StepLR(3, 3),
            lambda: optim.lr_scheduler.LambdaLR(sgd, [abs, abs]),
            lambda: repr(sgd),
            lambda: repr(adam),
            lambda: repr(optim.AdamW([leaf()])),
        )
    ]


def schedule(name: str, **options: Any) -> Scenario:
    """The learning rates of two groups over 13 epochs, and the schedule's state."""

    def scenario(torch: Any) -> Any:
        params = [torch.ones(1, requires_grad=True) for _ in range(2)]
        optimizer = torch.optim.SGD([{"params": params[:1], "lr": 0.3}, {"params": params[1:]}], lr=0.1)
        scheduler = getattr(torch.optim.lr_scheduler, name)(optimizer, **options)
        rates = [scheduler.get_last_lr()]
        for _ in range(13):
            optimizer.step()
            scheduler.step()
            rates.append(scheduler.get_last_lr())
        return {"rates": rates, "state": scheduler.state_dict()}

    return scenario


def chained_schedules(torch: Any) -> Any:
    optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
    first = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
    second = torch.optim.lr_scheduler.StepLR(optimizer, 2, 0.5)
    rates = []
    for _ in range(6):
        optimizer.step()
        first.step()
        second.step()
        rates.append(optimizer.param_groups[0]["lr"])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        torch.optim.lr_scheduler.StepLR(torch.optim.SGD([torch.ones(1)], lr=0.1), 1).step()
    return [rates, caught[0].category.__name__, str(caught[0].message)[:63]]


EXACT: dict[str, Scenario] = {
    "groups and state": groups_and_state,
    "closures and hooks": closures_and_hooks,
    "named parameters": named_parameters,
    "refusals": refusals,
    "StepLR": schedule("StepLR", step_size=3, gamma=0.7),
    "MultiStepLR": schedule("MultiStepLR", milestones=[2, 5, 5, 9], gamma=0.3),
    "ExponentialLR": schedule("ExponentialLR", gamma=0.9),
    "CosineAnnealingLR": schedule("CosineAnnealingLR", T_max=5, eta_min=0.01),
    "LambdaLR": schedule("LambdaLR", lr_lambda=lambda epoch: 0.95**epoch),
    "chained schedules": chained_schedules,
    **{
        f"SGD {name} {dtype}": steps("SGD", options, dtype)
        for name, options in SGD.items()
        for dtype in ("float32", "float64")
    },
}
"""Answers that must be the same to the last digit."""

ADAMS: dict[str, Scenario] = {
    f"{kind} {name} {dtype}": steps(kind, options, dtype)
    for kind in ("Adam", "AdamW")
    for name, options in ADAM.items()
    for dtype in ("float32", "float64")
}
"""Answers that may differ by rounding: PyTorch's square root is not always the nearest number, that of the CPU is."""

HALF: dict[str, Scenario] = {
    f"{kind} {dtype}": steps(kind, {"lr": 0.03}, dtype) for kind in ("SGD", "Adam") for dtype in ("float16", "bfloat16")
}
"""The same, with few digits."""
