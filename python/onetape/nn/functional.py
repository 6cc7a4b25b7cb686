"""The functions behind the modules of onetape.nn, with PyTorch's names and arguments."""

from __future__ import annotations

from collections.abc import Sequence

from onetape import _C
from onetape._C import Tensor, _nn
from onetape._C._nn import (
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    bilinear,
    conv1d,
    conv2d,
    conv3d,
    conv_transpose1d,
    conv_transpose2d,
    conv_transpose3d,
    cosine_similarity,
    gelu,
    group_norm,
    linear,
    normalize,
    one_hot,
    pad,
    scaled_dot_product_attention,
)
from onetape.autograd import no_grad
from onetape.nn._activations import (
    celu,
    elu,
    glu,
    hardsigmoid,
    hardswish,
    hardtanh,
    leaky_relu,
    leaky_relu_,
    log_softmax,
    logsigmoid,
    mish,
    prelu,
    relu,
    relu6,
    relu_,
    selu,
    sigmoid,
    silu,
    softmax,
    softmin,
    softplus,
    softsign,
    tanh,
    tanhshrink,
    threshold,
)
from onetape.nn._attention import multi_head_attention_forward
from onetape.nn._losses import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cross_entropy,
    huber_loss,
    kl_div,
    l1_loss,
    mse_loss,
    nll_loss,
    smooth_l1_loss,
)
from onetape.nn._resampling import interpolate, upsample, upsample_bilinear, upsample_nearest
from onetape.nn._spatial import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    adaptive_max_pool1d,
    adaptive_max_pool2d,
    adaptive_max_pool3d,
    fold,
    instance_norm,
    lp_pool1d,
    lp_pool2d,
    lp_pool3d,
    max_pool1d,
    max_pool1d_with_indices,
    max_pool2d,
    max_pool2d_with_indices,
    max_pool3d,
    max_pool3d_with_indices,
    max_unpool1d,
    max_unpool2d,
    max_unpool3d,
    unfold,
)

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "adaptive_max_pool3d",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "batch_norm",
    "bilinear",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "celu",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "cosine_similarity",
    "cross_entropy",
    "dropout",
    "elu",
    "embedding",
    "fold",
    "gelu",
    "glu",
    "group_norm",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "huber_loss",
    "instance_norm",
    "interpolate",
    "kl_div",
    "l1_loss",
    "layer_norm",
    "leaky_relu",
    "leaky_relu_",
    "linear",
    "log_softmax",
    "logsigmoid",
    "lp_pool1d",
    "lp_pool2d",
    "lp_pool3d",
    "max_pool1d",
    "max_pool1d_with_indices",
    "max_pool2d",
    "max_pool2d_with_indices",
    "max_pool3d",
    "max_pool3d_with_indices",
    "max_unpool1d",
    "max_unpool2d",
    "max_unpool3d",
    "mish",
    "mse_loss",
    "multi_head_attention_forward",
    "nll_loss",
    "normalize",
    "one_hot",
    "pad",
    "prelu",
    "relu",
    "relu6",
    "relu_",
    "rms_norm",
    "scaled_dot_product_attention",
    "selu",
    "sigmoid",
    "silu",
    "smooth_l1_loss",
    "softmax",
    "softmin",
    "softplus",
    "softsign",
    "tanh",
    "tanhshrink",
    "threshold",
    "unfold",
    "upsample",
    "upsample_bilinear",
    "upsample_nearest",
]


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeros with probability p, the other elements scaled by 1 / (1 − p); input itself unless training."""
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    result = _C.dropout(input, p, training)
    return input.copy_(result) if inplace and training else result


def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """(input − mean) / √(variance + eps) · weight + bias, with mean and variance of the last dimensions."""
    return _nn.layer_norm(input, normalized_shape, weight, bias, eps)


def rms_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None, eps: float | None = None
) -> Tensor:
    """input / √(mean of input² + eps) · weight, with the mean over the last dimensions."""
    return _nn.rms_norm(input, normalized_shape, weight, eps)


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Each channel (dimension 1) brought to mean 0 and variance 1 over the batch, then · weight + bias.

    training: uses the statistics of input and mixes them, with the share momentum, into the running ones.
    """
    return _nn.batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)


def _row(index: int | None, rows: int) -> int | None:
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
    padding = _row(padding_idx, weight.size(0))
    if max_norm is not None:
        _shorten(weight, input, max_norm, norm_type)
    return _C.embedding(weight, input, -1 if padding is None else padding, scale_grad_by_freq, sparse)
