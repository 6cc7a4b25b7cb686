"""Attention of several heads."""

from __future__ import annotations

from typing import Any

from onetape import _C
from onetape._C import Tensor
from onetape.nn import _attention, init
from onetape.nn.modules.linear import Linear
from onetape.nn.modules.module import Module
from onetape.nn.parameter import Parameter

__all__ = ["MultiheadAttention"]


class NonDynamicallyQuantizableLinear(Linear):
    """A linear layer under the name that PyTorch prints for the last map of attention."""


class MultiheadAttention(Module):
    """Attention of several heads, each over its share of the features.

    embed_dim: features of query and result, a multiple of num_heads. dropout: of the weights, in training. bias:
    whether the linear maps have one. add_bias_kv: one more key and value, which are parameters. add_zero_attn: one
    more key and value of zeros. kdim, vdim: features of key and value, embed_dim if None. batch_first: (batch, steps,
    features) instead of (steps, batch, features).
    """

    in_proj_weight: Parameter | None
    in_proj_bias: Parameter | None
    bias_k: Parameter | None
    bias_v: Parameter | None

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and "
                f"num_heads={num_heads} instead"
            )
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")

        def parameter(wanted: bool, *shape: int) -> Parameter | None:
            return Parameter(_C.empty(shape, device=device, dtype=dtype)) if wanted else None

        shared = self._qkv_same_embed_dim
        separate = {"q_proj_weight": embed_dim, "k_proj_weight": self.kdim, "v_proj_weight": self.vdim}
        if shared:
            self.register_parameter("in_proj_weight", parameter(True, 3 * embed_dim, embed_dim))
        for name, size in separate.items():
            self.register_parameter(name, parameter(not shared, embed_dim, size))
        if not shared:
            self.register_parameter("in_proj_weight", None)
        self.register_parameter("in_proj_bias", parameter(bias, 3 * embed_dim))
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, device=device, dtype=dtype)
        self.register_parameter("bias_k", parameter(add_bias_kv, 1, 1, embed_dim))
        self.register_parameter("bias_v", parameter(add_bias_kv, 1, 1, embed_dim))
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        for name in ("in_proj_weight", "q_proj_weight", "k_proj_weight", "v_proj_weight"):
            weight = getattr(self, name)
            if weight is not None:
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                init.xavier_normal_(bias)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """The result, and the weights if they are wanted: averaged over the heads, or one set a head.

        query, key, value: (steps, batch, features), or the batch first; (steps, features) for one sequence.
        key_padding_mask: (batch, steps of key), True where a key is not to be seen. attn_mask: (steps of query, steps
        of key), or one a sequence and head, True where a query is not to see a key. Masks of numbers are added to the
        scores. is_causal: says that attn_mask is causal; without weights or padding it then need not be read.
        """
        weights: Any = self.in_proj_weight
        if not self._qkv_same_embed_dim:
            weights = (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
        return _attention.attend(
            (query, key, value),
            self.embed_dim,
            self.num_heads,
            weights,
            self.in_proj_bias,
            (self.bias_k, self.bias_v),
            self.add_zero_attn,
            self.dropout if self.training else 0.0,
            self.out_proj.weight,
            self.out_proj.bias,
            key_padding_mask,
            need_weights,
            attn_mask,
            (None, None),
            average_attn_weights,
            is_causal,
            self.batch_first,
        )
