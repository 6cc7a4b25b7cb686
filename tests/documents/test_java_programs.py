"""The documents' Java listings as Java programs, run as a user runs them: class path and main class."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).with_name("java")
JAR = Path(__file__).resolve().parents[2] / "python" / "onetape" / "onetape.jar"

pytestmark = pytest.mark.skipif(not JAR.exists() or shutil.which("java") is None, reason="built without Java")


def output_of(program: str) -> str:
    command = ["java", "-ea", "-Xcheck:jni", "-cp", str(JAR), str(PROGRAMS / f"{program}.java")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_autograd_chapter() -> None:
    node = r"object at 0x[0-9a-f]+>"
    expected = [
        "Result z: 7.0",
        "",
        "Tensor x: tensor([1., 2., 3.])",
        "x.requires_grad: false",
        "",
        "Tensor y: tensor([4., 5., 6.])",
        "y.requires_grad: false",
        "",
        "Tensor w: tensor([ 0.5000, -1.0000])",
        "w2.requires_grad: true",
        "",
        "Tensor b (before): 0.1",
        "b2.requires_grad (before): false",
        "",
        "Tensor b (after): 0.1",
        "b2.requires_grad (after): true",
        "",
        "An integer tensor refused: Only Tensors of floating point and complex dtype can require gradients",
        "",
        "A floating-point tensor made: true",
        "",
        "x3 requires_grad: false",
        "w3 requires_grad: true",
        "b3 requires_grad: true",
        "",
        "intermediate (w * x) requires_grad: true",
        "y3 requires_grad: true",
        "",
        "x3.grad_fn: None",
        "w3.grad_fn: None",
        "b3.grad_fn: None",
        "intermediate.grad_fn: <MulBackward0 object at ADDRESS>",
        "y3.grad_fn: <AddBackward0 object at ADDRESS>",
        "",
        "Gradient for x before backward: None",
        "Gradient for w before backward: None",
        "Gradient for b before backward: None",
        "",
        "Gradient for x after backward: 42.0",
        "Gradient for w after backward: 28.0",
        "Gradient for b after backward: 14.0",
        "",
        "Error calling backward() on non-scalar: grad can be implicitly created only for scalar outputs",
        "Gradient for x_vector after y_non_scalar.backward(gradient=...): tensor([3., 3.])",
        "Gradient for w after y_non_scalar.backward(gradient=...): 6.0",
    ]
    shown = re.sub(node, "object at ADDRESS>", output_of("AutogradChapter"))
    assert shown.split("\n") == [*expected, ""]


def test_memory_article() -> None:
    assert output_of("MemoryArticle").split("\n") == [
        "tensor([1., 2., 3.]) true",
        "w is near 2: true",
        "b is near 0: true",
        "inside the scope: [1, 3, 224, 224]",
        "after the scope: closed",
        "weight after a step: tensor([[-6.5000, -8.0000]])",
        "gradient after the step: None",
        "prediction: 1.000",
        "result: tensor([ 3., 20.])",
        "gradients: tensor([ 0., 10.]) tensor([1., 0.])",
        "",
    ]
