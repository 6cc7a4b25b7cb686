"""Scenarios of the learning rate schedules."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from tests.golden.training.scenarios import Scenario, attempt

STEPS = 50


class Fading:
    """A function of the epoch with an attribute that is saved."""

    def __init__(self, rate: float) -> None:
        self.rate = rate

    def __call__(self, epoch: float) -> float:
        return self.rate**epoch


def made(torch: Any, kind: str = "SGD", **options: Any) -> Any:
    """An optimizer with two groups."""
    params = [torch.ones(1, requires_grad=True) for _ in range(2)]
    options = {"momentum": 0.9, **options} if kind == "SGD" else options
    return getattr(torch.optim, kind)([{"params": params[:1], "lr": 0.3}, {"params": params[1:]}], lr=0.1, **options)


def plain_state(state: dict[str, Any]) -> dict[str, Any]:
    """A schedule's state as JSON takes it."""
    return {key: dict(value) if key == "milestones" else value for key, value in state.items()}


def momentums(optimizer: Any) -> list[Any]:
    return [group["betas"][0] if "betas" in group else group.get("momentum") for group in optimizer.param_groups]


def schedule(make: Callable[[Any, Any], Any], kind: str = "SGD", measure: bool = False) -> Scenario:
    """Learning rates and momentums of 50 epochs, the state, and the rates when it is taken over in the middle."""

    def scenario(torch: Any) -> Any:
        optimizer = made(torch, kind)
        scheduler = make(torch.optim.lr_scheduler, optimizer)
        rates, followed = [scheduler.get_last_lr()], []
        later, late = None, None
        seen = [momentums(optimizer)]
        for epoch in range(STEPS):
            # Falls, stays, rises again: what ReduceLROnPlateau looks at.
            arguments = [1 / (1 + epoch % 19)] if measure else []
            optimizer.step()
            scheduler.step(*arguments)
            rates.append(scheduler.get_last_lr())
            seen.append(momentums(optimizer))
            if late is not None:
                late.step()
                later.step(*arguments)
                followed.append(later.get_last_lr())
            if epoch == STEPS // 2:
                late = made(torch, kind)
                later = make(torch.optim.lr_scheduler, late)
                late.load_state_dict(optimizer.state_dict())
                later.load_state_dict(scheduler.state_dict())
                late.step()
        state = plain_state(scheduler.state_dict())
        return {"rates": rates, "momentums": seen, "state": state, "followed": followed}

    return scenario


def closed_forms(torch: Any) -> Any:
    """Rates of epochs that are given out of their order."""
    lr = torch.optim.lr_scheduler
    answers = []
    for make in (
        lambda o: lr.StepLR(o, 3, 0.7),
        lambda o: lr.MultiStepLR(o, [2, 5, 5, 9], 0.3),
        lambda o: lr.ConstantLR(o, 0.3, 4),
        lambda o: lr.LinearLR(o, 0.2, 0.9, 6),
        lambda o: lr.ExponentialLR(o, 0.9),
        lambda o: lr.PolynomialLR(o, 7, 1.5),
        lambda o: lr.CosineAnnealingLR(o, 5, 0.01),
        lambda o: lr.CosineAnnealingWarmRestarts(o, 3, 2),
        lambda o: lr.LambdaLR(o, Fading(0.9)),
    ):
        scheduler = make(made(torch))
        for epoch in (4, 1, 12, 0, 7):
            scheduler.step(epoch)
            answers.append(scheduler.get_last_lr())
    restarts = lr.CosineAnnealingWarmRestarts(made(torch), 3, 2)
    for epoch in (0.5, 4.25, 11.75):
        restarts.step(epoch)
        answers.append([restarts.get_last_lr(), restarts.last_epoch, restarts.T_cur, restarts.T_i])
    return answers


def resumed(torch: Any) -> Any:
    """Schedules that go on from an epoch."""
    lr = torch.optim.lr_scheduler
    answers: list[Any] = [attempt(lambda: lr.StepLR(made(torch), 3, last_epoch=4))[:90]]
    for make in (
        lambda o: lr.StepLR(o, 3, last_epoch=4),
        lambda o: lr.CosineAnnealingLR(o, 5, last_epoch=4),
        lambda o: lr.PolynomialLR(o, 5, last_epoch=2),
        lambda o: lr.LinearLR(o, last_epoch=2),
    ):
        optimizer = made(torch)
        for group in optimizer.param_groups:
            group["initial_lr"] = 2 * group["lr"]
        scheduler = make(optimizer)
        scheduler.step()
        answers.append([scheduler.get_last_lr(), scheduler.base_lrs, scheduler.last_epoch])
    return answers


def tensor_rates(torch: Any) -> Any:
    """A learning rate that is a tensor stays the same one."""
    rate = torch.tensor(0.5)
    optimizer = torch.optim.Adam([torch.ones(1, requires_grad=True)], lr=rate)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
    first = scheduler.get_last_lr()
    optimizer.step()
    scheduler.step()
    return [optimizer.param_groups[0]["lr"] is rate, rate, first, scheduler.get_last_lr(), scheduler.base_lrs]


