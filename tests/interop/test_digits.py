"""The main job on made-up images: both languages, and both in one loop, give the same losses to the last digit."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytest.importorskip("jpype")
pytest.importorskip("tqdm")

DRIVER = """
import sys
from pathlib import Path
from examples.digits import data, java, train

data.FILE = Path(sys.argv[1])
java.CLASSES = data.FILE.parent / "classes"
images, labels = data.load()
python, _ = train.train("Python", images, labels)
runs = [python, java.train_in_java(), java.train_across(images, labels)]
assert runs[0].losses == runs[1].losses == runs[2].losses, [run.losses for run in runs]
assert runs[0].accuracy == runs[1].accuracy == runs[2].accuracy
assert runs[0].losses[-1] < runs[0].losses[0] / 2
print("same", len(runs[0].losses))
"""


def test_all_ways_of_training_agree(tmp_path: Path) -> None:
    draw = random.Random(1)
    rows = []
    for _ in range(500):
        label = draw.randrange(10)
        pixels = [min(16, draw.randrange(6) + 10 * ((i + label) % 7 == 0)) for i in range(64)]
        rows.append(",".join(map(str, [*pixels, label])))
    file = tmp_path / "digits.csv"
    file.write_text("\n".join(rows) + "\n", encoding="utf-8")

    done = subprocess.run(
        [sys.executable, "-c", DRIVER, str(file)], cwd=ROOT, capture_output=True, text=True, timeout=200
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("same 30\n")
