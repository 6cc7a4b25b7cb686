"""Modules, initialisation and losses give PyTorch's structure, numbers and texts."""

from __future__ import annotations

import pytest

import onetape as torch
from tests.golden.training import answers, modules
from tests.golden.training.scenarios import Scenario, encoded


def check(scenario: Scenario, name: str, ulps: float = 0, scale: float = 0) -> None:
    answers.compare(encoded(torch, scenario(torch)), answers.read()["modules"][name], ulps, scale)


@pytest.mark.parametrize("name", modules.EXACT)
def test_exact(name: str) -> None:
    check(modules.EXACT[name], name)


@pytest.mark.parametrize("name", modules.CLOSE)
def test_close(name: str) -> None:
    check(modules.CLOSE[name], name, ulps=16, scale=0.25)