def warned(action: Callable[[], Any]) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        action()
    return [f"{one.category.__name__}: {str(one.message)[:63]}" for one in caught]


def warnings_given(torch: Any) -> Any:
    lr = torch.optim.lr_scheduler

    def overridden() -> None:
        optimizer = made(torch)
        scheduler = lr.StepLR(optimizer, 3)
        optimizer.step = lambda: None
        scheduler.step()

    def stepped_before() -> None:
        optimizer = made(torch)
        optimizer.step()
        lr.StepLR(optimizer, 3).step()

    def in_order() -> None:
        optimizer = made(torch)
        scheduler = lr.StepLR(optimizer, 3)
        optimizer.step()
        scheduler.step()

    return [
        warned(action)
        for action in (
            lambda: lr.StepLR(made(torch), 1).step(),
            overridden,
            stepped_before,
            in_order,
            lambda: lr.StepLR(made(torch), 3).get_lr(),
            lambda: lr.ReduceLROnPlateau(made(torch)).step(1.0, epoch=3),
        )
    ]


def refusals(torch: Any) -> Any:
    lr = torch.optim.lr_scheduler
    other = lr.StepLR(made(torch), 3)

    def too_far() -> Any:
        scheduler = lr.OneCycleLR(made(torch), 0.1, total_steps=2)
        for _ in range(4):
            scheduler.step()
        return None

    def group_added() -> None:
        optimizer = made(torch)
        scheduler = lr.ReduceLROnPlateau(optimizer, patience=0, min_lr=[0.1, 0.1])
        optimizer.add_param_group({"params": [torch.ones(1, requires_grad=True)]})
        scheduler.step(1.0)
        scheduler.step(1.0)

    actions: list[Callable[[], Any]] = [
        lambda: lr.StepLR(3, 3),
        lambda: lr.LambdaLR(made(torch), [abs, abs, abs]),
        lambda: lr.MultiplicativeLR(made(torch), 3),
        lambda: lr.ConstantLR(made(torch), 1.5),
        lambda: lr.LinearLR(made(torch), 0.0),
        lambda: lr.LinearLR(made(torch), 0.5, 1.5),
        lambda: lr.CosineAnnealingWarmRestarts(made(torch), 0),
        lambda: lr.CosineAnnealingWarmRestarts(made(torch), 3, 0),
        lambda: lr.CosineAnnealingWarmRestarts(made(torch), 3).step(-1),
        lambda: lr.CyclicLR(3, 0.1, 0.2),
        lambda: lr.CyclicLR(made(torch), [0.1], 0.2),
        lambda: lr.CyclicLR(made(torch), 0.1, 0.2, mode="square"),
        lambda: lr.CyclicLR(made(torch, "Adagrad"), 0.1, 0.2),
        lambda: lr.OneCycleLR(made(torch), 0.1),
        lambda: lr.OneCycleLR(made(torch), 0.1, total_steps=0),
        lambda: lr.OneCycleLR(made(torch), 0.1, epochs=0, steps_per_epoch=2),
        lambda: lr.OneCycleLR(made(torch), 0.1, epochs=2, steps_per_epoch=-1),
        lambda: lr.OneCycleLR(made(torch), 0.1, total_steps=9, pct_start=2.0),
        lambda: lr.OneCycleLR(made(torch), 0.1, total_steps=9, anneal_strategy="step"),
        lambda: lr.OneCycleLR(made(torch, "Adagrad"), 0.1, total_steps=9),
        too_far,
        lambda: lr.ReduceLROnPlateau(made(torch), factor=1.0),
        lambda: lr.ReduceLROnPlateau(3),
        lambda: lr.ReduceLROnPlateau(made(torch), min_lr=[0.1]),
        lambda: lr.ReduceLROnPlateau(made(torch), mode="least"),
        lambda: lr.ReduceLROnPlateau(made(torch), threshold_mode="both"),
        group_added,
        lambda: lr.SequentialLR(made(torch), [], []),
        lambda: lr.SequentialLR(other.optimizer, [other], [3]),
        lambda: lr.SequentialLR(other.optimizer, [3], []),
        lambda: lr.SequentialLR(other.optimizer, [lr.ReduceLROnPlateau(other.optimizer)], []),
        lambda: lr.ChainedScheduler([]),
        lambda: lr.ChainedScheduler([3], other.optimizer),
        lambda: lr.ChainedScheduler([other, lr.StepLR(made(torch), 3)])[:60],
        lambda: lr.LRScheduler(made(torch)),
        lambda: torch.optim.swa_utils.SWALR(made(torch), 0.1, anneal_strategy="step"),
        lambda: torch.optim.swa_utils.SWALR(made(torch), 0.1, anneal_epochs=-1),
        lambda: torch.optim.swa_utils.SWALR(made(torch), [0.1]),
    ]
    return [str(attempt(action))[:160] for action in actions]


