"""The programs of docs/profiler.md, in both languages."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
JAR = ROOT / "python" / "onetape" / "onetape.jar"
PAGE = (ROOT / "docs" / "profiler.md").read_text(encoding="utf-8")


def programs(language: str) -> list[str]:
    blocks: list[str] = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    return [textwrap.dedent(block) for block in blocks]


def check_files(folder: Path) -> None:
    events = json.loads((folder / "trace.json").read_text(encoding="utf-8"))["traceEvents"]
    names = {event["name"] for event in events}
    assert {"forward", "aten::linear", "aten::addmm", "AddmmBackward0", "fwdbwd", "[memory]"} <= names
    assert "aten::addmm" in (folder / "flame.html").read_text(encoding="utf-8")
    assert (folder / "memory.svg").read_text(encoding="utf-8").startswith("<svg")


def test_python_programs(tmp_path: Path) -> None:
    text = "\n".join(programs("python"))
    done = subprocess.run([sys.executable, "-c", text], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "Self CPU time total" in done.stdout
    check_files(tmp_path)
    assert len(list((tmp_path / "logs").glob("*.pt.trace.json"))) == 2


@pytest.mark.skipif(not JAR.exists() or shutil.which("java") is None, reason="built without Java")
def test_java_program(tmp_path: Path) -> None:
    (text,) = programs("java")
    (tmp_path / "Step.java").write_text(text, encoding="utf-8")
    command = ["java", "-ea", "-Xcheck:jni", "-cp", str(JAR), "Step.java"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "Self CPU time total" in done.stdout
    check_files(tmp_path)
