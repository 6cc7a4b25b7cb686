"""The programs of docs/data.md run as they stand, and the two languages end with the same numbers."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.python.support.events import events, value

ROOT = Path(__file__).resolve().parents[2]
JAR = ROOT / "python" / "onetape" / "onetape.jar"
PAGE = (ROOT / "docs" / "data.md").read_text(encoding="utf-8")


def program(language: str) -> str:
    (found,) = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    return found


def run(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and done.stderr == ""
    return done.stdout


@pytest.mark.skipif(not JAR.exists() or shutil.which("java") is None, reason="built without Java")
def test_both_programs(tmp_path: Path) -> None:
    (tmp_path / "tour.py").write_text(program("python"), encoding="utf-8")
    (tmp_path / "DataTour.java").write_text(program("java"), encoding="utf-8")
    python = run([sys.executable, "tour.py"], tmp_path)
    assert python.endswith("\nTrue\n") and python.startswith("Module ")
    java = run(["java", "-ea", "-cp", str(JAR), "DataTour.java"], tmp_path)
    assert java == python.replace("True", "true")
    losses = [[value(event)[2] for event in events(tmp_path / "runs" / name)] for name in ("python", "java")]
    assert losses[0] == losses[1] and len(losses[0]) == 5
