"""Transformers: layers of attention and of linear maps."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

from onetape import _C
from onetape._C import Tensor
from onetape.nn import _attention, functional, init
from onetape.nn.modules.attention import MultiheadAttention
from onetape.nn.modules.container import ModuleList
from onetape.nn.modules.dropout import Dropout
from onetape.nn.modules.linear import Linear
from onetape.nn.modules.module import Module
from onetape.nn.modules.normalization import LayerNorm

__all__ = [
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
]

Activation = str | Callable[[Tensor], Tensor]


def _activation(activation: Activation) -> Callable[[Tensor], Tensor]:
    if not isinstance(activation, str):
        return activation
    if activation == "relu":
        return functional.relu
    if activation == "gelu":
        return functional.gelu
    raise RuntimeError(f"activation should be relu/gelu, not {activation}")


def _causal_mask(size: int, device: Any = None, dtype: Any = None) -> Tensor:
    return _C.triu(_C.full((size, size), -math.inf, dtype=dtype, device=device), diagonal=1)


def _is_causal(mask: Tensor | None, hint: bool | None, x: Tensor, batch_first: bool) -> bool:
    """The hint; where there is none, whether the mask hides exactly what comes later."""
    if hint is not None or mask is None:
        return bool(hint)
    size = x.size(0) if x.dim() == 2 else x.size(1 if batch_first else 0)
    wanted = _causal_mask(size, dtype=mask.dtype)
    return mask.shape == wanted.shape and bool((mask == wanted).all())


class _Layer(Module):
    """What the layers of encoder and decoder share."""

    linear1: Linear
    linear2: Linear
    dropout: Dropout
    norm_first: bool
    activation: Callable[[Tensor], Tensor]

    def _attended(
        self,
        attention: MultiheadAttention,
        x: Tensor,
        memory: Tensor,
        mask: Tensor | None,
        padding: Tensor | None,
        is_causal: bool,
    ) -> Tensor:
        result: Tensor = attention(
            x, memory, memory, attn_mask=mask, key_padding_mask=padding, need_weights=False, is_causal=is_causal
        )[0]
        return result

    def _mapped(self, x: Tensor) -> Tensor:
        result: Tensor = self.linear2(self.dropout(self.activation(self.linear1(x))))
        return result

    def _with(self, x: Tensor, norm: Module, dropout: Module, part: Callable[[Tensor], Tensor]) -> Tensor:
        """x plus what a part of the layer makes of it, normalised before or afterwards."""
        result: Tensor = x + dropout(part(norm(x))) if self.norm_first else norm(x + dropout(part(x)))
        return result


class TransformerEncoderLayer(_Layer):
    """Attention of a sequence to itself, then two linear maps, each added to what went in and normalised.

    d_model: features. nhead: heads. dim_feedforward: features between the two maps. activation: 'relu', 'gelu' or a
    function. norm_first: whether parts are normalised before, rather than after. Other arguments as those of
    MultiheadAttention.
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = functional.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        kind = {"bias": bias, "device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout, batch_first=batch_first, **kind)
        self.linear1 = Linear(d_model, dim_feedforward, **kind)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, **kind)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, layer_norm_eps, **kind)
        self.norm2 = LayerNorm(d_model, layer_norm_eps, **kind)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.activation = _activation(activation)

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        """A sequence in the shape of src. Masks as those of MultiheadAttention."""
        padding = _attention.canonical_mask(
            src_key_padding_mask, "src_key_padding_mask", src_mask, "src_mask", src.dtype
        )
        mask = _attention.canonical_mask(src_mask, "src_mask", None, "", src.dtype)
        attended = lambda x: self._attended(self.self_attn, x, x, mask, padding, is_causal)  # noqa: E731
        x = self._with(src, self.norm1, self.dropout1, attended)
        return self._with(x, self.norm2, self.dropout2, self._mapped)


