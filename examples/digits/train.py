"""Training in Python: the loop that java/examples/…/Digits.java writes in Java, step for step."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from tqdm import tqdm

import onetape as torch
from examples.data import SIDE
from examples.digits.data import HELD_OUT
from onetape import nn

SEED = 7
EPOCHS = 30
BATCH = 32
HIDDEN = 64
LEARNING_RATE = 0.1
MOMENTUM = 0.9


@dataclass
class Run:
    """What one training left."""

    name: str
    losses: list[float] = field(default_factory=list)
    accuracy: float = 0.0
    seconds: float = 0.0
    predictions: list[int] = field(default_factory=list)
    held_out: list[int] = field(default_factory=list)
    """Numbers of the images that were held out."""


def make_model() -> nn.Module:
    """The classifier: two linear layers with a rectifier between them."""
    return nn.Sequential(nn.Linear(SIDE * SIDE, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, 10))


def batches(count: int) -> Iterable[torch.Tensor]:
    """Numbers 0 … count − 1 in random order, some at a time."""
    order = torch.randperm(count)
    for start in range(0, count, BATCH):
        yield order[start : start + BATCH]


def train(
    name: str,
    images: torch.Tensor,
    labels: torch.Tensor,
    model_of: Callable[[], Any] = make_model,
    loss_of: Callable[[Any], Any] = lambda model: nn.CrossEntropyLoss(),
) -> tuple[Run, Any]:
    """Trains a model from the seed; the model and the loss may be Java's."""
    run = Run(name)
    torch.manual_seed(SEED)
    order = torch.randperm(len(images))
    held_out, kept = order[:HELD_OUT], order[HELD_OUT:]
    train_images, train_labels = images[kept], labels[kept]
    model = model_of()
    criterion = loss_of(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE, momentum=MOMENTUM)

    started = time.perf_counter()
    progress = tqdm(range(EPOCHS), desc=name, unit="epoch", dynamic_ncols=True)
    for _ in progress:
        total, count = 0.0, 0
        for batch in batches(len(train_images)):
            optimizer.zero_grad()
            loss = criterion(model(train_images[batch]), train_labels[batch])
            loss.backward()
            optimizer.step()
            total, count = total + loss.item(), count + 1
        run.losses.append(total / count)
        progress.set_postfix(loss=f"{run.losses[-1]:.4f}")
    run.seconds = time.perf_counter() - started

    with torch.no_grad():
        answers = model(images[held_out]).argmax(1)
    run.accuracy = (answers == labels[held_out]).sum().item() / HELD_OUT
    run.predictions = answers.tolist()
    run.held_out = held_out.tolist()
    return run, model
