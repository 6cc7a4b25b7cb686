"""The Java half: the same training by a Java program, and Java's model and loss in Python's loop."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import onetape as torch
from examples.digits.data import FOLDER, ROOT, unpack
from examples.digits.train import EPOCHS, Run, train
from onetape import jvm

SOURCES = ROOT / "java" / "examples" / "src" / "main" / "java" / "org" / "onetape" / "examples"
CLASSES = FOLDER / "classes"


def program(name: str) -> str:
    """java or javac: that of JAVA_HOME, else the one on the path."""
    home = os.environ.get("JAVA_HOME")
    found = shutil.which(name, path=f"{home}/bin" if home else None) or shutil.which(name)
    if not found:
        raise RuntimeError(f"{name} is not installed")
    return found


def compiled() -> Path:
    """The folder of the example's classes, compiled where a source is newer."""
    sources = sorted(SOURCES.glob("*.java"))
    made = CLASSES / "org" / "onetape" / "examples" / "Digits.class"
    if not made.exists() or made.stat().st_mtime < max(source.stat().st_mtime for source in [*sources, jvm.jar()]):
        subprocess.run([program("javac"), "-cp", jvm.classpath(), "-d", str(CLASSES), *map(str, sources)], check=True)
    return CLASSES


def train_in_java() -> Run:
    """Runs the Java program and reads what it wrote."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    results = FOLDER / "java.txt"
    command = [program("java"), "-cp", jvm.classpath([compiled()]), "org.onetape.examples.Digits"]
    subprocess.run([*command, str(unpack()), str(results)], check=True)
    numbers = [float(line) for line in results.read_text(encoding="utf-8").split()]
    return Run("Java", losses=numbers[:EPOCHS], accuracy=numbers[EPOCHS], seconds=numbers[EPOCHS + 1])


def train_across(images: torch.Tensor, labels: torch.Tensor) -> Run:
    """Trains with a model and a loss that are Java objects, in the loop and with the optimizer of Python."""
    jvm.start([compiled()])
    net = jvm.java_class("org.onetape.examples.DigitsModel")

    def loss_of(model: Any) -> Any:
        return lambda scores, truth: jvm.call(model.java.loss, scores, truth)

    run, _ = train("Java in Python's loop", images, labels, lambda: jvm.module(net()), loss_of)
    return run
