"""autograd.functional, func and forward_ad give what PyTorch gives: values, flags, errors."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

import onetape as torch
from tests.golden.functional.answers import answer
from tests.golden.functional.scenarios import SCENARIOS

FILE = Path(__file__).resolve().parents[1] / "golden" / "functional" / "answers.json"
ANSWERS = json.loads(FILE.read_text(encoding="utf-8"))["answers"]


def assert_same(got: Any, expected: Any, where: str = "answer") -> None:
    if isinstance(expected, list):
        assert isinstance(got, list), f"{where}: {got}"
        assert len(got) == len(expected), where
        for place, (one, other) in enumerate(zip(got, expected, strict=True)):
            assert_same(one, other, f"{where}[{place}]")
    elif isinstance(expected, dict):
        assert isinstance(got, dict), f"{where}: {got}"
        assert list(got) == list(expected), f"{where}: {got}"
        for key, other in expected.items():
            assert_same(got[key], other, f"{where}[{key}]")
    elif isinstance(expected, float):
        assert math.isclose(got, expected, rel_tol=1e-12, abs_tol=1e-13), f"{where}: {got} instead of {expected}"
    else:
        assert got == expected, where


def without_flags(value: Any) -> Any:
    """A Jacobian by forward mode has a history or not as the vectorized operators of PyTorch happen to go."""
    if isinstance(value, list):
        return [without_flags(item) for item in value]
    return {**value, "requires_grad": None} if isinstance(value, dict) and "tensor" in value else value


@pytest.mark.parametrize("name", SCENARIOS)
def test_scenario(name: str) -> None:
    got, expected = answer(torch, SCENARIOS[name]), ANSWERS[name]
    if "forward-mode" in name:
        got, expected = without_flags(got), without_flags(expected)
    assert_same(got, expected)
    assert torch._C._dual_level() == -1
