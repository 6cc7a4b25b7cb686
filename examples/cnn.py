"""A small convolutional network learns handwritten digits; java/examples/…/Cnn.java is the same program.

python -m examples.cnn [--java]
"""

from __future__ import annotations

import onetape as torch
from examples import data, pictures
from examples.run import Run, start
from onetape import nn
from onetape.nn import functional as F
from onetape.utils.data import DataLoader
from onetape.utils.metrics import accuracy

EPOCHS = 20


def make_model() -> nn.Module:
    """Two convolutions on 8 × 8 pixels, one on 4 × 4, and a linear layer."""
    return nn.Sequential(
        nn.Conv2d(1, 32, 3, padding=1),
        nn.BatchNorm2d(32),
        nn.ReLU(),
        nn.Conv2d(32, 32, 3, padding=1),
        nn.BatchNorm2d(32),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 3, padding=1),
        nn.BatchNorm2d(64),
        nn.ReLU(),
        nn.Flatten(),
        nn.Dropout(0.5),
        nn.Linear(64 * 4 * 4, 10),
    )


def train(run: Run) -> None:
    torch.manual_seed(0)
    training, held_out = data.digits()
    model = make_model()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for images, labels in run.batches(DataLoader(training, batch_size=32, shuffle=True), EPOCHS):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        run.log(loss=loss.item())

    model.eval()
    images, labels = held_out.tensors
    with torch.no_grad():
        answers = model(images).argmax(1)
    run.report("accuracy on held-out digits", accuracy(answers, labels))

    worst_first = (answers == labels).long().argsort(stable=True)[:40]
    captions = [
        f"{answer}" if answer == truth else f"{answer}, is {truth}"
        for answer, truth in zip(answers[worst_first].tolist(), labels[worst_first].tolist(), strict=True)
    ]
    pictures.save(
        run,
        "Handwritten digits, and what the network says they are",
        lambda axes: pictures.tiles(axes, images[worst_first], 8, captions),
    )


if __name__ == "__main__":
    start("cnn", train, ["digits.csv"])
