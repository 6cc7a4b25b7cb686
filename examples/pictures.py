"""Pictures of trainings: learning curves, images side by side, texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import matplotlib

import onetape as torch
from examples.data import SIDE
from examples.run import Run

matplotlib.use("Agg")

from matplotlib import pyplot
from matplotlib.axes import Axes

SHARES = 50
"""The drawn losses are averaged over one of so many shares of the steps."""


def save(run: Run, title: str, *panels: Callable[[Axes], None]) -> None:
    """The learning curves of a run and, beside them, what each panel draws."""
    figure, grid = pyplot.subplots(1, 1 + len(panels), figsize=(4.5 * (1 + len(panels)), 4.2), layout="constrained")
    curves(grid[0], run)
    for axes, panel in zip(grid[1:], panels, strict=True):
        panel(axes)
    figure.suptitle(title)
    figure.savefig(run.finish(), dpi=80)
    pyplot.close(figure)


def curves(axes: Axes, run: Run) -> None:
    """The losses by step, each averaged over the last steps."""
    for name, losses in run.losses.items():
        width = len(losses) // SHARES
        parts = [losses[max(0, i - width) : i + 1] for i in range(len(losses))]
        axes.plot([sum(part) / len(part) for part in parts], label=name)
    axes.set(xlabel="step", ylabel="loss")
    axes.grid(alpha=0.3)
    axes.legend()


def tiles(axes: Axes, images: torch.Tensor, columns: int, captions: Sequence[str] = ()) -> None:
    """Images of a digit's size in rows, with captions below them; those that are not one letter are red."""
    room = 2 if not captions else 5
    rows = -(-len(images) // columns)
    sheet = torch.zeros(rows * (SIDE + room), columns * (SIDE + room))
    for i, image in enumerate(images.reshape(-1, SIDE, SIDE)):
        top, left = i // columns * (SIDE + room), i % columns * (SIDE + room)
        sheet[top : top + SIDE, left : left + SIDE] = image
    axes.imshow(sheet.numpy(), cmap="gray_r", interpolation="nearest")
    for i, caption in enumerate(captions):
        x, y = i % columns * (SIDE + room) + SIDE / 2, i // columns * (SIDE + room) + SIDE + 0.5
        color = "black" if len(caption) == 1 else "red"
        axes.text(x, y, caption, ha="center", va="top", fontsize=8, color=color)
    axes.set_axis_off()


def page(axes: Axes, text: str) -> None:
    """A text as it stands."""
    axes.text(0, 1, text, family="monospace", fontsize=7, va="top", transform=axes.transAxes)
    axes.set_axis_off()