def averaging_rates(options: dict[str, Any]) -> Scenario:
    """SWALR after other schedules have changed the rates."""

    def scenario(torch: Any) -> Any:
        optimizer = made(torch)
        before = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
        scheduler = torch.optim.swa_utils.SWALR(optimizer, **options)
        rates = []
        for epoch in range(30):
            optimizer.step()
            (before if epoch < 5 else scheduler).step()
            rates.append([group["lr"] for group in optimizer.param_groups])
        again = torch.optim.swa_utils.SWALR(made(torch), 0.3)
        again.load_state_dict(scheduler.state_dict())
        return [rates, scheduler.state_dict(), again.state_dict(), again.get_last_lr()]

    return scenario


def sequence(lr: Any, optimizer: Any) -> Any:
    parts = [lr.ConstantLR(optimizer, 0.1, 3), lr.ExponentialLR(optimizer, 0.9), lr.CosineAnnealingLR(optimizer, 7)]
    return lr.SequentialLR(optimizer, parts, [4, 20])


def warm_up(lr: Any, optimizer: Any) -> Any:
    inner = [lr.LinearLR(optimizer, 0.25, total_iters=5), lr.CosineAnnealingWarmRestarts(optimizer, 6, 2)]
    both = [lr.SequentialLR(optimizer, inner, [5]), lr.StepLR(optimizer, 20, 0.5)]
    return lr.ChainedScheduler(both)


EXACT: dict[str, Scenario] = {
    "StepLR": schedule(lambda lr, o: lr.StepLR(o, 3, 0.7)),
    "MultiStepLR": schedule(lambda lr, o: lr.MultiStepLR(o, [2, 5, 5, 9, 31], 0.3)),
    "ConstantLR": schedule(lambda lr, o: lr.ConstantLR(o, total_iters=11)),
    "LinearLR": schedule(lambda lr, o: lr.LinearLR(o, 0.2, 0.9, 30)),
    "ExponentialLR": schedule(lambda lr, o: lr.ExponentialLR(o, 0.9)),
    "PolynomialLR": schedule(lambda lr, o: lr.PolynomialLR(o, 40, 0.9)),
    "CosineAnnealingLR": schedule(lambda lr, o: lr.CosineAnnealingLR(o, 7, 0.01)),
    "CosineAnnealingWarmRestarts": schedule(lambda lr, o: lr.CosineAnnealingWarmRestarts(o, 4, 2, 0.01)),
    "LambdaLR": schedule(lambda lr, o: lr.LambdaLR(o, [Fading(0.95), lambda epoch: 1 / (1 + epoch)])),
    "MultiplicativeLR": schedule(lambda lr, o: lr.MultiplicativeLR(o, lambda epoch: 0.99**epoch)),
    "CyclicLR": schedule(lambda lr, o: lr.CyclicLR(o, 0.01, [0.1, 0.2], 5, 8)),
    "CyclicLR triangular2": schedule(lambda lr, o: lr.CyclicLR(o, 0.01, 0.1, 6, mode="triangular2"), "Adam"),
    "CyclicLR exp_range": schedule(
        lambda lr, o: lr.CyclicLR(o, 0.01, 0.1, 6, mode="exp_range", gamma=0.95, cycle_momentum=False)
    ),
    "CyclicLR of one's own": schedule(
        lambda lr, o: lr.CyclicLR(o, 0.01, 0.1, 6, scale_fn=Fading(0.9), scale_mode="iterations")
    ),
    "OneCycleLR": schedule(lambda lr, o: lr.OneCycleLR(o, [0.1, 0.3], total_steps=60)),
    "OneCycleLR linear": schedule(
        lambda lr, o: lr.OneCycleLR(
            o, 0.1, epochs=10, steps_per_epoch=6, anneal_strategy="linear", three_phase=True, pct_start=0.25
        ),
        "AdamW",
    ),
    "OneCycleLR without momentum": schedule(
        lambda lr, o: lr.OneCycleLR(o, 0.1, 55, cycle_momentum=False, div_factor=10.0, final_div_factor=10.0)
    ),
    "ReduceLROnPlateau": schedule(lambda lr, o: lr.ReduceLROnPlateau(o, patience=3, cooldown=2), measure=True),
    "ReduceLROnPlateau max": schedule(
        lambda lr, o: lr.ReduceLROnPlateau(o, "max", 0.5, 1, 0.3, "abs", min_lr=[0.02, 0.001], eps=1e-4),
        measure=True,
    ),
    "SequentialLR": schedule(sequence),
    "ChainedScheduler": schedule(warm_up),
    "SWALR": averaging_rates({"swa_lr": 0.05, "anneal_epochs": 7}),
    "SWALR linear": averaging_rates({"swa_lr": [0.05, 0.2], "anneal_strategy": "linear"}),
    "SWALR at once": averaging_rates({"swa_lr": 0.05, "anneal_epochs": 0}),
    "closed forms": closed_forms,
    "resumed": resumed,
    "tensor rates": tensor_rates,
    "warnings": warnings_given,
    "refusals": refusals,
}
"""Answers that must be the same to the last digit."""
