"""Real data that installed packages bring along, as files that the programs of both languages read.

python -m examples.data     makes the files of build/examples/data
"""

from __future__ import annotations

import gzip
from collections.abc import Callable
from importlib.metadata import files
from pathlib import Path

import onetape as torch
from onetape.utils.data import TensorDataset, read_csv

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "build" / "examples" / "data"
SIDE = 8
"""Pixels of a digit's side."""


# ---- files ----


def shipped(name: str) -> str:
    """The text of one of scikit-learn's files, unpacked."""
    packed = next(file for file in files("scikit-learn") or () if file.name == name)
    content: bytes = packed.locate().read_bytes()  # type: ignore[attr-defined]
    return (gzip.decompress(content) if name.endswith(".gz") else content).decode()


def _digits() -> str:
    return shipped("digits.csv.gz")


def _diabetes() -> str:
    people = shipped("diabetes_data_raw.csv.gz").splitlines()
    progress = shipped("diabetes_target.csv.gz").splitlines()
    rows = (",".join([*person.split(), later]) for person, later in zip(people, progress, strict=True))
    return "\n".join(rows) + "\n"


def _breast_cancer() -> str:
    return shipped("breast_cancer.csv").split("\n", 1)[1]  # the first line counts and names


def _text() -> str:
    """What the Python language reference says of its topics; the standard library has it for ``help()``."""
    from pydoc_data.topics import topics

    words = " ".join(topics[name] for name in sorted(topics)).split()
    return "".join(letter for letter in " ".join(words) if " " <= letter <= "~")


_MAKERS: dict[str, Callable[[], str]] = {
    "digits.csv": _digits,
    "diabetes.csv": _diabetes,
    "breast_cancer.csv": _breast_cancer,
    "text.txt": _text,
}


def unpack(name: str) -> Path:
    """The path of a file in FOLDER, which is made if it is not there yet."""
    path = FOLDER / name
    if not path.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        path.write_text(_MAKERS[name](), encoding="utf-8")
    return path


# ---- tensors ----


def _split(x: torch.Tensor, y: torch.Tensor, held_out: int) -> tuple[TensorDataset, TensorDataset]:
    """Samples to train with, and as many as wanted that are held out, at random."""
    order = torch.randperm(len(x))
    test, train = order[:held_out], order[held_out:]
    return TensorDataset(x[train], y[train]), TensorDataset(x[test], y[test])


def _standard(x: torch.Tensor) -> torch.Tensor:
    """Columns with mean 0 and deviation 1."""
    return (x - x.mean(0)) / x.std(0)


def digits() -> tuple[TensorDataset, TensorDataset]:
    """1,797 handwritten digits: images of (1, 8, 8) values from 0 to 1, and what they show; 360 are held out."""
    table = read_csv(unpack("digits.csv"))
    return _split(table[:, :-1].reshape(-1, 1, SIDE, SIDE) / 16, table[:, -1].long(), 360)


def diabetes() -> tuple[TensorDataset, TensorDataset]:
    """442 patients: ten measures, and how far the disease was a year later, all scaled; 88 are held out."""
    table = _standard(read_csv(unpack("diabetes.csv")))
    return _split(table[:, :-1], table[:, -1:], 88)


def breast_cancer() -> tuple[TensorDataset, TensorDataset]:
    """569 tumours: thirty scaled measures, and 1 for a benign one; 114 are held out."""
    table = read_csv(unpack("breast_cancer.csv"))
    return _split(_standard(table[:, :-1]), table[:, -1:], 114)


def text() -> str:
    """Half a million letters of technical English: words of printable ASCII with single spaces between them."""
    return unpack("text.txt").read_text(encoding="utf-8")


if __name__ == "__main__":
    for made in map(unpack, _MAKERS):
        print(made.relative_to(ROOT))
