"""The examples of docs/checkpoints.md run as they stand there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "checkpoints.md").read_text(encoding="utf-8")
IMPORTS = """
import java.nio.file.Path;
import java.util.Map;
import org.onetape.*;
import org.onetape.io.*;
import org.onetape.nn.*;
import org.onetape.optim.*;
"""


def blocks(language: str) -> list[str]:
    found = re.findall(rf"^( *)```{language}\n(.*?)^ *```$", PAGE, re.MULTILINE | re.DOTALL)
    return [textwrap.dedent(body) for _, body in found]


def run(command: list[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=100, env=environment())
    assert done.returncode == 0, done.stderr


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT / "python")}


def test_python(tmp_path: Path) -> None:
    assert len(blocks("python")) == 1
    run([sys.executable, "-c", "\n".join(blocks("python"))], tmp_path)
    assert (tmp_path / "checkpoint.pt").exists()


def test_java(tmp_path: Path) -> None:
    jar = ROOT / "python" / "onetape" / "onetape.jar"
    if not jar.exists():
        pytest.skip("there is no Java library")
    assert len(blocks("java")) == 2
    body = "\n".join(blocks("java"))
    program = f"{IMPORTS}\npublic class Page {{ public static void main(String[] args) {{\n{body}\n}} }}"
    (tmp_path / "Page.java").write_text(program, encoding="utf-8")
    run(["java", "-cp", str(jar), "Page.java"], tmp_path)
    assert (tmp_path / "checkpoint.pt").exists() and (tmp_path / "model.pt").exists()
