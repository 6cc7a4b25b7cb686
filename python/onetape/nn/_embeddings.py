"""Rows of tables, looked up by numbers."""

from __future__ import annotations

from onetape import _C
from onetape._C import Tensor, _nn
from onetape.autograd import no_grad


def row_of(index: int | None, rows: int) -> int | None:
    """The number of a row that may be counted from the end."""
    if index is None:
        return None
    if not -rows <= index < rows:
        raise AssertionError("Padding_idx must be within num_embeddings")
    return index + rows if index < 0 else index


def _shorten(weight: Tensor, rows: Tensor, max_norm: float, norm_type: float) -> None:
    """Scales the given rows of weight, in place, to at most this norm."""
    with no_grad():
        used = rows.reshape(-1)
        vectors = weight[used]
        norms = vectors.norm(norm_type, dim=1, keepdim=True)
        scale = _C.where(norms > max_norm, max_norm / (norms + 1e-7), _C.ones_like(norms))
        weight[used] = vectors * scale


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """The rows of weight that the numbers in input name.

    padding_idx: a row that gets no gradient. max_norm: longer rows are shortened to this, in place, first.
    """
    padding = row_of(padding_idx, weight.size(0))
    if max_norm is not None:
        _shorten(weight, input, max_norm, norm_type)
    return _C.embedding(weight, input, -1 if padding is None else padding, scale_grad_by_freq, sparse)


def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """The sum, mean or maximum of the rows of weight that each bag of numbers names.

    input: (bags, size of each), or all numbers one after the other; then offsets says where each bag begins.
    padding_idx: a number that counts as not there. max_norm: longer rows are shortened to this, in place, first.
    sparse: accepted and without effect: gradients are dense.
    """
    if max_norm is not None:
        _shorten(weight, input, max_norm, norm_type)
    return _nn.embedding_bag(
        input,
        weight,
        offsets,
        mode=mode,
        scale_grad_by_freq=scale_grad_by_freq,
        per_sample_weights=per_sample_weights,
        include_last_offset=include_last_offset,
        padding_idx=padding_idx,
    )
