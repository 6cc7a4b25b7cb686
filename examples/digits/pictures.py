"""What `make run` leaves to look at."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib

import onetape as torch
from examples.data import SIDE
from examples.digits.train import Run
from onetape import nn

matplotlib.use("Agg")

from matplotlib import pyplot

SHOWN = 40


def learning_curves(runs: Sequence[Run], path: Path) -> None:
    """The losses of all trainings; they lie on each other, so each is drawn thinner than the one before."""
    figure, axes = pyplot.subplots(figsize=(7, 4), layout="constrained")
    for i, run in enumerate(runs):
        axes.plot(
            range(1, len(run.losses) + 1),
            run.losses,
            label=run.name,
            linewidth=6 / (i + 1),
            linestyle=("-", "--", ":")[i % 3],
        )
    axes.set(xlabel="epoch", ylabel="mean loss of the epoch", yscale="log", title="Handwritten digits")
    axes.legend()
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def answered_digits(images: torch.Tensor, labels: torch.Tensor, run: Run, path: Path) -> None:
    """Some held-out images with what the model said; its mistakes come first, in red."""
    pairs = list(zip(run.held_out, run.predictions, strict=True))
    pairs.sort(key=lambda pair: labels[pair[0]].item() == pair[1])
    figure, grid = pyplot.subplots(4, SHOWN // 4, figsize=(10, 5), layout="constrained")
    for axes, (number, answer) in zip(grid.flat, pairs, strict=False):
        truth = labels[number].item()
        axes.imshow(images[number].reshape(SIDE, SIDE).numpy(), cmap="gray_r")
        axes.set_title(
            f"{answer}" if answer == truth else f"{answer}, is {truth}",
            color="black" if answer == truth else "red",
            fontsize=9,
        )
        axes.set_axis_off()
    figure.suptitle(f"What the model said; {run.accuracy:.1%} of all held-out digits are right")
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def step_graph(images: torch.Tensor, labels: torch.Tensor, model: Any, folder: Path) -> list[Path]:
    """The graph of one step."""
    loss = nn.CrossEntropyLoss()(model(images[:4]), labels[:4])
    names = {**dict(model.named_parameters()), "loss": loss}
    picture = torch.graph(loss, params=names, title="One step: the graph of the loss")
    return [picture.save(folder / "graph.svg"), picture.save(folder / "graph.html")]
