"""Recurrent layers: networks that go through sequences step by step."""

from __future__ import annotations

import math
import numbers
import warnings
from typing import Any, ClassVar

from onetape import _C
from onetape._C import Tensor
from onetape.nn import init
from onetape.nn.modules.module import Module
from onetape.nn.parameter import Parameter
from onetape.nn.utils.rnn import PackedSequence

__all__ = ["GRU", "LSTM", "RNN", "RNNBase"]

_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


def _check_numbers(sizes: dict[str, Any], flags: dict[str, Any], dropout: Any, proj_size: int) -> None:
    number = isinstance(dropout, numbers.Number) and not isinstance(dropout, (bool, complex))
    if not number or not 0 <= dropout <= 1:
        raise ValueError(
            "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
        )
    if dropout > 0 and sizes["num_layers"] == 1:
        warnings.warn(
            "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
            f"num_layers greater than 1, but got dropout={dropout} and num_layers={sizes['num_layers']}",
            stacklevel=4,
        )
    for name, flag in flags.items():
        if not isinstance(flag, bool):
            raise TypeError(f"{name} should be of type bool, got: {type(flag).__name__}")
    for name, size in sizes.items():
        if name != "num_layers" and not isinstance(size, int):
            raise TypeError(f"{name} should be of type int, got: {type(size).__name__}")
        if size <= 0:
            raise ValueError(f"{name} must be greater than zero")
    if proj_size < 0:
        raise ValueError("proj_size should be a positive integer or zero to disable projections")
    if proj_size >= sizes["hidden_size"]:
        raise ValueError("proj_size has to be smaller than hidden_size")


