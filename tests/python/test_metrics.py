"""Measures of predictions."""

from __future__ import annotations

import random

import pytest

import onetape as torch
from onetape.utils import metrics

SCORES = torch.tensor([[0.1, 0.7, 0.2], [0.5, 0.3, 0.2], [0.2, 0.3, 0.5], [0, 0.4, 0.6]])
TARGET = torch.tensor([1, 0, 2, 1])


def test_accuracy() -> None:
    assert metrics.accuracy(SCORES, TARGET) == 0.75
    assert metrics.accuracy(SCORES.argmax(-1), TARGET) == 0.75
    assert metrics.accuracy(SCORES, TARGET, top_k=2) == 1
    assert metrics.accuracy(SCORES.view(2, 2, 3), TARGET.view(2, 2)) == 0.75
    with pytest.raises(ValueError, match=r"predictions of shape \(4, 3\) do not fit targets of shape \(3,\)"):
        metrics.accuracy(SCORES, TARGET[:3])
    with pytest.raises(ValueError, match="there are no predictions"):
        metrics.accuracy(torch.empty(0), torch.empty(0))
    with pytest.raises(ValueError, match="top_k needs scores"):
        metrics.accuracy(TARGET, TARGET, top_k=2)


def test_confusion_matrix() -> None:
    assert metrics.confusion_matrix(SCORES, TARGET).tolist() == [[1, 0, 0], [0, 1, 1], [0, 0, 1]]
    assert metrics.confusion_matrix(TARGET[:2], TARGET[:2]).tolist() == [[1, 0], [0, 1]]
    assert metrics.confusion_matrix(TARGET, TARGET, 5).shape == (5, 5)
    assert metrics.confusion_matrix(TARGET[:0], TARGET[:0], 2).tolist() == [[0, 0], [0, 0]]
    with pytest.raises(ValueError, match="classes go from 0 to 2, but there are 2"):
        metrics.confusion_matrix(TARGET, TARGET, 2)
    with pytest.raises(ValueError, match="classes go from -1"):
        metrics.confusion_matrix(TARGET - 1, TARGET)


def test_area_under_the_curve() -> None:
    target = torch.tensor([0, 0, 1, 1])
    assert metrics.auroc(torch.tensor([0.1, 0.4, 0.35, 0.8]), target) == 0.75  # scikit-learn's roc_auc_score
    assert metrics.auroc(torch.tensor([0.1, 0.4, 0.4, 0.8]), target) == 0.875
    assert metrics.auroc(torch.zeros(4), target.bool()) == 0.5
    with pytest.raises(ValueError, match="needs both classes, but there are 4 positives and 0 negatives"):
        metrics.auroc(torch.zeros(4), torch.ones(4))
    with pytest.raises(ValueError, match="do not fit"):
        metrics.auroc(torch.zeros(3), torch.ones(4))
    with pytest.raises(ValueError, match="not a number"):
        metrics.auroc(torch.full((4,), torch.nan), target)


def test_area_is_the_chance_of_the_right_order() -> None:
    numbers = random.Random(1)
    for _ in range(20):
        scores = [numbers.randrange(8) for _ in range(40)]
        positive = [numbers.random() < 0.4 for _ in range(40)]
        pairs = [
            (a > b) + (a == b) / 2 for a, p in zip(scores, positive) if p for b, q in zip(scores, positive) if not q
        ]
        got = metrics.auroc(torch.tensor(scores), torch.tensor(positive))
        assert got == pytest.approx(sum(pairs) / len(pairs), abs=1e-12)
