"""The programs of docs/optim.md run as they stand, and the two languages end with the same numbers."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
JAR = ROOT / "python" / "onetape" / "onetape.jar"
PAGE = (ROOT / "docs" / "optim.md").read_text(encoding="utf-8")


def program(language: str) -> str:
    (found,) = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    return found


def run(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return done.stdout


@pytest.mark.skipif(not JAR.exists() or shutil.which("java") is None, reason="built without Java")
def test_both_programs(tmp_path: Path) -> None:
    (tmp_path / "tour.py").write_text(program("python"), encoding="utf-8")
    (tmp_path / "OptimTour.java").write_text(program("java"), encoding="utf-8")
    python = run([sys.executable, "tour.py"], tmp_path)
    assert python.endswith("\nTrue\n")
    assert run(["java", "-ea", "-cp", str(JAR), "OptimTour.java"], tmp_path) == python.replace("True", "true")
