"""Losses of margins: scores that are to be far enough apart."""

from __future__ import annotations

from collections.abc import Callable

from onetape import _C
from onetape._C import Tensor, _nn
from onetape.nn._losses import reduction_of


def hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: float = 1.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """input where target is 1, max(0, margin − input) where it is −1; reduced."""
    return _nn.hinge_embedding_loss(input, target, margin, reduction_of(reduction, size_average, reduce))


def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """1 − the cosine of the angle where target is 1, max(0, cosine − margin) where it is −1; reduced."""
    return _nn.cosine_embedding_loss(input1, input2, target, margin, reduction_of(reduction, size_average, reduce))


def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """max(0, margin − target · (input1 − input2)), reduced."""
    return _nn.margin_ranking_loss(input1, input2, target, margin, reduction_of(reduction, size_average, reduce))


def soft_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """log(1 + exp(−target · input)), reduced."""
    return _nn.soft_margin_loss(input, target, reduction_of(reduction, size_average, reduce))


def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The mean over all other classes of max(0, margin − input[target] + input[class])ᵖ; weight: one for each class."""
    return _nn.multi_margin_loss(input, target, p, margin, weight, reduction_of(reduction, size_average, reduce))


def multilabel_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The sum of max(0, 1 − input[right] + input[wrong]) over all pairs, by the number of classes.

    target: the right classes of each sample, which end at the first −1.
    """
    return _nn.multilabel_margin_loss(input, target, reduction_of(reduction, size_average, reduce))


def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The mean over the classes of the cross entropy of sigmoid(input) and target; weight: one for each class."""
    return _nn.multilabel_soft_margin_loss(input, target, weight, reduction_of(reduction, size_average, reduce))


def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """max(0, margin + distance of anchor and positive − distance of anchor and negative), reduced.

    p, eps: of the distance. swap: the distance of positive and negative counts where it is less.
    """
    name = reduction_of(reduction, size_average, reduce)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    return _nn.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, name)


def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """triplet_margin_loss() with another distance; pairwise_distance() if None."""
    name = reduction_of(reduction, None, None)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    if not anchor.dim() == positive.dim() == negative.dim():
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            f"anchor {anchor.dim()}D, positive {positive.dim()}D, and negative {negative.dim()}D inputs"
        )
    distance = distance_function or _nn.pairwise_distance
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = _C.minimum(far, distance(positive, negative))
    loss = _C.clamp_min(margin + near - far, 0)
    return loss.sum() if name == "sum" else loss.mean() if name == "mean" else loss
