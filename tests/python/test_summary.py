"""The table of a model."""

from __future__ import annotations

from typing import Any

import onetape as torch
from onetape import nn
from onetape.utils import summary

TABLE = """\
Module           Output shape  Parameters  Output memory
--------------------------------------------------------
Sequential       [3, 300]               0        3.5 KiB
  0: Linear      [3, 8]                40           96 B
  1: ReLU        [3, 8]                 0           96 B
  2: Sequential  [3, 300]               0        3.5 KiB
    0: Dropout   [3, 8]                 0           96 B
    1: Linear    [3, 300]           2,400        3.5 KiB
--------------------------------------------------------
Parameters: 2,440 (9.5 KiB), 8 of them fixed
Outputs: 3.8 KiB"""


def model() -> nn.Sequential:
    made = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Sequential(nn.Dropout(0.5), nn.Linear(8, 300, bias=False)))
    made[0].bias.requires_grad_(False)
    return made


def test_table() -> None:
    made = summary(model(), (3, 4))
    assert str(made) == TABLE
    assert (made.total_params, made.trainable_params, made.param_bytes, made.output_bytes) == (2440, 2432, 9760, 3888)
    last = made.rows[-1]
    assert (last.path, last.kind, last.depth, last.shapes) == ("2.1", "Linear", 2, ((3, 300),))
    assert str(summary(model(), torch.zeros(3, 4))) == TABLE


def test_without_a_call() -> None:
    lines = str(summary(model())).splitlines()
    assert lines[3].split() == ["0:", "Linear", "–", "40", "–"]
    assert lines[-1] == "Outputs: 0 B"


class Own(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.part = nn.Linear(4, 2)
        self.seen: list[Any] = []

    def forward(self, x: Any, scale: Any) -> Any:
        self.seen.append((self.training, torch.is_grad_enabled()))
        torch.rand(3)
        return {"out": (self.part(x) * scale, x)}


def test_the_model_stays_as_it_was() -> None:
    made = Own()
    made.part.eval()
    torch.manual_seed(1)
    before = torch.get_rng_state()
    rows = summary(made, (5, 4), torch.ones(())).rows
    assert torch.equal(torch.get_rng_state(), before)
    assert made.seen == [(False, False)] and made.training and not made.part.training
    assert rows[0].shapes == ((5, 2), (5, 4)) and rows[1].shapes == ((5, 2),)
    assert not made._forward_hooks and not made.part._forward_hooks
