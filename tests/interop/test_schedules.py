"""Java's learning rate schedules give the numbers of Python's, to the last digit."""

import warnings

import pytest

import onetape as torch
from onetape import jvm
from tests.interop.test_parity import as_floats, as_python, plain


def java(name):
    return jvm.java_class(f"org.onetape.optim.{name}")


def optimizers(kind):
    """Two groups in each language."""
    options = {"momentum": 0.9} if kind == "SGD" else {}
    params = [torch.ones(1, requires_grad=True) for _ in range(2)]
    python = getattr(torch.optim, kind)([{"params": params[:1], "lr": 0.3}, {"params": params[1:]}], lr=0.1, **options)
    groups = []
    for rate in (0.3, 0.1):
        own = java(f"{kind}Options")(rate)
        if kind == "SGD":
            own.momentum(0.9)
        vector = jvm.java_class("org.onetape.TensorVector")(jvm.to_java(torch.ones(1, requires_grad=True)))
        groups.append(java("OptimizerParamGroup")(vector, own))
    return python, java(kind)(java("OptimizerParamGroupVector")(*groups), java(f"{kind}Options")(0.1))


def fading(epoch):
    return 0.95**epoch


lr = torch.optim.lr_scheduler
CASES = {
    "StepLR": (lambda o: lr.StepLR(o, 3, 0.7), lambda o: java("StepLR")(o, 3, 0.7)),
    "MultiStepLR": (
        lambda o: lr.MultiStepLR(o, [2, 5, 5, 31], 0.3),
        lambda o: java("MultiStepLR")(o, [2, 5, 5, 31], 0.3),
    ),
    "ConstantLR": (lambda o: lr.ConstantLR(o), lambda o: java("ConstantLR")(o)),
    "LinearLR": (lambda o: lr.LinearLR(o, 0.2, 0.9, 30), lambda o: java("LinearLR")(o, 0.2, 0.9, 30)),
    "ExponentialLR": (lambda o: lr.ExponentialLR(o, 0.9), lambda o: java("ExponentialLR")(o, 0.9)),
    "PolynomialLR": (lambda o: lr.PolynomialLR(o, 40, 0.9), lambda o: java("PolynomialLR")(o, 40, 0.9)),
    "CosineAnnealingLR": (
        lambda o: lr.CosineAnnealingLR(o, 7, 0.01),
        lambda o: java("CosineAnnealingLR")(o, 7, 0.01),
    ),
    "CosineAnnealingWarmRestarts": (
        lambda o: lr.CosineAnnealingWarmRestarts(o, 4, 2, 0.01),
        lambda o: java("CosineAnnealingWarmRestarts")(o, 4, 2, 0.01),
    ),
    "LambdaLR": (lambda o: lr.LambdaLR(o, fading), lambda o: java("LambdaLR")(o, fading)),
    "MultiplicativeLR": (lambda o: lr.MultiplicativeLR(o, fading), lambda o: java("MultiplicativeLR")(o, fading)),
    "CyclicLR": (
        lambda o: lr.CyclicLR(o, 0.01, [0.1, 0.2], 5, 8),
        lambda o: java("CyclicLR")(o, [0.01], [0.1, 0.2], java("CyclicLROptions")().step_size_up(5).step_size_down(8)),
    ),
    "CyclicLR triangular2": (
        lambda o: lr.CyclicLR(o, 0.01, 0.1, 6, mode="triangular2"),
        lambda o: java("CyclicLR")(o, 0.01, 0.1, java("CyclicLROptions")().step_size_up(6).mode("triangular2")),
    ),
    "CyclicLR exp_range": (
        lambda o: lr.CyclicLR(o, 0.01, 0.1, 6, mode="exp_range", gamma=0.95, cycle_momentum=False),
        lambda o: java("CyclicLR")(
            o, 0.01, 0.1, java("CyclicLROptions")().step_size_up(6).mode("exp_range").gamma(0.95).cycle_momentum(False)
        ),
    ),
    "OneCycleLR": (lambda o: lr.OneCycleLR(o, 0.1, 60), lambda o: java("OneCycleLR")(o, 0.1, 60)),
    "OneCycleLR linear": (
        lambda o: lr.OneCycleLR(
            o, [0.1, 0.3], epochs=10, steps_per_epoch=6, anneal_strategy="linear", three_phase=True, pct_start=0.25
        ),
        lambda o: java("OneCycleLR")(
            o,
            [0.1, 0.3],
            java("OneCycleLROptions")()
            .epochs(10)
            .steps_per_epoch(6)
            .anneal_strategy("linear")
            .three_phase(True)
            .pct_start(0.25),
        ),
    ),
    "SWALR": (
        lambda o: torch.optim.swa_utils.SWALR(o, 0.05, 7),
        lambda o: java("SWALR")(o, 0.05, 7, "cos"),
    ),
    "SWALR linear": (
        lambda o: torch.optim.swa_utils.SWALR(o, 0.05, 0, "linear"),
        lambda o: java("SWALR")(o, 0.05, 0, "linear"),
    ),
    "SequentialLR": (
        lambda o: lr.SequentialLR(
            o, [lr.ConstantLR(o, 0.1, 3), lr.ExponentialLR(o, 0.9), lr.CosineAnnealingLR(o, 7)], [4, 20]
        ),
        lambda o: java("SequentialLR")(
            o,
            jvm.java_class("java.util.Arrays").asList(
                java("ConstantLR")(o, 0.1, 3), java("ExponentialLR")(o, 0.9), java("CosineAnnealingLR")(o, 7)
            ),
            [4, 20],
        ),
    ),
    "ChainedScheduler": (
        lambda o: lr.ChainedScheduler([lr.LinearLR(o, 0.25, total_iters=5), lr.StepLR(o, 20, 0.5)]),
        lambda o: java("ChainedScheduler")(
            jvm.java_class("java.util.Arrays").asList(java("LinearLR")(o, 0.25, 1.0, 5), java("StepLR")(o, 20, 0.5))
        ),
    ),
}


