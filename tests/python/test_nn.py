"""Modules, initialisation and losses give PyTorch's structure, numbers and texts."""

from __future__ import annotations

import pytest

import onetape as torch
from tests.golden.training import answers, layers, modules, sequences, spatial
from tests.golden.training.scenarios import Scenario, encoded


def check(scenario: Scenario, group: str, name: str, ulps: float = 0, scale: float = 0) -> None:
    answers.compare(encoded(torch, scenario(torch)), answers.read()[group][name], ulps, scale)


@pytest.mark.parametrize("name", modules.EXACT)
def test_modules(name: str) -> None:
    check(modules.EXACT[name], "modules", name)


@pytest.mark.parametrize("name", modules.CLOSE)
def test_modules_close(name: str) -> None:
    check(modules.CLOSE[name], "modules", name, ulps=16, scale=0.25)


@pytest.mark.parametrize("name", layers.EXACT)
def test_layers(name: str) -> None:
    check(layers.EXACT[name], "layers", name)


@pytest.mark.filterwarnings("ignore:reduction")
@pytest.mark.parametrize("name", layers.CLOSE)
def test_layers_close(name: str) -> None:
    check(layers.CLOSE[name], "layers", name, ulps=16, scale=0.25)


@pytest.mark.filterwarnings("ignore:input's size", "ignore:Using padding='same'")
@pytest.mark.parametrize("name", spatial.EXACT)
def test_spatial(name: str) -> None:
    check(spatial.EXACT[name], "spatial", name)


@pytest.mark.parametrize("name", spatial.CLOSE)
def test_spatial_close(name: str) -> None:
    check(spatial.CLOSE[name], "spatial", name, ulps=16, scale=0.25)


@pytest.mark.filterwarnings("ignore:dropout option")
@pytest.mark.parametrize("name", sequences.EXACT)
def test_sequences(name: str) -> None:
    check(sequences.EXACT[name], "sequences", name)


@pytest.mark.filterwarnings("ignore:Support for mismatched")
@pytest.mark.parametrize("name", sequences.CLOSE)
def test_sequences_close(name: str) -> None:
    check(sequences.CLOSE[name], "sequences", name, ulps=32, scale=0.5)
