"""Generators and seeds."""

from __future__ import annotations

import pytest

import onetape as torch


def test_manual_seed() -> None:
    assert torch.manual_seed(3) is torch.default_generator
    first = torch.rand(4).tolist()
    assert torch.initial_seed() == 3
    torch.manual_seed(3)
    assert torch.rand(4).tolist() == first


def test_state() -> None:
    torch.manual_seed(1)
    state = torch.get_rng_state()
    first = torch.randn(5).tolist()
    torch.set_rng_state(state)
    assert torch.randn(5).tolist() == first
    with pytest.raises(TypeError):
        torch.set_rng_state(torch.ones(3))
    with pytest.raises(RuntimeError, match="RNG state is wrong size"):
        torch.set_rng_state(torch.ones(3, dtype=torch.uint8))


def test_generator() -> None:
    generator = torch.Generator().manual_seed(5)
    assert generator.initial_seed() == 5 and generator.device == torch.device("cpu")
    first = torch.rand(3, generator=generator).tolist()
    torch.manual_seed(5)
    assert torch.rand(3).tolist() == first
    assert torch.Generator("cpu").seed() != torch.Generator().seed()


def test_seeds() -> None:
    assert torch.manual_seed(-1).initial_seed() == 2**64 - 1
    assert torch.manual_seed(2**64 - 1).initial_seed() == 2**64 - 1
    with pytest.raises(ValueError, match="Overflow when unpacking long long"):
        torch.manual_seed(2**64)
    with pytest.raises(RuntimeError, match="^manual_seed expected a long, but got str$"):
        torch.Generator().manual_seed("a")
    assert isinstance(torch.seed(), int)


def test_missing_device() -> None:
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
        torch.Generator("cuda")
