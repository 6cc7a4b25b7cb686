"""Optimizers and learning rate schedules give PyTorch's numbers and texts."""

from __future__ import annotations

import pytest

import onetape as torch
from tests.golden.training import answers, optimizers
from tests.golden.training.scenarios import Scenario, encoded


def check(scenario: Scenario, name: str, ulps: float = 0, scale: float = 0) -> None:
    answers.compare(encoded(torch, scenario(torch)), answers.read()["optimizers"][name], ulps, scale)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", optimizers.EXACT)
def test_exact(name: str) -> None:
    check(optimizers.EXACT[name], name)


@pytest.mark.parametrize("name", optimizers.ADAMS)
def test_adam(name: str) -> None:
    check(optimizers.ADAMS[name], name, ulps=1, scale=0.5)


@pytest.mark.parametrize("name", optimizers.HALF)
def test_half(name: str) -> None:
    check(optimizers.HALF[name], name, ulps=1, scale=0.5)
