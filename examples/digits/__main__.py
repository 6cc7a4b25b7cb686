"""The main job: learns handwritten digits in Python, in Java, and with Java's model in Python's loop.

    python -m examples.digits

Prints the losses of all trainings side by side and whether they agree to the last digit, the accuracy on images that no
model has seen, and the time each took; leaves pictures in build/run.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from examples.data import ROOT
from examples.digits import java, pictures
from examples.digits.data import FOLDER, HELD_OUT, load
from examples.digits.train import Run, train

WANTED_ACCURACY = 0.96


def print_losses(runs: Sequence[Run]) -> bool:
    """The losses of every epoch side by side; whether all runs have the same ones."""
    width = max(22, *(len(run.name) + 2 for run in runs))
    print("\nepoch" + "".join(f"{run.name:>{width}}" for run in runs))
    same = True
    for epoch, losses in enumerate(zip(*(run.losses for run in runs), strict=True), 1):
        equal = len(set(losses)) == 1
        same = same and equal
        print(f"{epoch:5}" + "".join(f"{loss!r:>{width}}" for loss in losses) + ("" if equal else "   differ"))
    return same


def main() -> int:
    images, labels = load()
    print(f"{len(images)} handwritten digits, {HELD_OUT} of them held out", flush=True)
    python, model = train("Python", images, labels)
    runs = [python, java.train_in_java(), java.train_across(images, labels)]

    same = print_losses(runs)
    print(f"\nThe losses {'agree to the last digit' if same else 'DIFFER'}.")
    print(f"\n{'':24}{'accuracy':>10}{'seconds':>10}")
    for run in runs:
        print(f"{run.name:24}{run.accuracy:>10.4f}{run.seconds:>10.2f}")

    pictures.learning_curves(runs, FOLDER / "learning.png")
    pictures.answered_digits(images, labels, python, FOLDER / "digits.png")
    pictures.step_graph(images, labels, model, FOLDER)
    print("\nLeft to look at:")
    for name in ("learning.png", "digits.png", "graph.svg", "graph.html"):
        print(f"  {(FOLDER / name).relative_to(ROOT)}")

    good = all(run.accuracy >= WANTED_ACCURACY for run in runs)
    if not good:
        print(f"An accuracy is below {WANTED_ACCURACY}.", file=sys.stderr)
    return 0 if same and good else 1


if __name__ == "__main__":
    sys.exit(main())
