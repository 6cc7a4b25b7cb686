"""Training steps as tapes: the losses and parameters of the loop that they stand for, bit for bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import onetape as torch
from onetape import jit, nn, optim
from onetape.optim.optimizer import NativeOptimizer


def same(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and a.detach().numpy().tobytes() == b.detach().numpy().tobytes()


def mlp() -> nn.Module:
    return nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Dropout(0.3), nn.LayerNorm(16), nn.Linear(16, 4))


def cnn() -> nn.Module:
    return nn.Sequential(
        nn.Unflatten(1, (1, 6)), nn.Conv1d(1, 4, 3, padding=1), nn.BatchNorm1d(4), nn.GELU(), nn.MaxPool1d(2),
        nn.Flatten(), nn.Linear(12, 4),
    )  # fmt: skip


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Linear(2, 5)
        self.lstm = nn.LSTM(5, 7, batch_first=True)
        self.head = nn.Linear(7, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        out, _ = self.lstm(self.embed(x.reshape(-1, 3, 2)))
        return self.head(out[:, -1])


def attention() -> nn.Module:
    layer = nn.TransformerEncoderLayer(6, 2, 12, dropout=0.1, batch_first=True)
    return nn.Sequential(nn.Unflatten(1, (1, 6)), layer, nn.Flatten(), nn.Linear(6, 4))


OPTIMIZERS: dict[str, Callable[[Any], Any]] = {
    "sgd": lambda p: optim.SGD(p, lr=0.05),
    "momentum": lambda p: optim.SGD(p, lr=0.05, momentum=0.9, weight_decay=1e-3),
    "adam": lambda p: optim.Adam(p, lr=0.01),
    "adamw": lambda p: optim.AdamW(p, lr=0.01, amsgrad=True),
    "rmsprop": lambda p: optim.RMSprop(p, lr=0.01),
    "adafactor": lambda p: optim.Adafactor(p, lr=0.01),
}


def run(make: Callable[[], nn.Module], optimizer: str, compiled: bool) -> tuple[list[torch.Tensor], nn.Module, Any]:
    torch.manual_seed(0)
    model = make()
    stepper = OPTIMIZERS[optimizer](model.parameters())
    loss_of = nn.CrossEntropyLoss()
    batches = [(torch.randn(8, 6), torch.randint(0, 4, (8,))) for _ in range(8)]
    torch.manual_seed(1)
    schedule = optim.lr_scheduler.StepLR(stepper, 3, 0.5)
    step = jit.compile_step(lambda x, y: loss_of(model(x), y), stepper) if compiled else None
    losses = []
    for x, y in batches:
        if step:
            losses.append(step(x, y))
        else:
            stepper.zero_grad()
            loss = loss_of(model(x), y)
            loss.backward()
            stepper.step()
            losses.append(loss)
        schedule.step()
    return losses, model, step


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("make", [mlp, cnn, Recurrent, attention])
def test_steps(make: Callable[[], nn.Module], optimizer: str) -> None:
    eager, plain, _ = run(make, optimizer, compiled=False)
    taped, model, step = run(make, optimizer, compiled=True)
    assert [t.item() for t in taped] == [t.item() for t in eager]
    assert len(step.tapes) == 1
    for a, b in zip(plain.state_dict().values(), model.state_dict().values(), strict=True):
        assert same(a, b)
    for a, b in zip(plain.parameters(), model.parameters(), strict=True):
        assert same(a.grad, b.grad)


def matrices() -> nn.Module:
    return nn.Sequential(nn.Linear(6, 16, bias=False), nn.Tanh(), nn.Linear(16, 4, bias=False))


OF_MATRICES: dict[str, Callable[[Any], Any]] = {
    "muon": lambda p: optim.Muon(p, lr=0.05),
    "muon as adamw": lambda p: optim.Muon(p, lr=0.05, nesterov=False, ns_steps=3, adjust_lr_fn="match_rms_adamw"),
}


@pytest.mark.parametrize("optimizer", OF_MATRICES)
def test_steps_of_matrices(optimizer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(OPTIMIZERS, optimizer, OF_MATRICES[optimizer])
    test_steps(matrices, optimizer)


NATIVE = [kind for kind in vars(optim).values() if isinstance(kind, type) and issubclass(kind, NativeOptimizer)]


@pytest.mark.parametrize("kind", NATIVE)
def test_every_native_optimizer(kind: Any) -> None:
    """Its step is one call on the tape, so that the next learning rate counts."""

    def train(compiled: bool) -> list[nn.Parameter]:
        torch.manual_seed(0)
        model = matrices()
        stepper = kind(model.parameters(), lr=0.03)
        schedule = optim.lr_scheduler.ExponentialLR(stepper, 0.5)
        x = torch.randn(5, 6)
        step = jit.compile_step(lambda x: model(x).square().mean(), stepper)
        for _ in range(5):
            if compiled:
                step(x)
            else:
                stepper.zero_grad()
                model(x).square().mean().backward()
                stepper.step()
            schedule.step()
        if compiled:
            assert len(step.tapes) == 1
            assert str(step.tapes[0]).count("optimizer_step") == 1
        return list(model.parameters())

    assert all(map(same, train(compiled=False), train(compiled=True)))


def test_other_batches_are_recorded() -> None:
    model = nn.Linear(3, 1)
    step = jit.compile_step(lambda x: model(x).square().mean(), optim.SGD(model.parameters(), lr=0.1))
    for size in (2, 2, 3, 3, 2, 3):
        step(torch.randn(size, 3))
    assert len(step.tapes) == 2


def test_new_groups_are_recorded() -> None:
    first, second = nn.Linear(3, 3), nn.Linear(3, 1)
    stepper = optim.SGD(first.parameters(), lr=0.1)
    step = jit.compile_step(lambda x: second(first(x)).square().mean(), stepper)
    for _ in range(3):
        step(torch.ones(2, 3))
    before = second.weight.detach().clone()
    step(torch.ones(2, 3))
    assert same(second.weight, before)
    stepper.add_param_group({"params": list(second.parameters()), "lr": 0.2})
    for _ in range(3):
        step(torch.ones(2, 3))
    assert not same(second.weight, before)


def test_what_is_refused() -> None:
    model = nn.Linear(3, 1)
    with pytest.raises(TypeError, match="native step, not LBFGS"):
        jit.compile_step(lambda x: model(x).sum(), optim.LBFGS(model.parameters()))  # type: ignore[arg-type]
    stepper = optim.SGD(model.parameters(), lr=0.1)
    step = jit.compile_step(lambda x: model(x).sum(), stepper)
    with pytest.raises(TypeError, match="takes tensors, not int"):
        step(3)  # type: ignore[arg-type]
    wrong = jit.compile_step(lambda x: 3, stepper)  # type: ignore[arg-type, return-value]
    with pytest.raises(TypeError, match="must be a Tensor, not int"):
        wrong(torch.ones(2, 3))
    stepper.register_step_pre_hook(lambda *_: None)
    with pytest.raises(RuntimeError, match="step hooks"):
        step(torch.ones(2, 3))


def test_a_step_allocates_nothing() -> None:
    """The loss is a 0-dim tensor, whose element stands in its own block."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
    loss_of = nn.CrossEntropyLoss()
    step = jit.compile_step(lambda x, y: loss_of(model(x), y), optim.Adam(model.parameters()))
    x, y = torch.randn(32, 64), torch.randint(0, 10, (32,))
    for _ in range(5):
        step(x, y)
    before = torch._C.memory_stats()["allocations"]
    for _ in range(10):
        step(x, y)
    assert torch._C.memory_stats()["allocations"] == before


def test_steps_do_not_leak() -> None:
    model = nn.Linear(8, 8)
    step = jit.compile_step(lambda x: model(x).square().mean(), optim.Adam(model.parameters()))
    x = torch.randn(4, 8)
    for _ in range(5):
        step(x)
    before = torch._C.memory_stats()["live"]
    for _ in range(200):
        step(x)
    assert torch._C.memory_stats()["live"] <= before
