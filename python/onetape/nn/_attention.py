"""Attention of several heads, as onetape.nn.functional has it."""

from __future__ import annotations

import math
import warnings
from typing import Any

from onetape import _C
from onetape._C import Tensor, _nn


def _require(condition: bool, text: str) -> None:
    if not condition:
        raise AssertionError(text)


def canonical_mask(mask: Tensor | None, name: str, other: Tensor | None, other_name: str, dtype: Any) -> Tensor | None:
    """A mask as numbers to be added: −inf where a bool mask is True. `other` should have the same dtype."""
    if mask is None:
        return None
    is_float = mask.is_floating_point()
    _require(is_float or mask.dtype == _C.bool, f"only bool and floating types of {name} are supported")
    if other is not None and other.dtype != mask.dtype:
        warnings.warn(
            f"Support for mismatched {name} and {other_name} is deprecated. Use same type for both instead.",
            stacklevel=3,
        )
    return mask if is_float else _C.zeros_like(mask, dtype=dtype).masked_fill_(mask, -math.inf)


def _check_dims(query: Tensor, key: Tensor, value: Tensor, padding: Tensor | None, mask: Tensor | None) -> bool:
    """Whether there is a batch."""
    if query.dim() not in (2, 3):
        text = f"query should be unbatched 2D or batched 3D tensor but received {query.dim()}-D query tensor"
        raise AssertionError(text)
    batched = query.dim() == 3
    dims = query.dim()
    kind = f"For {'batched' if batched else 'unbatched'} ({dims}-D) `query`, expected"
    _require(
        key.dim() == dims and value.dim() == dims,
        f"{kind} `key` and `value` to be {dims}-D but found {key.dim()}-D and {value.dim()}-D tensors respectively",
    )
    if padding is not None:
        wanted = f"{kind} `key_padding_mask` to be `None` or {dims - 1}-D"
        _require(padding.dim() == dims - 1, f"{wanted} but found {padding.dim()}-D tensor instead")
    if mask is not None:
        wanted = f"{kind} `attn_mask` to be `None`, 2-D or 3-D"
        _require(mask.dim() in (2, 3), f"{wanted} but found {mask.dim()}-D tensor instead")
    return batched


def _checked_mask(mask: Tensor, batch: int, heads: int, targets: int, sources: int) -> Tensor:
    """A mask for every head: (1 or batch, 1 or heads, targets, sources)."""
    dims = mask.dim()
    wanted = (targets, sources) if dims == 2 else (batch * heads, targets, sources)
    if tuple(mask.shape) != wanted:
        raise RuntimeError(f"The shape of the {dims}D attn_mask is {mask.shape}, but should be {wanted}.")
    return mask[None, None] if dims == 2 else mask.reshape(batch, heads, targets, sources)


def _projected(
    inputs: tuple[Tensor, Tensor, Tensor], weights: tuple[Tensor, Tensor, Tensor] | Tensor, bias: Tensor | None
) -> list[Tensor]:
    """Query, key and value after their linear maps; one product where they are one tensor."""
    query, key, value = inputs
    if isinstance(weights, Tensor):
        size = query.size(-1)
        if query is key and key is value:
            return list(_nn.linear(query, weights, bias).chunk(3, -1))
        if key is value:
            of_bias = (None, None) if bias is None else tuple(bias.split([size, 2 * size]))
            of_query, of_pair = weights.split([size, 2 * size])
            pair = _nn.linear(key, of_pair, of_bias[1]).chunk(2, -1)
            return [_nn.linear(query, of_query, of_bias[0]), *pair]
        weights = (weights[:size], weights[size : 2 * size], weights[2 * size :])
    biases = (None, None, None) if bias is None else bias.chunk(3)
    return [_nn.linear(x, w, b) for x, w, b in zip(inputs, weights, biases, strict=True)]


def _with_one_more(mask: Tensor | None) -> Tensor | None:
    """A mask for one more key, that is seen."""
    return None if mask is None else _nn.pad(mask, (0, 1))


def _weighted(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, dropout_p: float) -> tuple[Tensor, Tensor]:
    """Attention with its weights kept."""
    scores = _C.matmul(q * math.sqrt(1.0 / q.size(-1)), k.transpose(-2, -1))
    weights = _C.softmax(scores if mask is None else mask + scores, -1)
    if dropout_p > 0.0:
        weights = _C.dropout(weights, dropout_p, True)
    return _C.matmul(weights, v), weights


