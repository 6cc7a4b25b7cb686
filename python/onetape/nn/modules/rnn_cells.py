"""Single steps of recurrent networks."""

from __future__ import annotations

import math
from typing import Any

from onetape import _C
from onetape._C import Tensor
from onetape.nn import init
from onetape.nn.modules.module import Module
from onetape.nn.parameter import Parameter

__all__ = ["GRUCell", "LSTMCell", "RNNCell", "RNNCellBase"]


class RNNCellBase(Module):
    """What recurrent cells share: the weights of input and state, and their biases.

    Parameters start uniformly distributed within ± 1/√hidden_size.
    """

    bias_ih: Parameter | None
    bias_hh: Parameter | None

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool,
        num_chunks: int,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        gates = num_chunks * hidden_size
        self.weight_ih = Parameter(_C.empty((gates, input_size), device=device, dtype=dtype))
        self.weight_hh = Parameter(_C.empty((gates, hidden_size), device=device, dtype=dtype))
        for name in ("bias_ih", "bias_hh"):
            made = Parameter(_C.empty(gates, device=device, dtype=dtype)) if bias else None
            self.register_parameter(name, made)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws all parameters anew."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        if not self.bias:
            text += f", bias={self.bias}"
        nonlinearity = getattr(self, "nonlinearity", "tanh")
        return text if nonlinearity == "tanh" else f"{text}, nonlinearity={nonlinearity}"

    def _check(self, input: Tensor, states: dict[str, Tensor]) -> None:
        for what, tensor in {"input": input, **states}.items():
            if tensor.dim() not in (1, 2):
                raise ValueError(f"{type(self).__name__}: Expected {what} to be 1D or 2D, got {tensor.dim()}D instead")

    def _weights(self) -> tuple[Tensor, Tensor, Tensor | None, Tensor | None]:
        return self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh

    def _one_state(self, input: Tensor, hx: Tensor | None, operator: Any) -> Tensor:
        self._check(input, {} if hx is None else {"hidden": hx})
        batched = input.dim() == 2
        full = input if batched else input.unsqueeze(0)
        if hx is None:
            hx = full.new_zeros((full.size(0), self.hidden_size))
        elif not batched:
            hx = hx.unsqueeze(0)
        result: Tensor = operator(full, hx, *self._weights())
        return result if batched else result.squeeze(0)


class RNNCell(RNNCellBase):
    """A plain recurrent cell: tanh(W x + U h + b), or relu of that."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """The new state, (batch, hidden), from input (batch, features) and the state before, zeros if None."""
        operators = {"tanh": _C.rnn_tanh_cell, "relu": _C.rnn_relu_cell}
        if self.nonlinearity not in operators:
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return self._one_state(input, hx, operators[self.nonlinearity])


class LSTMCell(RNNCellBase):
    """A cell of long short-term memory."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, Tensor]:
        """The new state and cell, (batch, hidden) each, from those before, zeros if None; input: (batch, features)."""
        self._check(input, {} if hx is None else {"hx[0]": hx[0], "hx[1]": hx[1]})
        batched = input.dim() == 2
        full = input if batched else input.unsqueeze(0)
        if hx is None:
            zeros = full.new_zeros((full.size(0), self.hidden_size))
            states = [zeros, zeros]
        else:
            states = [hx[0], hx[1]] if batched else [hx[0].unsqueeze(0), hx[1].unsqueeze(0)]
        hidden, cell = _C.lstm_cell(full, states, *self._weights())
        return (hidden, cell) if batched else (hidden.squeeze(0), cell.squeeze(0))


class GRUCell(RNNCellBase):
    """A gated recurrent unit."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """The new state, (batch, hidden), from input (batch, features) and the state before, zeros if None."""
        return self._one_state(input, hx, _C.gru_cell)
