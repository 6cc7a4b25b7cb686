"""The operators that random programs are drawn from."""

from __future__ import annotations

from pathlib import Path

from native.codegen.tables import load

ROOT = Path(__file__).resolve().parents[3]

UNARY = ["abs", "neg", "exp", "tanh", "sigmoid", "sin", "cos", "square", "sqrt", "log1p", "relu", "erf", "atan", "sinh"]
UNARY += ["asinh", "expm1", "reciprocal", "rsqrt", "sign", "floor", "frac", "softsign", "exp2", "trunc", "acos"]
UNARY += ["sinc", "lgamma", "positive", "conj", "clone", "contiguous", "deg2rad", "atanh", "log", "erfc", "nan_to_num"]
BINARY = ["add", "sub", "mul", "div", "mul", "add", "maximum", "minimum", "atan2", "hypot", "fmax", "fmin", "copysign"]
BINARY += ["logaddexp", "xlogy", "pow", "remainder", "fmod", "max", "min", "true_divide", "multiply", "subtract"]
CHANGING_UNARY = ["abs", "neg", "exp", "tanh", "sigmoid", "sin", "cos", "square", "sqrt", "relu", "erf", "reciprocal"]
CHANGING_UNARY += ["zero", "floor", "expm1", "rsqrt", "atan", "sinh"]
CHANGING_BINARY = ["add", "sub", "mul", "div", "mul", "add", "copy", "atan2", "hypot", "xlogy"]

NOT_COMPLEX = {op.name for op in load(ROOT / "native" / "ops") if "complex" not in op.dtypes}
"""What the tables do not have for complex numbers."""