def attend(
    inputs: tuple[Tensor, Tensor, Tensor],
    embed_dim: int,
    num_heads: int,
    in_weights: tuple[Tensor, Tensor, Tensor] | Tensor,
    in_bias: Tensor | None,
    biases: tuple[Tensor | None, Tensor | None],
    add_zero_attn: bool,
    dropout_p: float,
    out_weight: Tensor,
    out_bias: Tensor | None,
    key_padding_mask: Tensor | None,
    need_weights: bool,
    attn_mask: Tensor | None,
    static: tuple[Tensor | None, Tensor | None],
    average_attn_weights: bool,
    is_causal: bool,
    batch_first: bool,
) -> tuple[Tensor, Tensor | None]:
    """What multi_head_attention_forward and MultiheadAttention do, for either order of steps and batch."""
    query, key, value = inputs
    batched = _check_dims(query, key, value, key_padding_mask, attn_mask)
    if not batched and attn_mask is not None and attn_mask.dim() == 3:
        wanted = (num_heads, query.shape[0], key.shape[0])
        text = f"Expected `attn_mask` shape to be {wanted} but got {attn_mask.shape}"
        _require(tuple(attn_mask.shape) == wanted, text)
    batch_dim = 0 if batch_first and batched else 1
    if not batched:
        same = query is key and key is value
        query = query.unsqueeze(1)
        key, value = (query, query) if same else (key.unsqueeze(1), value.unsqueeze(1))
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    step_dim = 1 - batch_dim
    batch, targets, sources = query.size(batch_dim), query.size(step_dim), key.size(step_dim)
    padding = canonical_mask(key_padding_mask, "key_padding_mask", attn_mask, "attn_mask", query.dtype)
    if is_causal and attn_mask is None:
        raise RuntimeError(
            "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
            "`generate_square_subsequent_mask` to create this mask."
        )
    is_causal = is_causal and padding is None and not need_weights
    mask = None if is_causal else canonical_mask(attn_mask, "attn_mask", None, "", query.dtype)
    size = query.size(-1)
    _require(size == embed_dim, f"was expecting embedding dimension of {embed_dim}, but got {size}")
    head_dim = embed_dim // num_heads
    _require(head_dim * num_heads == embed_dim, f"embed_dim {embed_dim} not divisible by num_heads {num_heads}")
    if isinstance(in_weights, Tensor):
        _require(key.shape == value.shape, f"key shape {key.shape} does not match value shape {value.shape}")
    else:
        of_key, of_value = key.shape[:2], value.shape[:2]
        text = f"key's sequence and batch dims {of_key} do not match value's {of_value}"
        _require(of_key == of_value, text)
    q, k, v = _projected((query, key, value), in_weights, in_bias)
    if mask is not None:
        mask = _checked_mask(mask, batch, num_heads, targets, sources)

    bias_k, bias_v = biases
    if bias_k is not None and bias_v is not None:
        _require(static[0] is None, "bias cannot be added to static key.")
        _require(static[1] is None, "bias cannot be added to static value.")
        shape = (batch, 1, embed_dim) if batch_dim == 0 else (1, batch, embed_dim)
        k = _C.cat([k, bias_k.expand(shape)], step_dim)
        v = _C.cat([v, bias_v.expand(shape)], step_dim)
        mask, padding = _with_one_more(mask), _with_one_more(padding)
    else:
        _require(bias_k is None, "bias_k is set but bias_v is None")
        _require(bias_v is None, "bias_v is set but bias_k is None")

    def in_heads(x: Tensor, given: Tensor | None, name: str) -> Tensor:
        """(batch, heads, steps, size of a head)"""
        if given is None:
            return x.unflatten(-1, (num_heads, head_dim)).permute(batch_dim, 2, step_dim, 3)
        for dim, wanted in ((0, batch * num_heads), (2, head_dim)):
            text = f"expecting {name}.size({dim}) of {wanted}, but got {given.size(dim)}"
            _require(given.size(dim) == wanted, text)
        return given.reshape(batch, num_heads, given.size(1), head_dim)

    q = in_heads(q, None, "")
    k = in_heads(k, static[0], "static_k")
    v = in_heads(v, static[1], "static_v")
    if add_zero_attn:
        zero = k.new_zeros((batch, num_heads, 1, head_dim))
        k, v = _C.cat([k, zero], 2), _C.cat([v, zero], 2)
        mask, padding = _with_one_more(mask), _with_one_more(padding)
    sources = k.size(2)
    if padding is not None:
        for dim, length in ((0, batch), (1, sources)):
            text = f"Expected key_padded_mask.shape[{dim}] to be {length}, but got {padding.shape[dim]}"
            _require(padding.shape[dim] == length, text)
        padding = padding.reshape(batch, 1, 1, sources)
        mask = padding if mask is None else mask + padding

    weights: Tensor | None = None
    if need_weights:
        result, weights = _weighted(q, k, v, mask, dropout_p)
        weights = weights.mean(1) if average_attn_weights else weights
    else:
        result = _nn.scaled_dot_product_attention(q, k, v, mask, dropout_p, is_causal)
    order = (0, 2, 1, 3) if batch_dim == 0 else (2, 0, 1, 3)
    joined = result.permute(order).reshape(-1, embed_dim)
    output = _nn.linear(joined, out_weight, out_bias).reshape(*query.shape[:2], -1)
    if not batched:
        output = output.squeeze(1)
        weights = None if weights is None else weights.squeeze(0)
    return output, weights


def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Tensor | None,
    training: bool = True,
    key_padding_mask: Tensor | None = None,
    need_weights: bool = True,
    attn_mask: Tensor | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Tensor | None = None,
    k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None,
    static_v: Tensor | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """Attention of several heads: the result, and its weights if they are wanted.

    query, key, value: (steps, batch, features), or (steps, features) for one sequence. key_padding_mask: (batch,
    steps of key), True where a key is not to be seen. attn_mask: (steps of query, steps of key), or one a head. Masks
    of numbers are added to the scores.
    """
    weights: Any
    if use_separate_proj_weight:
        given = {"q_proj_weight": q_proj_weight, "k_proj_weight": k_proj_weight, "v_proj_weight": v_proj_weight}
        for name, weight in given.items():
            _require(weight is not None, f"use_separate_proj_weight is True but {name} is None")
        weights = (q_proj_weight, k_proj_weight, v_proj_weight)
    else:
        _require(in_proj_weight is not None, "use_separate_proj_weight is False but in_proj_weight is None")
        weights = in_proj_weight
    return attend(
        (query, key, value),
        embed_dim_to_check,
        num_heads,
        weights,
        in_proj_bias,
        (bias_k, bias_v),
        add_zero_attn,
        dropout_p if training else 0.0,
        out_proj_weight,
        out_proj_bias,
        key_padding_mask,
        need_weights,
        attn_mask,
        (static_k, static_v),
        average_attn_weights,
        is_causal,
        False,
    )
