"""Are there the tests that a page of the documentation names?"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
JAVA_TESTS = ROOT / "java" / "onetape" / "src" / "test"


@cache
def python_tests(file: str) -> frozenset[str]:
    """The names of the tests in a file below tests/; none if there is no such file."""
    path = ROOT / "tests" / file
    if not path.is_file():
        return frozenset()
    body = ast.parse(path.read_text(encoding="utf-8")).body
    return frozenset(part.name for part in body if isinstance(part, ast.FunctionDef) and part.name.startswith("test_"))


@cache
def java_tests(owner: str) -> frozenset[str]:
    """The names of the test methods in the class of a simple name; none if there is no such class."""
    sources = [path.read_text(encoding="utf-8") for path in JAVA_TESTS.rglob(f"{owner}.java")]
    return frozenset(name for source in sources for name in re.findall(r"@Test[^;{]*?\bvoid (\w+)\(", source))


def java_test(name: str) -> bool:
    """Is there a test method for `Class.method`?"""
    owner, method = name.split(".")
    return method in java_tests(owner)


def python_test(name: str) -> bool:
    """Is there a test function for `folder/file.py::function`, below tests/?"""
    file, function = name.split("::")
    return function in python_tests(file)
