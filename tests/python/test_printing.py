"""repr(), str() and f-strings of tensors, letter for letter as PyTorch writes them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from typing import Any

import pytest

import onetape as torch
from tests.golden import store
from tests.golden.printing.cases import DEFAULTS, FILE, prepared

CASES: list[dict[str, Any]] = json.loads(gzip.decompress(FILE.read_bytes()))["cases"]


@pytest.fixture(autouse=True)
def default_options() -> Iterator[None]:
    yield
    torch.set_printoptions(**DEFAULTS)


def tensor_of(case: dict[str, Any]) -> torch.Tensor:
    values = store.elements(case["data"], case["dtype"]).reshape(case["shape"])
    return torch.from_numpy(values).to(getattr(torch, case["dtype"]))


@pytest.mark.parametrize("number", range(len(CASES)))
def test_as_stored(number: int) -> None:
    case = CASES[number]
    tensor = tensor_of(case)
    if "format" in case:
        assert f"{tensor}" == case["format"]
    torch.set_printoptions(**case["options"])
    shown = prepared(tensor, case)
    assert repr(shown) == case["repr"]
    assert str(shown) == case["repr"]


def test_options_are_kept_and_given_back() -> None:
    assert torch.get_printoptions() == DEFAULTS
    torch.set_printoptions(profile="short")
    assert torch.get_printoptions() == {**DEFAULTS, "precision": 2, "edgeitems": 2}
    with torch.printoptions(precision=1, sci_mode=True):
        assert repr(torch.tensor([0.25])) == "tensor([2.5e-01])"
    assert torch.get_printoptions()["precision"] == 2
    torch.set_printoptions(profile="full")
    assert "..." not in repr(torch.zeros(2000))


def test_graph_and_default_dtype() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    assert repr(x) == "tensor([1., 2.], requires_grad=True)"
    assert repr(x * 2) == "tensor([2., 4.], grad_fn=<MulBackward0>)"
    assert repr(x.double()) == "tensor([1., 2.], dtype=torch.float64, grad_fn=<ToCopyBackward0>)"
    assert f"{x[0]}" == "1.0"
    assert f"{x[0].detach():.3f}" == "1.000"
    torch.set_default_dtype(torch.float64)
    try:
        assert repr(torch.ones(2, dtype=torch.float32)) == "tensor([1., 1.], dtype=torch.float32)"
        assert repr(torch.ones(2, dtype=torch.float64)) == "tensor([1., 1.])"
    finally:
        torch.set_default_dtype(torch.float32)


def test_a_subclass_shows_its_name() -> None:
    class Mine(torch.Tensor):
        pass

    assert repr(torch.ones(2).as_subclass(Mine)) == "Mine([1., 1.])"
    parameter = torch.nn.Parameter(torch.ones(1))
    assert repr(parameter) == "Parameter containing:\ntensor([1.], requires_grad=True)"
