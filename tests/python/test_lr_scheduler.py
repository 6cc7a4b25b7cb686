"""Learning rate schedules give PyTorch's numbers, states, warnings and texts."""

from __future__ import annotations

import copy

import pytest

import onetape as torch
from tests.golden.training import answers, schedules
from tests.golden.training.scenarios import encoded


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", schedules.EXACT)
def test_exact(name: str) -> None:
    answers.compare(encoded(torch, schedules.EXACT[name](torch)), answers.read()["schedules"][name])


def test_every_schedule_has_a_case() -> None:
    names = {name.split(" ")[0] for name in schedules.EXACT}
    assert set(torch.optim.lr_scheduler.__all__) - {"LRScheduler"} <= names


def test_a_schedule_of_ones_own() -> None:
    class Halving(torch.optim.lr_scheduler.LRScheduler):
        def get_lr(self):
            return [rate / 2**self.last_epoch for rate in self.base_lrs]

    optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    scheduler = Halving(optimizer)
    optimizer.step()
    scheduler.step()
    scheduler.step()
    assert scheduler.get_last_lr() == [0.25]


def test_copied_optimizers_are_not_watched() -> None:
    optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 3)
    scheduler.optimizer = copy.deepcopy(optimizer)
    with pytest.warns(UserWarning, match="has been overridden"):
        scheduler.step()
