"""Losses that are negative logarithms of likelihoods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from onetape import _C
from onetape._C import Tensor, _nn
from onetape.nn._losses import cross_entropy, reduction_of


def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average: bool | None = None,
    eps: float = 1e-8,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """exp(input) − target · input, or input − target · log(input + eps) unless log_input; reduced.

    full: adds Stirling's approximation of log(target!) for targets above 1.
    """
    return _nn.poisson_nll_loss(input, target, log_input, full, eps, reduction_of(reduction, size_average, reduce))


def gaussian_nll_loss(
    input: Tensor,
    target: Tensor,
    var: Tensor | float,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:
    """(log(var) + (input − target)² / var) / 2, with var at least eps; full: adds log(2π) / 2."""
    if isinstance(var, float):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        var = var * _C.ones_like(input)
    return _nn.gaussian_nll_loss(input, target, var, full, eps, reduction)


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor | Sequence[int],
    target_lengths: Tensor | Sequence[int],
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """Minus the logarithm of the probability of each sequence of labels, over all ways to spread it over the steps.

    log_probs: (steps, samples, classes), as log_softmax() gives them. targets: (samples, longest), or all labels one
    after the other. reduction: "mean" divides each loss by its target's length first.
    """
    lengths = [
        given if isinstance(given, Tensor) else _C.tensor(list(given), dtype=_C.int64)
        for given in (input_lengths, target_lengths)
    ]
    name = reduction_of(reduction, None, None)
    return _nn.ctc_loss(log_probs, targets, lengths[0], lengths[1], blank, name, zero_infinity)


def _check_linear(input: Tensor, weight: Tensor, bias: Tensor | None) -> None:
    if not 1 <= input.dim() <= 2:
        raise RuntimeError(f"expected input with dimensionality 1 or 2, got {input.dim()}")
    if weight.dim() < 2:
        raise RuntimeError(f"expected linear_weight with dimensionality at least 2, got {weight.dim()}")
    if input.size(-1) != weight.size(-1):
        raise RuntimeError(
            "expected equal input and linear_weight last dimensions (in_features), "
            f"got {input.size(-1)} and {weight.size(-1)}, respectively"
        )
    if bias is not None and bias.shape != weight.shape[:-1]:
        raise RuntimeError(f"expected linear_bias shape {tuple(weight.shape[:-1])}, got {tuple(bias.shape)}")
    if weight.dim() > 2 and input.dim() == 1:
        raise RuntimeError(
            f"K-dimensional loss defined by linear_weight shape {tuple(weight.shape)} requires batched input, "
            f"(N, {input.size(-1)}), got unbatched input with shape {tuple(input.shape)}"
        )


def linear_cross_entropy(
    input: Tensor,
    linear_weight: Tensor,
    target: Tensor,
    *,
    linear_bias: Tensor | None = None,
    weight: Tensor | None = None,
    reduction: str = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    options: Any = None,
) -> Tensor:
    """cross_entropy() of input · linear_weightᵀ + linear_bias.

    linear_weight: (classes, …, features). options: how PyTorch saves memory; accepted and without effect.
    """
    _check_linear(input, linear_weight, linear_bias)
    flat = linear_weight.reshape(-1, linear_weight.size(-1))
    bias = None if linear_bias is None else linear_bias.reshape(-1)
    scores = _nn.linear(input, flat, bias).reshape(*input.shape[:-1], *linear_weight.shape[:-1])
    if target.shape == scores.shape and ignore_index is not None:
        raise RuntimeError("ignore_index cannot be specified when target contains probabilities")
    ignored = -100 if ignore_index is None else ignore_index
    return cross_entropy(
        scores, target, weight, ignore_index=ignored, reduction=reduction, label_smoothing=label_smoothing
    )
