"""Training goes on in the other language from a file, with the same losses to the last digit, and back again."""

import json
from pathlib import Path

import pytest

import onetape as torch
from onetape import jvm
from tests.golden.checkpoints import objects

GOLDEN = Path(__file__).parents[1] / "golden" / "checkpoints"


@pytest.fixture
def resuming(border):
    return jvm.java_class("Resuming")


def python(start: Path | None, end: Path, steps: int) -> list[float]:
    parts = objects.training(torch)
    if start is not None:
        objects.restore(torch, parts, torch.load(start))
    losses = objects.train(torch, parts, steps)
    torch.save(objects.state(torch, parts), end)
    return losses


def test_python_to_java_and_back(resuming, tmp_path: Path) -> None:
    want = python(None, tmp_path / "all.pt", 20)
    losses = python(None, tmp_path / "1.pt", 4)
    losses += resuming.train(str(tmp_path / "1.pt"), str(tmp_path / "2.pt"), 7)
    losses += python(tmp_path / "2.pt", tmp_path / "3.pt", 5)
    losses += resuming.train(str(tmp_path / "3.pt"), str(tmp_path / "4.pt"), 4)
    assert losses == want
    ends = [torch.load(tmp_path / name) for name in ("4.pt", "all.pt")]
    for name, weight in ends[0]["model"].items():
        assert torch.equal(weight, ends[1]["model"][name])
    assert ends[0]["schedule"] == ends[1]["schedule"]
    assert torch.equal(ends[0]["random"], ends[1]["random"])


def test_java_goes_on_from_a_file_of_pytorch(resuming, tmp_path: Path) -> None:
    losses = json.loads((GOLDEN / "training.json").read_text())["losses"]
    got = resuming.train(str(GOLDEN / "training.pt"), str(tmp_path / "x.pt"), 5)
    assert list(got) == pytest.approx(losses[5:], rel=1e-6)
