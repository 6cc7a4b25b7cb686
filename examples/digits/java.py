"""The Java half: the same training by a Java program, and Java's model and loss in Python's loop."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import onetape as torch
from examples import java
from examples.digits.data import FOLDER, unpack
from examples.digits.train import EPOCHS, Run, train
from onetape import jvm

CLASSES = FOLDER / "classes"


def compiled() -> Path:
    """The folder of the example's classes, which need nothing but the library."""
    return java.compiled(sorted(java.SOURCES.glob("Digits*.java")), CLASSES)


def train_in_java() -> Run:
    """Runs the Java program and reads what it wrote."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    results = FOLDER / "java.txt"
    command = [java.program("java"), "-cp", jvm.classpath([compiled()]), "org.onetape.examples.Digits"]
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
