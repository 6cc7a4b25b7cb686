"""Cases of autograd as PyTorch answers them: values, names, order of hooks, errors (tests/golden/autograd)."""

from __future__ import annotations

import json
import warnings
from typing import Any

import pytest

import onetape as torch
from tests.golden.autograd import make_autograd
from tests.golden.autograd.record import CASES

ANSWERS = json.loads(make_autograd.PATH.read_text(encoding="utf-8"))


def without_namespace(answer: list[Any]) -> Any:
    """PyTorch names two kinds of nodes with their namespace in C++."""
    return json.loads(json.dumps(answer).replace("torch::autograd::", ""))


@pytest.mark.parametrize("name", sorted(CASES))
def test_as_pytorch(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        noted = make_autograd.run(torch, name)
    assert without_namespace(noted) == without_namespace(ANSWERS[name])
    assert torch.is_grad_enabled() and not torch.is_inference_mode_enabled() and not torch.is_anomaly_enabled()
