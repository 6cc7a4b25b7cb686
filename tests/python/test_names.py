"""The tables of docs/nn.md, docs/optim.md and docs/data.md name all that PyTorch has, and tests that there are."""

from __future__ import annotations

import importlib
import json
import re
from functools import cache
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from native.codegen.tables import load
from tests.python.support.named_tests import java_test

ROOT = Path(__file__).resolve().parents[2]
JAR = ROOT / "python" / "onetape" / "onetape.jar"
JAVA = ROOT / "java" / "onetape" / "src"
PAGES = {"nn": "docs/nn.md", "optim": "docs/optim.md", "utils": "docs/data.md"}
NAMES: dict[str, Any] = json.loads((ROOT / "tests/golden/names/names.json").read_text())
MODULES = [name for name in NAMES if name != "torch"]
Row = tuple[str, ...]


@cache
def tables(page: str) -> dict[str, list[Row]]:
    """The rows of the tables below each heading that ends with a module's name in backticks, or with other words."""
    found: dict[str, list[Row]] = {}
    heading = ""
    for line in (ROOT / page).read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            heading = line.lstrip("# ").split(": ")[-1].strip("`")
        elif line.startswith("| ") and not line.startswith(("| name |", "| ---", "| of |")):
            found.setdefault(heading, []).append(tuple(cell.strip() for cell in line.strip("|").split(" | ")))
    return found


def words(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def page_of(module: str) -> str:
    return PAGES[module.split(".")[0]]


def rows_of(module: str) -> list[Row]:
    return tables(page_of(module)).get(module, [])


def missing_of(module: str) -> set[str]:
    """What the page says not to be here, with a reason."""
    rows = tables(page_of(module))["Not here"]
    assert all(row[2].strip() for row in rows), "a name without a reason"
    return {name for of, names, _ in rows if words(of) == [module] for name in words(names)}


@pytest.mark.parametrize("module", MODULES)
def test_every_name_of_pytorch_is_in_a_table(module: str) -> None:
    here = [name for row in rows_of(module) for name in words(row[0])]
    missing = missing_of(module)
    assert len(here) == len(set(here)) and not missing & set(here), "a name stands twice"
    assert sorted(missing | set(here)) == NAMES[module]


@pytest.mark.parametrize("module", MODULES)
def test_every_name_is_there(module: str) -> None:
    owner = importlib.import_module(f"onetape.{module}")
    assert [name for row in rows_of(module) for name in words(row[0]) if not hasattr(owner, name)] == []
    assert [name for name in missing_of(module) if hasattr(owner, name)] == []


@cache
def java_names() -> tuple[set[str], set[str]]:
    """The classes of the jar, and the static functions of torch."""
    with ZipFile(JAR) as jar:
        classes = {Path(name).stem for name in jar.namelist() if name.endswith(".class")}
    functions = {op.name for op in load(ROOT / "native" / "ops")}
    functions |= {f"{op.name}_" for op in load(ROOT / "native" / "ops") if "inplace" in op.forms}
    for source in (JAVA / "main/java/org/onetape/global").glob("*.java"):
        functions.update(
            re.findall(r"public static (?:<[^>]+> )?[\w<>\[\]]+ (\w+)\(", source.read_text(encoding="utf-8"))
        )
    return classes, functions


@pytest.mark.skipif(not JAR.exists(), reason="built without Java")
@pytest.mark.parametrize("module", MODULES)
def test_every_java_name_is_there(module: str) -> None:
    classes, functions = java_names()
    for row in rows_of(module):
        for name in words(row[1]):
            known = functions if name.startswith("torch.") else classes
            assert name.removeprefix("torch.") in known, f"{row[0]}: {name}"


@cache
def parameters(file: str, function: str) -> set[str] | None:
    """The ids of a test's cases; None for one that has none."""
    found = None
    for folder in ("python", "interop"):
        if folder == "interop" and (ROOT / "tests" / folder / file).exists():
            pytest.importorskip("jpype")
        if (ROOT / "tests" / folder / file).exists():
            module = importlib.import_module(f"tests.{folder}.{file.removesuffix('.py')}")
            found = found or getattr(module, function, None)
    assert found, f"{file}::{function}: no such test"
    marks = [mark for mark in getattr(found, "pytestmark", []) if mark.name == "parametrize"]
    return {str(case) for mark in marks for case in mark.args[1]} if marks else None


def check_test(name: str) -> None:
    if "::" not in name:
        assert java_test(name), f"{name}: no such test"
        return
    file, rest = name.split("::")
    function, _, case = rest.rstrip("]").partition("[")
    cases = parameters(file, function)
    assert not case or case in (cases or ()), f"{name}: no such case"


@pytest.mark.parametrize("module", MODULES)
def test_every_test_is_there(module: str) -> None:
    sampled = {op.name for op in load(ROOT / "native" / "ops") if op.samples}
    for row in rows_of(module):
        for column, cell in enumerate(row[2:4], 2):
            if cell.startswith("operator "):
                assert words(cell)[0] in sampled, f"{row[0]}: not in a table of operators"
            elif cell == "the same":
                assert row[2].startswith("operator "), f"{row[0]}: the same as what?"
            elif cell == "the class of that name":
                assert words(row[1]), f"{row[0]}: which class?"
            elif cell == "–":
                assert column == 3 and row[1] == "–", f"{row[0]}: no test"
            else:
                assert words(cell), f"{row[0]}: no test"
                for name in words(cell):
                    check_test(name)


def test_the_checks_see_what_is_wrong() -> None:
    for name in ("ModuleTest.noSuchMethod", "test_nn.py::test_parts[no such case]", "test_nn.py::test_nothing"):
        with pytest.raises(AssertionError, match="no such"):
            check_test(name)
