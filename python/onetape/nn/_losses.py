"""The loss functions."""

from __future__ import annotations

import warnings

from onetape import _C
from onetape._C import Tensor, _nn


def reduction_of(reduction: str, size_average: bool | None, reduce: bool | None) -> str:
    """The name of a reduction, which two flags gave once."""
    if size_average is None and reduce is None:
        if reduction not in ("none", "mean", "sum"):
            raise ValueError(f"{reduction} is not a valid value for reduction")
        return reduction
    mean = size_average is None or size_average
    name = "none" if reduce is False else "mean" if mean else "sum"
    warnings.warn(
        f"size_average and reduce args will be deprecated, please use reduction='{name}' instead.", stacklevel=3
    )
    return name


def _broadcast(input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    if target.size() == input.size():
        return input, target
    warnings.warn(
        f"Using a target size ({target.size()}) that is different to the input size ({input.size()}). "
        "This will likely lead to incorrect results due to broadcasting. Please ensure they have the same size.",
        stacklevel=3,
    )
    first, second = _C.broadcast_tensors(input, target)
    return first, second


def _weighted(losses: Tensor, weight: Tensor, reduction: str, by_weight: bool) -> Tensor:
    """The losses times their weights, reduced; the mean is taken over the weights or over the elements."""
    if weight.size() != losses.size():
        raise ValueError("Weights and input must have the same size.")
    weighted = losses * weight
    if reduction == "none":
        return weighted
    total = weighted.sum()
    if reduction == "sum":
        return total
    return total / weight.sum() if by_weight else weighted.mean()


def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """(input − target)²: its mean, its sum, or with reduction="none" every element; weight: factors of the elements."""
    name = reduction_of(reduction, size_average, reduce)
    first, second = _broadcast(input, target)
    if weight is not None:
        return _weighted(_nn.mse_loss(first, second, reduction="none"), weight, name, by_weight=True)
    return _nn.mse_loss(first, second, reduction=name)


def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """|input − target|: its mean, its sum, or with reduction="none" every element; weight: factors of the elements."""
    name = reduction_of(reduction, size_average, reduce)
    first, second = _broadcast(input, target)
    if weight is not None:
        return _weighted(_nn.l1_loss(first, second, reduction="none"), weight, name, by_weight=True)
    return _nn.l1_loss(first, second, reduction=name)


def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """(input − target)² / (2 · beta) where the difference is below beta, else |input − target| − beta / 2; reduced."""
    name = reduction_of(reduction, size_average, reduce)
    first, second = _broadcast(input, target)
    if beta == 0.0:
        return _nn.l1_loss(first, second, reduction=name)
    return _nn.smooth_l1_loss(first, second, reduction=name, beta=beta)


def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Tensor | None = None
) -> Tensor:
    """(input − target)² / 2 where the difference is below delta, else delta · (|input − target| − delta / 2)."""
    first, second = _broadcast(input, target)
    if weight is not None:
        losses = _nn.huber_loss(first, second, reduction="none", delta=delta)
        return _weighted(losses, weight, reduction_of(reduction, None, None), by_weight=False)
    return _nn.huber_loss(first, second, reduction=reduction_of(reduction, None, None), delta=delta)


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """−input at the class that target names; input holds log-probabilities, classes in dimension 1.

    weight: a factor for each class. ignore_index: a target that does not count. The mean is taken over the weights.
    """
    name = reduction_of(reduction, size_average, reduce)
    return _nn.nll_loss(input, target, weight, reduction=name, ignore_index=ignore_index)


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """nll_loss() of the logarithm of softmax(input); target may also hold probabilities of all classes.

    weight: a factor for each class. ignore_index: a target that does not count.
    label_smoothing: share of the probability that is spread over all classes.
    """
    name = reduction_of(reduction, size_average, reduce)
    return _nn.cross_entropy(
        input, target, weight, reduction=name, ignore_index=ignore_index, label_smoothing=label_smoothing
    )


def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """−(target · log(input) + (1 − target) · log(1 − input)), reduced; weight: factors of the elements."""
    name = reduction_of(reduction, size_average, reduce)
    if target.size() != input.size():
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}) "
            "is deprecated. Please ensure they have the same size."
        )
    return _nn.binary_cross_entropy(input, target, weight, reduction=name)


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """binary_cross_entropy() of sigmoid(input), without overflow; pos_weight: factor of the terms with target."""
    name = reduction_of(reduction, size_average, reduce)
    if target.size() != input.size():
        raise ValueError(f"Target size ({target.size()}) must be the same as input size ({input.size()})")
    return _nn.binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction=name)


def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """target · (log(target) − input), where input holds logarithms; log_target: target does, too.

    reduction: as everywhere, or "batchmean": the sum divided by the size of dimension 0.
    """
    if reduction == "batchmean":
        return _nn.kl_div(input, target, reduction=reduction, log_target=log_target)
    name = reduction_of(reduction, size_average, reduce)
    if name == "mean":
        warnings.warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size. 'batchmean' "
            "divides only by the batch size, and aligns with the KL math definition.",
            stacklevel=2,
        )
    return _nn.kl_div(input, target, reduction=name, log_target=log_target)
