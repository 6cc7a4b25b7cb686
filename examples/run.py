"""What all programs share: the command line, the bar of progress, and what is left at the end.

    python -m examples.NAME [--java] [--steps N] [--folder FOLDER]

Leaves NAME-python.png and NAME-python.txt in the folder, NAME-java.png and NAME-java.txt with --java. The text has the
losses of every step and the results, one a line; in both languages they are the same to the last digit.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tqdm import tqdm

from examples import data, java
from onetape.utils.data import DataLoader

FOLDER = data.ROOT / "build" / "examples"


class Run:
    """One run of a program: goes through its steps, and keeps losses and results."""

    def __init__(self, name: str, folder: Path = FOLDER, steps: int | None = None) -> None:
        self.name = name
        self.folder = folder
        self.losses: dict[str, list[float]] = {}
        self.results: dict[str, float] = {}
        self._wanted = steps
        self._started = time.perf_counter()

    def limited(self, count: int) -> int:
        """A number of steps, or the smaller one that the command line asks for."""
        return count if self._wanted is None else min(count, self._wanted)

    def steps(self, count: int) -> Iterator[int]:
        """The numbers from 0 below count, under a bar of progress that shows the last losses."""
        with tqdm(total=self.limited(count), desc=self.name, unit="step", dynamic_ncols=True) as bar:
            for step in range(self.limited(count)):
                yield step
                bar.set_postfix({name: f"{values[-1]:.4f}" for name, values in self.losses.items()}, refresh=False)
                bar.update()

    def batches(self, loader: DataLoader[Any], epochs: int) -> Iterator[Any]:
        """The batches of some passes, under a bar of progress."""
        batches = iter(loader)
        for step in self.steps(epochs * len(loader)):
            if step and step % len(loader) == 0:
                batches = iter(loader)
            yield next(batches)

    def log(self, **losses: float) -> None:
        """Keeps the losses of a step."""
        for name, loss in losses.items():
            self.losses.setdefault(name, []).append(loss)

    def report(self, name: str, value: float) -> None:
        """Prints and keeps a result."""
        print(f"{name}: {value:.4f}")
        self.results[name] = value

    def finish(self) -> Path:
        """Writes losses and results; the path that the picture is to have."""
        print(f"seconds: {time.perf_counter() - self._started:.1f}")
        self.folder.mkdir(parents=True, exist_ok=True)
        lines = [f"{name},{loss!r}" for name, losses in self.losses.items() for loss in losses]
        lines += [f"{name},{value!r}" for name, value in self.results.items()]
        (self.folder / f"{self.name}-python.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        picture = self.folder / f"{self.name}-python.png"
        print(f"picture: {picture}")
        return picture


def count(text: str) -> int:
    """A number of steps from the command line; ValueError if it is none."""
    if int(text) < 1:
        raise ValueError("a training has at least one step")
    return int(text)


def start(name: str, train: Callable[[Run], None], files: list[str]) -> None:
    """Runs a program, here or in Java, with what the command line says.

    Args:
        name: of the program and of what it leaves; with a capital, the name of the Java class.
        train: the program.
        files: what it reads of build/examples/data.
    """
    parser = argparse.ArgumentParser(prog=f"python -m examples.{name}", description=f"The example {name}.")
    parser.add_argument("--java", action="store_true", help="run the Java program")
    parser.add_argument("--steps", type=count, help="at most so many steps of each training, for a quick look")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where results go (default: build/examples)")
    options = parser.parse_args()
    if options.java:
        for file in files:
            data.unpack(file)
        steps = [] if options.steps is None else [str(options.steps)]
        sys.exit(java.run(name.capitalize(), [str(data.FOLDER), str(options.folder), *steps]))
    train(Run(name, options.folder, options.steps))
