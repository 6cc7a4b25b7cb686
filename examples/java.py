"""Compiles the Java programs of java/examples where their sources are newer, and runs them."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from examples.data import ROOT
from onetape import jvm

SOURCES = ROOT / "java" / "examples" / "src" / "main" / "java" / "org" / "onetape" / "examples"
LIBRARIES = ROOT / "build" / "examples" / "lib"
CLASSES = ROOT / "build" / "examples" / "classes"


def program(name: str) -> str:
    """java or javac: that of JAVA_HOME, else the one on the path."""
    home = os.environ.get("JAVA_HOME")
    found = shutil.which(name, path=f"{home}/bin" if home else None) or shutil.which(name)
    if not found:
        raise RuntimeError(f"{name} is not installed")
    return found


def compiled(sources: Sequence[Path], classes: Path, libraries: Sequence[Path] = ()) -> Path:
    """The folder of these sources' classes, compiled where a source or the library is newer."""
    stamp = classes / "compiled"
    newest = max(file.stat().st_mtime for file in [*sources, jvm.jar()])
    if not stamp.exists() or stamp.stat().st_mtime < newest:
        command = [program("javac"), "-cp", jvm.classpath(libraries), "-d", str(classes), *map(str, sources)]
        if subprocess.run(command, check=False).returncode != 0:
            raise RuntimeError("javac failed: see above")
        stamp.touch()
    return classes


def libraries() -> list[Path]:
    """The jars for progress bars and charts, fetched by Gradle where they are missing or their versions changed."""
    versions = ROOT / "gradle" / "versions.gradle"
    if not LIBRARIES.exists() or LIBRARIES.stat().st_mtime < versions.stat().st_mtime:
        gradle = ["gradle", "--no-daemon", "--console=plain", "--quiet", ":java:examples:libraries"]
        done = subprocess.run(gradle, cwd=ROOT, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(gradle)} failed:\n{done.stdout}{done.stderr}")
        LIBRARIES.touch()
    return sorted(LIBRARIES.glob("*.jar"))


def run(name: str, arguments: Sequence[str]) -> int:
    """Runs a program of java/examples in a process of its own; its exit status."""
    jars = libraries()
    classes = compiled(sorted(SOURCES.glob("*.java")), CLASSES, jars)
    command = [program("java"), "-Djava.awt.headless=true", "-cp", jvm.classpath([classes, *jars])]
    return subprocess.run([*command, f"org.onetape.examples.{name}", *arguments], check=False).returncode