class RNNBase(Module):
    """What recurrent layers share.

    mode: 'LSTM', 'GRU', 'RNN_TANH' or 'RNN_RELU'. input_size, hidden_size: features of input and state. num_layers:
    layers on top of each other. bias: whether sums have one. batch_first: (batch, steps, features) instead of (steps,
    batch, features). dropout: probability with which an element between two layers becomes 0 in training.
    bidirectional: a second network goes backwards, and results stand side by side. proj_size: smaller size to which
    the results of an LSTM are projected.

    Parameters start uniformly distributed within ± 1/√hidden_size.
    """

    _takes_pairs: ClassVar[bool] = False
    """Is the state one of two tensors?"""

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        sizes = {"input_size": input_size, "hidden_size": hidden_size, "num_layers": num_layers}
        _check_numbers(sizes, {"bias": bias, "batch_first": batch_first}, dropout, proj_size)
        if mode not in _GATES:
            raise ValueError("Unrecognized RNN mode: " + mode)
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self._names: list[list[str]] = []
        result = proj_size or hidden_size
        for layer in range(num_layers):
            features = input_size if layer == 0 else result * (2 if bidirectional else 1)
            for suffix in ("", "_reverse") if bidirectional else ("",):
                self._add_parameters(f"l{layer}{suffix}", features, result, device, dtype)
        self.reset_parameters()

    def _add_parameters(self, end: str, features: int, result: int, device: Any, dtype: Any) -> None:
        gates = _GATES[self.mode] * self.hidden_size
        shapes: dict[str, tuple[int, ...]] = {"weight_ih": (gates, features), "weight_hh": (gates, result)}
        if self.bias:
            shapes |= {"bias_ih": (gates,), "bias_hh": (gates,)}
        if self.proj_size:
            shapes["weight_hr"] = (result, self.hidden_size)
        for name, shape in shapes.items():
            self.register_parameter(f"{name}_{end}", Parameter(_C.empty(shape, device=device, dtype=dtype)))
        self._names.append([f"{name}_{end}" for name in shapes])

    def reset_parameters(self) -> None:
        """Draws all parameters anew."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def flatten_parameters(self) -> None:
        """Does nothing: parameters are used where they stand."""

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """The parameters of each layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._names]

    def extra_repr(self) -> str:
        parts = [f"{self.input_size}, {self.hidden_size}"]
        usual = {
            "proj_size": 0,
            "num_layers": 1,
            "bias": True,
            "batch_first": False,
            "dropout": 0,
            "bidirectional": False,
        }
        parts += [f"{name}={getattr(self, name)}" for name, value in usual.items() if getattr(self, name) != value]
        return ", ".join(parts)

    # ---- forward ----

    def _state_shape(self, batch: int, size: int) -> tuple[int, int, int]:
        return (self.num_layers * (2 if self.bidirectional else 1), batch, size)

    def _sizes(self) -> list[int]:
        """Sizes of the tensors of a state."""
        first = self.proj_size or self.hidden_size
        return [first, self.hidden_size] if self._takes_pairs else [first]

    def _check_input(self, input: Tensor, packed: bool) -> None:
        weight = getattr(self, self._names[0][0])
        if input.dtype != weight.dtype:
            raise ValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({weight.dtype}). "
                f"Convert input: input.to({weight.dtype}), or convert model: model.to({input.dtype})"
            )
        dims = 2 if packed else 3
        if input.dim() != dims:
            raise RuntimeError(f"input must have {dims} dimensions, got {input.dim()}")
        if input.size(-1) != self.input_size:
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.size(-1)}"
            )

    def _check_states(self, states: list[Tensor], batch: int) -> None:
        names = ("Expected hidden[0] size {}, got {}", "Expected hidden[1] size {}, got {}")
        texts = names if self._takes_pairs else ("Expected hidden size {}, got {}",)
        for text, state, size in zip(texts, states, self._sizes(), strict=True):
            wanted = self._state_shape(batch, size)
            if tuple(state.shape) != wanted:
                raise RuntimeError(text.format(wanted, list(state.shape)))

    def _batched_states(self, hx: Any, batched: bool) -> list[Tensor]:
        states = [hx[0], hx[1]] if self._takes_pairs else [hx]
        wanted = 3 if batched else 2
        if any(state.dim() != wanted for state in states):
            kind = "batched 3-D" if batched else "unbatched 2-D"
            if self._takes_pairs:
                got = f"({states[0].dim()}-D, {states[1].dim()}-D) tensors"
                raise RuntimeError(f"For {kind} input, hx and cx should also be {wanted}-D but got {got}")
            raise RuntimeError(f"For {kind} input, hx should also be {wanted}-D but got {states[0].dim()}-D tensor")
        return states if batched else [state.unsqueeze(1) for state in states]

    def _run(self, input: Tensor, batch_sizes: Tensor | None, states: list[Tensor]) -> tuple[Tensor, list[Tensor]]:
        operator = getattr(_C, self.mode.lower())
        hx = states if self._takes_pairs else states[0]
        weights = [weight for weights in self.all_weights for weight in weights]
        numbers_given = (self.bias, self.num_layers, self.dropout, self.training, self.bidirectional)
        if batch_sizes is None:
            output, *last = operator(input, hx, weights, *numbers_given, self.batch_first)
        else:
            output, *last = operator(input, batch_sizes, hx, weights, *numbers_given)
        return output, last

    def _answer(self, last: list[Tensor]) -> Any:
        return tuple(last) if self._takes_pairs else last[0]

    def _forward_packed(self, input: PackedSequence, hx: Any) -> tuple[PackedSequence, Any]:
        data, batch_sizes, order, place = input
        batch = int(batch_sizes[0])
        if hx is None:
            states = [data.new_zeros(self._state_shape(batch, size)) for size in self._sizes()]
        else:
            states = [hx[0], hx[1]] if self._takes_pairs else [hx]
            states = states if order is None else [state.index_select(1, order) for state in states]
        self._check_input(data, packed=True)
        self._check_states(states, batch)
        output, last = self._run(data, batch_sizes, states)
        last = last if place is None else [state.index_select(1, place) for state in last]
        return PackedSequence(output, batch_sizes, order, place), self._answer(last)

    def forward(self, input: Any, hx: Any = None) -> tuple[Any, Any]:
        """The results of all steps, and the last state of each layer and direction.

        input: (steps, batch, features), or the batch first; (steps, features) for one sequence; or a PackedSequence.
        hx: the first state, zeros if None: (layers · directions, batch, hidden), a pair of those for an LSTM.
        """
        if isinstance(input, PackedSequence):
            return self._forward_packed(input, hx)
        if input.dim() not in (2, 3):
            name = type(self).__name__
            ending = " tensor" if name == "RNN" else ""
            raise ValueError(f"{name}: Expected input to be 2D or 3D, got {input.dim()}D{ending} instead")
        batched = input.dim() == 3
        batch_dim = 0 if self.batch_first else 1
        full = input if batched else input.unsqueeze(batch_dim)
        batch = full.size(batch_dim)
        if hx is None:
            states = [full.new_zeros(self._state_shape(batch, size)) for size in self._sizes()]
        else:
            states = self._batched_states(hx, batched)
        self._check_input(full, packed=False)
        self._check_states(states, batch)
        output, last = self._run(full, None, states)
        if not batched:
            output = output.squeeze(batch_dim)
            last = [state.squeeze(1) for state in last]
        return output, self._answer(last)


class RNN(RNNBase):
    """Layers of plain cells: the state becomes tanh(W x + U h + b), or relu of that.

    Arguments as those of RNNBase after its mode; nonlinearity: 'tanh' or 'relu'.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: Any = None,
        **others: Any,
    ) -> None:
        if "proj_size" in others:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        if others:
            raise TypeError(f"RNN.__init__() got an unexpected keyword argument '{next(iter(others))}'")
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        mode = "RNN_" + nonlinearity.upper()
        super().__init__(
            mode, input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, 0, device, dtype
        )
        self.nonlinearity = nonlinearity


class LSTM(RNNBase):
    """Layers of long short-term memory; the state is a pair of the hidden state and the cell.

    Arguments as those of RNNBase after its mode.
    """

    _takes_pairs: ClassVar[bool] = True

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)


class GRU(RNNBase):
    """Layers of gated recurrent units. Arguments as those of RNNBase after its mode, but for proj_size."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        super().__init__("GRU", *args, **kwargs)
