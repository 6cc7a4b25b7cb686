"""One JVM for all tests of both languages; the Java classes are compiled on the way."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

jpype = pytest.importorskip("jpype")

from onetape import jvm  # noqa: E402

SOURCES = Path(__file__).parent / "java"


@pytest.fixture(scope="session")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = os.environ.get("JAVA_HOME")
    javac = shutil.which("javac", path=f"{home}/bin" if home else None) or shutil.which("javac")
    assert javac, "these tests need a JDK"
    folder = tmp_path_factory.mktemp("classes")
    sources = [str(path) for path in SOURCES.glob("*.java")]
    subprocess.run([javac, "-cp", str(jvm.jar()), "-d", str(folder), *sources], check=True)
    return folder


@pytest.fixture(scope="session")
def border(classes: Path):
    jvm.start([classes], ["-ea"])
    return jvm.java_class("Border")
