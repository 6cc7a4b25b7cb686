"""How good predictions are: accuracy, confusion matrix, area under the ROC curve."""

from __future__ import annotations

from typing import Any

import onetape._C as _C
from onetape._C import Tensor

__all__ = ["accuracy", "auroc", "confusion_matrix"]


def _labels(prediction: Tensor, target: Tensor, who: str) -> tuple[Tensor, Tensor]:
    """The predicted and the true classes as vectors. Scores have a last dimension more than the target."""
    found = prediction.argmax(-1) if prediction.dim() == target.dim() + 1 else prediction
    if found.shape != target.shape:
        raise ValueError(
            f"{who}: predictions of shape {tuple(prediction.shape)} do not fit targets of shape {tuple(target.shape)}"
        )
    return found.reshape(-1).to(_C.int64), target.reshape(-1).to(_C.int64)


def accuracy(prediction: Tensor, target: Tensor, top_k: int = 1) -> float:
    """The share of predictions that are right.

    prediction: classes of shape (*,), or scores of classes of shape (*, C)
    target: classes of shape (*,)
    top_k: a prediction counts if the target is among so many best scores

    Raises ValueError: the shapes do not fit, there are no predictions, or top_k needs scores.
    """
    if target.numel() == 0:
        raise ValueError("accuracy: there are no predictions")
    if top_k != 1:
        if prediction.dim() != target.dim() + 1 or prediction.shape[:-1] != target.shape:
            raise ValueError(
                f"accuracy: top_k needs scores of shape (*, C), but predictions are of shape "
                f"{tuple(prediction.shape)} and targets of shape {tuple(target.shape)}"
            )
        best = prediction.topk(top_k, -1)[1]
        return float((best == target.unsqueeze(-1)).any(-1).to(_C.float64).mean().item())
    found, wanted = _labels(prediction, target, "accuracy")
    return float((found == wanted).to(_C.float64).mean().item())


def confusion_matrix(prediction: Tensor, target: Tensor, num_classes: int | None = None) -> Tensor:
    """How often each class (row) was taken for each class (column).

    prediction: classes of shape (*,), or scores of classes of shape (*, C)
    target: classes of shape (*,)
    num_classes: one more than the largest class if not given

    Returns int64 of shape (num_classes, num_classes).
    Raises ValueError: the shapes do not fit, or a class is out of range.
    """
    classes = prediction.size(-1) if prediction.dim() == target.dim() + 1 else None
    found, wanted = _labels(prediction, target, "confusion_matrix")
    both = _C.cat([found, wanted])
    low, high = (int(both.min().item()), int(both.max().item())) if both.numel() else (0, -1)
    count = num_classes if num_classes is not None else classes if classes is not None else high + 1
    if low < 0 or high >= count:
        raise ValueError(f"confusion_matrix: classes go from {low} to {high}, but there are {count}")
    counts = _C.bincount(wanted * count + found, minlength=count * count)
    return counts.reshape(count, count)


def auroc(score: Tensor, target: Tensor) -> float:
    """The area under the ROC curve: how likely a positive has a higher score than a negative; ties count half.

    score: numbers of shape (*,)
    target: of the same shape; what is not 0 is positive

    Raises ValueError: the shapes differ, a score is not a number, or one of the classes is missing.
    """
    if score.shape != target.shape:
        raise ValueError(
            f"auroc: scores of shape {tuple(score.shape)} do not fit targets of shape {tuple(target.shape)}"
        )
    scores: Any = score.detach().reshape(-1).to(_C.float64).tolist()
    positive: Any = target.reshape(-1).ne(0).tolist()
    if any(value != value for value in scores):
        raise ValueError("auroc: a score is not a number")
    positives = int(sum(positive))
    negatives = len(positive) - positives
    if not positives or not negatives:
        raise ValueError(f"auroc: needs both classes, but there are {positives} positives and {negatives} negatives")
    order = sorted(range(len(scores)), key=scores.__getitem__)
    ranks = 0.0  # of all positives
    start = 0
    while start < len(order):
        end = start
        while end < len(order) and scores[order[end]] == scores[order[start]]:
            end += 1
        ranks += (start + 1 + end) / 2 * sum(positive[i] for i in order[start:end])
        start = end
    return float(ranks - positives * (positives + 1) / 2) / (positives * negatives)
