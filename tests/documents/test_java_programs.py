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


def without_addresses(text: str) -> str:
    return re.sub(r"object at 0x[0-9a-f]+>", "object at ADDRESS>", text)


def test_autograd_chapter() -> None:
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
    assert without_addresses(output_of("AutogradChapter")).split("\n") == [*expected, ""]


def test_internals_chapter() -> None:
    expected = [
        "x: tensor([ 0.,  1.,  2.,  3.,  4.,  5.,  6.,  7.,  8.,  9., 10., 11.])",
        "elements: [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0]",
        "type: Float, size: 12",
        "y:",
        "tensor([[ 0.,  1.,  2.,  3.],",
        "        [ 4.,  5.,  6.,  7.],",
        "        [ 8.,  9., 10., 11.]])",
        "one storage? true",
        "changed y:",
        "tensor([[99.,  1.,  2.,  3.],",
        "        [ 4.,  5.,  6.,  7.],",
        "        [ 8.,  9., 10., 11.]])",
        "x after the change of y: tensor([99.,  1.,  2.,  3.,  4.,  5.,  6.,  7.,  8.,  9., 10., 11.])",
        "t:",
        "tensor([[ 0.,  1.,  2.,  3.],",
        "        [ 4.,  5.,  6.,  7.],",
        "        [ 8.,  9., 10., 11.]])",
        "shape: [3, 4], strides: [4, 1]",
        "contiguous? true",
        "transposed:",
        "tensor([[ 0.,  4.,  8.],",
        "        [ 1.,  5.,  9.],",
        "        [ 2.,  6., 10.],",
        "        [ 3.,  7., 11.]])",
        "shape: [4, 3], strides: [1, 4]",
        "contiguous? false",
        "one storage? true",
        "view size is not compatible with input tensor's size and stride (at least one dimension spans "
        "across two contiguous subspaces). Use .reshape(...) instead.",
        "copy:",
        "tensor([[ 0.,  4.,  8.],",
        "        [ 1.,  5.,  9.],",
        "        [ 2.,  6., 10.],",
        "        [ 3.,  7., 11.]])",
        "shape: [4, 3], strides: [3, 1]",
        "contiguous? true",
        "one storage? false",
        "flat: tensor([ 0.,  4.,  8.,  1.,  5.,  9.,  2.,  6., 10.,  3.,  7., 11.])",
        "a: true, None",
        "b: true, <MulBackward0 object at ADDRESS>",
        "c: true, <MeanBackward0 object at ADDRESS>",
        "MeanBackward0 -> MulBackward0 -> AccumulateGrad",
        "[5, 3]",
        "y comes from: <MmBackward0 object at ADDRESS>",
        "z comes from: <MeanBackward0 object at ADDRESS>",
        "w.grad_fn: None",
        "x.grad_fn: None",
        "x.grad: None",
        "learns: true",
        "twice as much: true",
        "without gradients: false",
        "with gradients again: true",
        "detached: false, true",
        "node: AffineBackward",
        "gradient of x: true",
        "gradient of w: true",
        "gradient of b: true",
        *["gradients are right: true", "gradients without bias are right: true"] * 2,
    ]
    assert without_addresses(output_of("InternalsChapter")).split("\n") == [*expected, ""]


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
