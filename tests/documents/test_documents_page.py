"""docs/documents.md names what there is: attributes, classes and methods, tests, figures and pictures."""

from __future__ import annotations

import importlib
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.python.support.named_tests import java_test, java_tests, python_test, python_tests

ROOT = Path(__file__).resolve().parents[2]
JAR = ROOT / "python" / "onetape" / "onetape.jar"
DOCS = ROOT / "docs"
PAGE = (DOCS / "documents.md").read_text(encoding="utf-8")
CHAPTERS = ("The chapter on automatic differentiation", "The chapter on internals", "The article on Java")
FAILURES = "When something fails"
NAME = re.compile(r"`([^`]+)`")


def rows(heading: str) -> list[dict[str, str]]:
    """The rows of the table below a heading, by the names of its columns."""
    (text,) = re.findall(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE)
    lines = [line for line in text.splitlines() if line.startswith("|")]
    head, _, *body = ([cell.strip() for cell in line.strip("|").split(" | ")] for line in lines)
    return [dict(zip(head, cells, strict=True)) for cells in body]


def named(column: str, *headings: str) -> list[str]:
    return [name for heading in headings for row in rows(heading) for name in NAME.findall(row[column])]


# ---- names ----


def check_python_name(name: str) -> None:
    """`torch.a.b` or `onetape.a.b`: modules as far as there are, then attributes."""
    assert re.match(r"(torch|onetape)\b", name), f"{name}: neither torch nor onetape"
    owner = importlib.import_module("onetape")
    path = "onetape"
    for part in name.split(".")[1:]:
        path += f".{part}"
        if not hasattr(owner, part):
            try:
                importlib.import_module(path)
            except ImportError:
                raise AssertionError(f"{name}: no such name") from None
        owner = getattr(owner, part)


@cache
def java_classes() -> dict[str, tuple[str, set[str]]]:
    """By the name of each class of the jar, without its package: its superclass, and the names of what it declares."""
    with ZipFile(JAR) as jar:
        names = [name for name in jar.namelist() if name.startswith("org/onetape/") and name.endswith(".class")]
    wanted = [name.removesuffix(".class").replace("/", ".") for name in names if "/internal/" not in name]
    done = subprocess.run(["javap", "-package", "-cp", str(JAR), *wanted], capture_output=True, text=True, check=True)
    found: dict[str, tuple[str, set[str]]] = {}
    for text in done.stdout.split("Compiled from ")[1:]:
        head = re.search(r"\b(?:class|interface) ([\w.$]+)(?:<.*?>)?(?: extends ([\w.$]+))?", text)
        assert head, text
        name, superclass = (path.split(".")[-1].replace("$", ".") for path in (head[1], head[2] or ""))
        found[name] = (superclass, set(re.findall(r"(\w+)(?:\(|;$)", text, re.MULTILINE)))
    return found


def check_java_name(name: str) -> None:
    """`Class`, `Class.Class` or `Class.member`, where the member may be inherited."""
    if name in java_classes():
        return
    owner, _, member = name.partition(".")
    assert owner in java_classes(), f"{name}: no such class"
    while owner in java_classes():
        owner, members = java_classes()[owner]
        if member in members:
            return
    raise AssertionError(f"{name}: no such member")


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_name_of_python_is_there(chapter: str) -> None:
    for row in rows(chapter):
        assert NAME.findall(row["Python"]), row["what"]
    for name in named("Python", chapter):
        check_python_name(name)


@pytest.mark.skipif(not JAR.exists() or shutil.which("javap") is None, reason="built without Java")
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_name_of_java_is_there(chapter: str) -> None:
    for row in rows(chapter):
        assert NAME.findall(row["Java"]), row["what"]
    for name in named("Java", chapter):
        check_java_name(name)


# ---- tests ----


def check_test(name: str) -> None:
    assert python_test(name) if "::" in name else java_test(name), f"{name}: no such test"


@pytest.mark.parametrize("heading", [*CHAPTERS, FAILURES])
def test_every_test_is_there(heading: str) -> None:
    for row in rows(heading):
        for column in ("Python's test", "Java's test"):
            assert NAME.findall(row[column]) or (heading == FAILURES and column == "Java's test"), row
    for name in named("Python's test", heading) + named("Java's test", heading):
        check_test(name)


def test_every_listing_has_a_row() -> None:
    """What tests the documents must stand on the page, or the page has forgotten something."""
    tests = set(named("Python's test", *CHAPTERS) + named("Java's test", *CHAPTERS))
    for file in ("autograd_chapter", "internals_chapter", "memory_article", "named_parts", "java_programs"):
        path = f"documents/test_{file}.py"
        assert python_tests(path)
        assert {f"{path}::{name}" for name in python_tests(path)} <= tests
    assert java_tests("NamedPartsTest")
    assert {f"NamedPartsTest.{name}" for name in java_tests("NamedPartsTest")} <= tests


def test_the_checks_see_what_is_wrong() -> None:
    for name in (
        "documents/test_none.py::test_python",
        "python/test_nn.py::test_none",
        "NoTest.x",
        "AutogradTest.none",
    ):
        with pytest.raises(AssertionError, match="no such test"):
            check_test(name)
    for name in ("torch.Tensor.no_such_method", "torch.no_such_module.name"):
        with pytest.raises(AssertionError, match="no such name"):
            check_python_name(name)
    with pytest.raises(AssertionError, match="neither"):
        check_python_name("numpy.array")


@pytest.mark.skipif(not JAR.exists() or shutil.which("javap") is None, reason="built without Java")
def test_the_checks_of_java_see_what_is_wrong() -> None:
    check_java_name("Adam.zeroGrad")  # inherited
    with pytest.raises(AssertionError, match="no such class"):
        check_java_name("NoSuchClass")
    with pytest.raises(AssertionError, match="no such member"):
        check_java_name("Tensor.noSuchMethod")


# ---- figures and pictures ----


def test_figures_are_those_of_their_pages() -> None:
    for row in rows("Figures"):
        (link,) = re.findall(r"\]\((\w+\.md)\)", row["page"])
        page = (DOCS / link).read_text(encoding="utf-8")
        for figure in (row["before"], row["after"]):
            assert figure == "0" or figure in page, f"{figure} is not in {link}"


def test_pictures_are_small() -> None:
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", PAGE)
    assert len(pictures) == 3
    for picture in pictures:
        assert 0 < (DOCS / picture).stat().st_size < 150_000
