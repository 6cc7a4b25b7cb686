"""Every example runs in both languages: its losses fall, and those of Java are those of Python to the last digit."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytest.importorskip("jpype")
pytest.importorskip("matplotlib")
pytest.importorskip("tqdm")

STEPS = {"cnn": 30, "gan": 20, "regression": 40, "spaces": 15, "transformer": 8, "vae": 40}
"""Enough steps of each to see it learn."""

FALLING = {"gan": ["critic"], "regression": ["linear", "logistic"]}
"""The losses that fall; of the players of a game, only the critic gains at first."""


def run(name: str, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", f"examples.{name}", "--steps", str(STEPS[name]), "--folder", str(folder)]
    return subprocess.run([*command, *options], cwd=ROOT, capture_output=True, text=True, encoding="utf-8", timeout=200)


def numbers(file: Path) -> dict[str, list[float]]:
    """The losses and results that a program wrote, by name."""
    found: dict[str, list[float]] = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        name, number = line.rsplit(",", 1)
        found.setdefault(name, []).append(float(number))
    return found


def picture_size(file: Path) -> tuple[int, int]:
    """Width and height of a PNG, after its signature and the head of its first chunk."""
    head = file.read_bytes()[:24]
    assert head.startswith(b"\x89PNG\r\n\x1a\n"), head
    return int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")


@pytest.mark.parametrize("name", sorted(STEPS))
def test_an_example_learns_the_same_in_both_languages(name: str, tmp_path: Path) -> None:
    for options in [], ["--java"]:
        done = run(name, tmp_path, *options)
        assert done.returncode == 0, done.stderr
        assert "100%" in done.stderr, done.stderr

    python, java = (numbers(tmp_path / f"{name}-{language}.txt") for language in ("python", "java"))
    assert python == java
    for losses in FALLING.get(name, ["loss"]):
        assert len(python[losses]) == STEPS[name]
        early, late = python[losses][: STEPS[name] // 4], python[losses][-STEPS[name] // 4 :]
        assert sum(late) / len(late) < 0.97 * sum(early) / len(early), python[losses]
    for language in ("python", "java"):
        width, height = picture_size(tmp_path / f"{name}-{language}.png")
        assert width > 500 and height > 300


def test_a_program_says_what_it_takes() -> None:
    for steps in ("0", "-3", "many"):
        command = [sys.executable, "-m", "examples.cnn", "--steps", steps]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
        assert done.returncode == 2
        assert done.stderr.endswith(f"error: argument --steps: invalid count value: '{steps}'\n")
