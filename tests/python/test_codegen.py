"""The generator: what it makes of a small table, byte for byte, and that it refuses what it does not know, by line.

A change of the generator changes what is expected; ``python tests/python/test_codegen.py`` writes it anew, for the
reader of the change to judge.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from native.codegen.__main__ import outputs  # noqa: E402
from native.codegen.cpp import generate as generate_header  # noqa: E402
from native.codegen.tables import TableError, load, parse_text  # noqa: E402

FOLDER = ROOT / "tests" / "golden" / "codegen"
WHOLE = ("cpp/ops.h", "cpp/jni_small.cpp", "cpp/python_small.cpp", "cpp/tape_small.cpp")
"""Outputs that are compared as they are; of Java's classes only the declarations are, and one method."""
JAVA = ("TensorOps", "TorchTensorOps", "global/TorchFunctions", "internal/Native")


def declarations(text: str) -> str:
    """The public and native declarations of a Java class."""
    return "".join(re.findall(r"^(?:abstract |final |public ).*\{\n|^  (?:public |static native ).*[{;]\n", text, re.M))


def first_method(text: str) -> str:
    """The first method of a Java class with its comment."""
    found = re.search(r"^  /\*\*\n(?:   \*.*\n)+  public .*\{\n(?:    .*\n)+  \}\n", text, re.M)
    assert found
    return found.group()


def expectations() -> dict[str, str]:
    """File in tests/golden/codegen -> what the generator makes of small.ops there."""
    made = outputs(FOLDER)
    found = {f"{Path(name).name}.ref": made[name] for name in WHOLE}
    java = {name: made[f"java/org/onetape/{name}.java"] for name in JAVA}
    found["declarations.java.ref"] = "\n".join(declarations(text) for text in java.values())
    found["method.java.ref"] = first_method(java["TensorOps"])
    return found


@pytest.mark.parametrize("name", ["ops.h.ref", "jni_small.cpp.ref", "python_small.cpp.ref", "tape_small.cpp.ref",
                                  "declarations.java.ref", "method.java.ref"])  # fmt: skip
def test_output(name: str) -> None:
    expected = (FOLDER / name).read_text(encoding="utf-8")
    assert expectations()[name] == expected, "if this is meant: python tests/python/test_codegen.py"


def generate(out: Path, seed: str) -> None:
    command = [sys.executable, "-m", "native.codegen", "--ops", "tests/golden/codegen", "--out", str(out)]
    subprocess.run(command, cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": seed}, check=True)


def test_same_bytes_everywhere(tmp_path: Path) -> None:
    """No hash order in the output; a second run leaves the files alone."""
    first, second = tmp_path / "first", tmp_path / "second"
    generate(first, "1")
    generate(second, "2")
    names = sorted(str(path.relative_to(first)) for path in first.rglob("*") if path.is_file())
    assert names == sorted(str(path.relative_to(second)) for path in second.rglob("*") if path.is_file())
    for name in names:
        assert (first / name).read_bytes() == (second / name).read_bytes(), name
    os.utime(first / "cpp/ops.h", (1, 1))
    generate(first, "3")
    assert (first / "cpp/ops.h").stat().st_mtime == 1


def test_list_names_the_outputs(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "native.codegen", "--ops", "tests/golden/codegen", "--list"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    assert listed == sorted(outputs(FOLDER))


def test_declarations_name_their_line() -> None:
    """So that a compiler's message leads to the table."""
    header = generate_header(load(ROOT / "native" / "ops"))["cpp/ops.h"]
    for op in load(ROOT / "native" / "ops"):
        assert f"// {op.file}:{op.line}\n" in header, op.id


# ---- what is refused ----

GOOD = """\
op twice(Tensor self) -> Tensor
    as        method, function
    dtypes    floating
    doc       Two times self.
    sample    real(2)
"""

WRONG = {
    "signature": ("twice(Tensor self) -> Tensor", "twice Tensor self", 1, "not a signature"),
    "type of a parameter": ("Tensor self", "Tenser self", 1, "unknown parameter 'Tenser self'"),
    "type of a result": ("-> Tensor", "-> Tenser", 1, "unknown result 'Tenser'"),
    "results without names": ("-> Tensor", "-> (Tensor, Tensor)", 1, "must be named tensors"),
    "field": ("doc  ", "dock ", 4, "unknown field 'dock'"),
    "indentation": ("    doc  ", "  doc  ", 4, "fields are indented by 4 spaces"),
    "form": ("method, function", "method, functor", 2, "'functor' is not known for as"),
    "dtype": ("floating", "floating, float8", 3, "'float8' is not known for dtypes"),
    "no doc": ("    doc       Two times self.\n", "", 1, "twice has no 'doc'"),
    "no sample": ("    sample    real(2)\n", "", 1, "twice has no 'sample'"),
    "no dtypes": ("    dtypes    floating\n", "", 1, "twice has no 'dtypes'"),
    "no forms": ("    as        method, function\n", "", 1, "twice has no 'as'"),
    "method without self": ("Tensor self", "Tensor input", 1, "has no parameter self"),
    "gradient": ("    doc  ", "    gradient  no\n    doc  ", 4, "gradient is 'yes' or 'none: <reason>'"),
    "slot": ("    doc  ", "    slots     __plus__\n    doc  ", 4, "'__plus__' is not known for slots"),
    "exception": ("    doc  ", "    raises    OSError: no\n    doc  ", 4, "raises starts with the name of an"),
    "argument": ("    doc  ", "    args      other: none\n    doc  ", 4, "args names a parameter and its meaning"),
    "in place of two": ("method, function\n", "inplace\n", 1, "has an in-place or out form but not one tensor"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_refused(name: str) -> None:
    old, new, line, message = WRONG[name]
    text = GOOD.replace(old, new)
    if name == "in place of two":
        text = text.replace("-> Tensor", "-> (Tensor low, Tensor high)")
    assert text != GOOD
    with pytest.raises(TableError, match=rf"^small\.ops:{line}: .*{re.escape(message)}"):
        parse_text(text, "small.ops")


def test_field_before_any_operator() -> None:
    with pytest.raises(TableError, match=r"^small\.ops:2: a field before any operator"):
        parse_text("# text\n    doc       Lost.\n", "small.ops")


def test_same_operator_twice(tmp_path: Path) -> None:
    (tmp_path / "one.ops").write_text(GOOD)
    (tmp_path / "two.ops").write_text("# again\n" + GOOD)
    with pytest.raises(TableError, match=r"^two\.ops:2: overloads of twice stand in one\.ops"):
        load(tmp_path)


def test_command_line_names_the_mistake(tmp_path: Path) -> None:
    (tmp_path / "bad.ops").write_text(GOOD.replace("floating", "wobbling"))
    command = [sys.executable, "-m", "native.codegen", "--ops", str(tmp_path), "--out", str(tmp_path / "out")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("bad.ops:3: 'wobbling' is not known for dtypes of twice")
    assert not (tmp_path / "out").exists()


if __name__ == "__main__":
    for file, text in expectations().items():
        (FOLDER / file).write_text(text, encoding="utf-8")
