"""The programs of docs/distributed.md run as they stand, by the launcher, and end with the same number."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import onetape.distributed as dist

ROOT = Path(__file__).resolve().parents[2]
JAR = ROOT / "python" / "onetape" / "onetape.jar"
PAGE = (ROOT / "docs" / "distributed.md").read_text(encoding="utf-8")


def program(language: str) -> str:
    (found,) = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    return found


def run(*command: str) -> str:
    launcher = [sys.executable, "-m", "onetape.distributed.run", "--no-prefix"]
    done = subprocess.run([*launcher, *command], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return done.stdout


@pytest.mark.skipif(not dist.is_gloo_available(), reason="built without Gloo")
@pytest.mark.skipif(not JAR.exists() or shutil.which("javac") is None, reason="built without Java")
def test_both_programs(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(program("python"), encoding="utf-8")
    source = tmp_path / "DistributedTour.java"
    source.write_text(program("java"), encoding="utf-8")
    subprocess.run(["javac", "-cp", str(JAR), "-d", str(tmp_path), str(source)], check=True)
    alone = run(str(tmp_path / "train.py"))
    assert re.fullmatch(r"0\.\d{4}\n", alone)
    assert run("--nproc-per-node", "2", str(tmp_path / "train.py")) == alone
    assert run("--nproc-per-node", "2", "--java", "-cp", str(tmp_path), "DistributedTour") == alone
