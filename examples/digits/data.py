"""The 1,797 handwritten digits that come with scikit-learn: images of 8 × 8 grey values, and what they show.

python -m examples.digits.data     unpacks the file for the programs of both languages
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import onetape as torch
from examples.data import ROOT, shipped

FOLDER = ROOT / "build" / "run"
FILE = FOLDER / "data" / "digits.csv"
HELD_OUT = 360
"""How many of the shuffled images no model is trained on."""


def unpack() -> Path:
    """Makes the file from the installed package, where it is not there yet."""
    if not FILE.exists():
        FILE.parent.mkdir(parents=True, exist_ok=True)
        FILE.write_text(shipped("digits.csv.gz"), encoding="utf-8")
    return FILE


def load() -> tuple[torch.Tensor, torch.Tensor]:
    """Images with values from 0 to 1, and labels."""
    table = np.loadtxt(unpack(), delimiter=",")
    images = torch.tensor(table[:, :-1], dtype=torch.float32) / 16
    labels = torch.tensor(table[:, -1], dtype=torch.int64)
    return images, labels


if __name__ == "__main__":
    unpack()
