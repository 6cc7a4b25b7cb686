"""What the generator makes of a table of optimizers, byte for byte, and that it refuses what it does not know, by line.

``python tests/python/test_codegen_optimizers.py`` writes the expectations anew.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from native.codegen.__main__ import outputs  # noqa: E402
from native.codegen.optimizers import load_optimizers  # noqa: E402
from native.codegen.tables import TableError  # noqa: E402

FOLDER = ROOT / "tests" / "golden" / "codegen" / "optimizers"
WHOLE = (
    "cpp/optimizers.h",
    "python/onetape/optim/_optimizers.py",
    "java/org/onetape/optim/Small.java",
    "java/org/onetape/optim/SmallOptions.java",
    "java/org/onetape/optim/AliasOptions.java",
    "java/org/onetape/optim/Shapes.java",
    "java/org/onetape/optim/ShapesOptions.java",
)


def expectations() -> dict[str, str]:
    made = outputs(FOLDER)
    return {f"{Path(name).name}.ref": made[name] for name in WHOLE}


@pytest.mark.parametrize("name", [f"{Path(name).name}.ref" for name in WHOLE])
def test_output(name: str) -> None:
    expected = (FOLDER / name).read_text(encoding="utf-8")
    assert expectations()[name] == expected, "if this is meant: python tests/python/test_codegen_optimizers.py"


WRONG = {
    "field": ("    eager", "    lazy", 19, "'lazy' is not a field of an optimizer"),
    "kind": ("lr: rate", "lr: speed", 5, "kind speed"),
    "text of a flag": ("flag? = None\n", "flag? = None | text\n", 10, "kind flag?"),
    "condition": ("0.0 <= betas[0] < 1.0", "0.0 <= betas[0] <", 14, "invalid syntax"),
    "option of a state": ("if momentum", "if speed", 17, "there is no option speed"),
    "value of a state": ("like = lr", "like = speed", 17, "there is no option speed"),
    "form of a state": ("number = 1", "matrix = 1", 16, "cannot be read"),
    "rows of vectors": ("rows = 0 of matrices", "rows = 0 of vectors", 42, "form rows of vectors"),
    "other name": ("Small: nesterov", "Large: nesterov", 23, "Large"),
}


@pytest.mark.parametrize("name", WRONG)
def test_refused(name: str, tmp_path: Path) -> None:
    old, new, line, message = WRONG[name]
    text = (FOLDER / "optimizers.opt").read_text(encoding="utf-8")
    assert old in text
    (tmp_path / "optimizers.opt").write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(TableError, match=rf"optimizers\.opt:{line}: .*{re.escape(message)}"):
        load_optimizers(tmp_path)


def test_whole_blocks_are_checked(tmp_path: Path) -> None:
    text = (FOLDER / "optimizers.opt").read_text(encoding="utf-8")
    for old, new, message in (
        ("    doc       Steps of one size.\n", "", "Small has no doc or no options"),
        ("keys      lr, momentum, ", "keys      lr, ", "the keys of Small are not its options"),
    ):
        (tmp_path / "optimizers.opt").write_text(text.replace(old, new), encoding="utf-8")
        with pytest.raises(TableError, match=message):
            load_optimizers(tmp_path)


def test_a_folder_without_the_table(tmp_path: Path) -> None:
    assert load_optimizers(tmp_path) == []


if __name__ == "__main__":
    for file, text in expectations().items():
        (FOLDER / file).write_text(text, encoding="utf-8")