class TransformerDecoderLayer(_Layer):
    """Attention of a sequence to itself, then to another, then two linear maps.

    Arguments as those of TransformerEncoderLayer.
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = functional.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        kind = {"bias": bias, "device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout, batch_first=batch_first, **kind)
        self.multihead_attn = MultiheadAttention(d_model, nhead, dropout, batch_first=batch_first, **kind)
        self.linear1 = Linear(d_model, dim_feedforward, **kind)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, **kind)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, layer_norm_eps, **kind)
        self.norm2 = LayerNorm(d_model, layer_norm_eps, **kind)
        self.norm3 = LayerNorm(d_model, layer_norm_eps, **kind)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.dropout3 = Dropout(dropout)
        self.activation = _activation(activation)

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """A sequence in the shape of tgt; memory is what the encoder gave. Masks as those of MultiheadAttention."""

        def to_itself(x: Tensor) -> Tensor:
            return self._attended(self.self_attn, x, x, tgt_mask, tgt_key_padding_mask, tgt_is_causal)

        def to_memory(x: Tensor) -> Tensor:
            padding = memory_key_padding_mask
            return self._attended(self.multihead_attn, x, memory, memory_mask, padding, memory_is_causal)

        x = self._with(tgt, self.norm1, self.dropout1, to_itself)
        x = self._with(x, self.norm2, self.dropout2, to_memory)
        return self._with(x, self.norm3, self.dropout3, self._mapped)


def _copies(layer: Module, count: int) -> ModuleList:
    copies = ModuleList()
    for _ in range(count):  # what is no module is refused at the first one
        copies.append(copy.deepcopy(layer))
    return copies


class TransformerEncoder(Module):
    """Copies of a layer, one after the other, and perhaps a norm. The last two arguments are without effect."""

    def __init__(
        self,
        encoder_layer: Module,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__()
        self.layers = _copies(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm
        self.enable_nested_tensor = enable_nested_tensor
        self.mask_check = mask_check

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:
        """A sequence in the shape of src. is_causal: whether the mask is causal; it is looked at if None."""
        padding = _attention.canonical_mask(src_key_padding_mask, "src_key_padding_mask", mask, "mask", src.dtype)
        mask = _attention.canonical_mask(mask, "mask", None, "", src.dtype)
        causal = _is_causal(mask, is_causal, src, self.layers[0].self_attn.batch_first)
        output = src
        for layer in self.layers:
            output = layer(output, src_mask=mask, is_causal=causal, src_key_padding_mask=padding)
        return output if self.norm is None else self.norm(output)


class TransformerDecoder(Module):
    """Copies of a layer, one after the other, and perhaps a norm."""

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = _copies(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """A sequence in the shape of tgt; memory is what the encoder gave."""
        causal = _is_causal(tgt_mask, tgt_is_causal, tgt, self.layers[0].self_attn.batch_first)
        output = tgt
        for layer in self.layers:
            output = layer(
                output,
                memory,
                tgt_mask=tgt_mask,
                memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=causal,
                memory_is_causal=memory_is_causal,
            )
        return output if self.norm is None else self.norm(output)


class Transformer(Module):
    """Encoder and decoder. Weights start as xavier_uniform_ draws them.

    custom_encoder, custom_decoder: modules in the place of the usual ones. Other arguments as those of
    TransformerEncoderLayer.
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = functional.relu,
        custom_encoder: Any = None,
        custom_decoder: Any = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        kind = {"bias": bias, "device": device, "dtype": dtype}
        sizes = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first)
        if custom_encoder is None:
            layer = TransformerEncoderLayer(*sizes, **kind)
            norm = LayerNorm(d_model, layer_norm_eps, **kind)
            custom_encoder = TransformerEncoder(layer, num_encoder_layers, norm)
        self.encoder = custom_encoder
        if custom_decoder is None:
            decoder_layer = TransformerDecoderLayer(*sizes, **kind)
            norm = LayerNorm(d_model, layer_norm_eps, **kind)
            custom_decoder = TransformerDecoder(decoder_layer, num_decoder_layers, norm)
        self.decoder = custom_decoder
        for parameter in self.parameters():
            if parameter.dim() > 1:
                init.xavier_uniform_(parameter)
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """A sequence in the shape of tgt. Masks as those of MultiheadAttention."""
        batch_dim = 0 if self.batch_first else 1
        if src.dim() == 3 and src.size(batch_dim) != tgt.size(batch_dim):
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.size(-1) != self.d_model or tgt.size(-1) != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal)
        result: Tensor = self.decoder(
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )
        return result

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
        """A mask of numbers, (sz, sz), under which a step sees itself and those before it."""
        return _causal_mask(sz, device, dtype)
