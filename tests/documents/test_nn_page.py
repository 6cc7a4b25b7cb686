"""The programs of docs/nn.md run as they stand, and the two languages end with the same numbers."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
JAR = ROOT / "python" / "onetape" / "onetape.jar"
PAGE = (ROOT / "docs" / "nn.md").read_text(encoding="utf-8")


def program(language: str) -> str:
    (found,) = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    return found


def run(command: list[str], folder: Path) -> list[str]:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return done.stdout.splitlines()


@pytest.mark.skipif(not JAR.exists() or shutil.which("java") is None, reason="built without Java")
def test_both_programs(tmp_path: Path) -> None:
    (tmp_path / "tour.py").write_text(program("python"), encoding="utf-8")
    (tmp_path / "LayersTour.java").write_text(program("java"), encoding="utf-8")
    loss, text = run([sys.executable, "tour.py"], tmp_path)
    value, seen = loss.split(" ", 1)
    assert text == "LPPool2d(norm_type=2.0, kernel_size=2, stride=None, ceil_mode=False)"
    assert run(["java", "-ea", "-cp", str(JAR), "LayersTour.java"], tmp_path) == [seen[1:-1], value, text]