def compare(mine, theirs, optimizer, other):
    assert list(theirs.get_last_lr()) == mine.get_last_lr()
    groups = as_python(other.state_dict().param_groups())
    assert groups == [as_floats(group) for group in plain(optimizer.state_dict()["param_groups"])]


@pytest.mark.parametrize("kind", ["SGD", "Adam"])
@pytest.mark.parametrize("name", CASES)
def test_the_same_rates(border, name, kind):
    optimizer, other = optimizers(kind)
    make, make_java = CASES[name]
    mine, theirs = make(optimizer), make_java(other)
    for _ in range(50):
        compare(mine, theirs, optimizer, other)
        optimizer.step()
        mine.step()
        other.step()
        theirs.step()
    compare(mine, theirs, optimizer, other)
    saved = as_python(theirs.state_dict())
    assert as_floats(saved) == as_floats(plain(mine.state_dict()))
    again = make_java(optimizers(kind)[1])
    again.load_state_dict(theirs.state_dict())
    assert as_python(again.state_dict()) == saved


@pytest.mark.parametrize(
    "name", [name for name in CASES if name.split(" ")[0] not in ("SequentialLR", "ChainedScheduler")]
)
def test_epochs_that_are_given(border, name):
    optimizer, other = optimizers("SGD")
    mine, theirs = (make(one) for make, one in zip(CASES[name], (optimizer, other)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for epoch in (4, 1, 12, 0, 7):
            mine.step(epoch)
            theirs.step(epoch)
            compare(mine, theirs, optimizer, other)


def test_plateaus(border):
    optimizer, other = optimizers("SGD")
    mine = lr.ReduceLROnPlateau(optimizer, "max", 0.5, 1, 0.3, "abs", 2, [0.02, 0.001], 1e-4)
    scheduler = java("ReduceLROnPlateauScheduler")
    modes = scheduler.SchedulerMode.max, scheduler.ThresholdMode.abs
    theirs = scheduler(other, modes[0], 0.5, 1, 0.3, modes[1], 2, [0.02, 0.001], 1e-4, False)
    for epoch in range(50):
        mine.step(1 / (1 + epoch % 19))
        theirs.step(1 / (1 + epoch % 19))
        assert list(theirs.get_last_lr()) == mine.get_last_lr()
    assert as_floats(as_python(theirs.state_dict())) == as_floats(plain(mine.state_dict()))
    again = scheduler(optimizers("SGD")[1])
    again.load_state_dict(theirs.state_dict())
    assert as_python(again.state_dict())["best"] == mine.best
