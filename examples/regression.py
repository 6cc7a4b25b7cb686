"""Linear and logistic regression on patients' data; java/examples/…/Regression.java is the same program.

python -m examples.regression [--java]
"""

from __future__ import annotations

from matplotlib.axes import Axes

import onetape as torch
from examples import data, pictures
from examples.run import Run, start
from onetape import nn
from onetape.nn import functional as F
from onetape.utils.metrics import accuracy, auroc

STEPS = 300


def linear(run: Run) -> tuple[torch.Tensor, torch.Tensor]:
    """How diabetes goes on: what a line through ten measures says of held-out patients, and what came."""
    training, held_out = data.diabetes()
    x, y = training.tensors
    model = nn.Linear(10, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    for _ in run.steps(STEPS):
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        run.log(linear=loss.item())

    x, y = held_out.tensors
    with torch.no_grad():
        said = model(x)
    missed = F.mse_loss(said, y) / y.var(unbiased=False)
    run.report("explained share of the variance (R²)", 1 - missed.item())
    return said.flatten(), y.flatten()


def logistic(run: Run) -> tuple[torch.Tensor, torch.Tensor]:
    """Whether a tumour is benign: probabilities for held-out patients, and what was found."""
    training, held_out = data.breast_cancer()
    x, y = training.tensors
    model = nn.Linear(30, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02, weight_decay=1e-3)
    for _ in run.steps(STEPS):
        optimizer.zero_grad()
        loss = F.binary_cross_entropy_with_logits(model(x), y)
        loss.backward()
        optimizer.step()
        run.log(logistic=loss.item())

    x, y = held_out.tensors
    with torch.no_grad():
        probabilities = model(x).sigmoid().flatten()
    truth = y.flatten().long()
    run.report("accuracy on held-out tumours", accuracy((probabilities > 0.5).long(), truth))
    run.report("area under the ROC curve", auroc(probabilities, truth))
    return probabilities, truth


def train(run: Run) -> None:
    torch.manual_seed(0)
    said, came = linear(run)
    probabilities, truth = logistic(run)

    def line(axes: Axes) -> None:
        axes.scatter(came.numpy(), said.numpy(), s=12)
        axes.axline((0, 0), slope=1, color="gray", linewidth=1)
        axes.set(title="Diabetes after a year (scaled)", xlabel="what came", ylabel="what the line says")

    def shares(axes: Axes) -> None:
        parts = [probabilities[truth == kind].tolist() for kind in (0, 1)]
        axes.hist(parts, bins=20, range=(0, 1), stacked=True, label=["malignant", "benign"])
        axes.set(title="Tumours", xlabel="probability of being benign", ylabel="held-out patients")
        axes.legend()

    pictures.save(run, "Linear and logistic regression", line, shares)


if __name__ == "__main__":
    start("regression", train, ["diabetes.csv", "breast_cancer.csv"])
