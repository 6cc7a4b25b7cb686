"""The operators that CONTRIBUTING.md and docs/design.md show: they are what stands in the sources."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_example_is_the_source() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    shown = re.findall(r"\*\*\d\. [^`]*`(native/[^`]+)`.*?```\w*\n(.*?)```", text, re.DOTALL)
    assert [file for file, _ in shown] == [
        "native/ops/unary.ops",
        "native/kernels/unary.simd.cpp",
        "native/ops/unary.cpp",
    ]
    for file, block in shown:
        assert block in (ROOT / file).read_text(encoding="utf-8")


def test_the_operator_of_the_design_is_the_source() -> None:
    text = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"```cpp\n(Tensor .*?)```", text, re.DOTALL)
    assert shown in (ROOT / "native" / "ops" / "arithmetic.cpp").read_text(encoding="utf-8")
