"""The programs of docs/graph.md, in both languages; the Java server's page in a real browser."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.python.support import browser as browsers
from tests.python.support.browser import Browser

ROOT = Path(__file__).resolve().parents[2]
JAR = ROOT / "python" / "onetape" / "onetape.jar"
PAGE = (ROOT / "docs" / "graph.md").read_text(encoding="utf-8")
STEPS = "1000"

needs_java = pytest.mark.skipif(not JAR.exists() or shutil.which("java") is None, reason="built without Java")


def program(language: str, word: str) -> str:
    """The one program of the page in a language that holds a word."""
    blocks = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    (found,) = [textwrap.dedent("    " + block.lstrip(" ")) for block in blocks if word in block]
    return found


def java_command(folder: Path, name: str, text: str) -> list[str]:
    source = folder / f"{name}.java"
    source.write_text(text, encoding="utf-8")
    return ["java", "-ea", "-Xcheck:jni", "-cp", str(JAR), str(source)]


@pytest.mark.parametrize("word", ["step.html", "serve"])
def test_python_programs(tmp_path: Path, word: str) -> None:
    text = program("python", word).replace(STEPS, "20")
    done = subprocess.run([sys.executable, "-c", text], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    if word == "step.html":
        page = (tmp_path / "step.html").read_text(encoding="utf-8")
        assert '"grad_norm":' in page and '"type":"Linear"' in page
    else:
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{32}/\n", done.stdout)


@needs_java
@pytest.mark.parametrize("name", ["Step", "Live"])
def test_java_programs(tmp_path: Path, name: str) -> None:
    text = program("java", f"class {name} ").replace(STEPS, "20")
    command = java_command(tmp_path, name, text)
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    if name == "Step":
        page = (tmp_path / "step.html").read_text(encoding="utf-8")
        assert '"grad_norm":' in page and '"type":"Linear"' in page and "Step.java:" in page
    else:
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{32}/\n", done.stdout)


@needs_java
@pytest.mark.skipif(not browsers.PROGRAM, reason="chromium is not installed")
def test_the_java_server_in_a_browser(tmp_path: Path) -> None:
    text = program("java", "class Live ").replace(STEPS, "Integer.MAX_VALUE")
    command = java_command(tmp_path, "Live", text)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as training, Browser() as browser:
        try:
            assert training.stdout
            browser.open(training.stdout.readline().strip())
            browser.wait("Number(document.body.dataset.step) > 0")
            browser.wait("byId('modules').children.length === 4")
            assert browser.run("page.model.modules.map(m => m.path)") == [
                "Sequential",
                "Sequential.2",
                "Sequential.1",
                "Sequential.0",
            ]
            rows = browser.run(
                "[...document.querySelectorAll('#parameters tbody tr')].map(r => r.cells[0].textContent)"
            )
            assert sorted(rows) == ["0.bias", "0.weight", "2.bias", "2.weight"]
            step = browser.run("Number(document.body.dataset.step)")
            browser.wait(f"Number(document.body.dataset.step) > {step}")
        finally:
            training.kill()
