"""A softmax whose rare classes are looked at only where they are needed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from onetape import _C
from onetape._C import Tensor
from onetape.nn import functional
from onetape.nn.modules.container import ModuleList, Sequential
from onetape.nn.modules.linear import Linear
from onetape.nn.modules.module import Module

__all__ = ["AdaptiveLogSoftmaxWithLoss"]


class _ASMoutput(NamedTuple):
    output: Tensor
    loss: Tensor


class AdaptiveLogSoftmaxWithLoss(Module):
    """The log-probability of the right class, with classes in the order of how frequent they are.

    cutoffs: where clusters of rarer classes begin. div_value: by how much each cluster's features are fewer.
    Of the clusters, the head knows only how probable each is; what is within is computed for samples that need it.
    """

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        given = list(cutoffs)
        if not given:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        rising = all(low < high for low, high in pairwise(given))
        if not rising or given[0] <= 0 or given[-1] > n_classes - 1 or any(int(c) != c for c in given):
            raise ValueError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where each "
                "value is between 1 and n_classes-1"
            )
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = [*given, n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = given[0]
        self.n_clusters = len(given)
        self.head_size = self.shortlist_size + self.n_clusters
        self.head = Linear(in_features, self.head_size, bias=head_bias, device=device, dtype=dtype)
        self.tail = ModuleList()
        for i, (low, high) in enumerate(pairwise(self.cutoffs)):
            inner = int(in_features // (div_value ** (i + 1)))
            self.tail.append(
                Sequential(
                    Linear(in_features, inner, bias=False, device=device, dtype=dtype),
                    Linear(inner, high - low, bias=False, device=device, dtype=dtype),
                )
            )

    def reset_parameters(self) -> None:
        """Draws all weights anew."""
        self.head.reset_parameters()
        for inner, outer in self.tail:
            inner.reset_parameters()
            outer.reset_parameters()

    @staticmethod
    def _check(input: Tensor, target: Tensor) -> None:
        if target.dim() == 1:
            if input.size(0) != target.size(0):
                raise RuntimeError("Input and target should have the same size in the batch dimension.")
            if input.dim() != 2:
                raise RuntimeError(
                    f"1D target tensor expects 2D input tensors, but found inputs with size {input.size()}"
                )
        elif target.dim() == 0:
            if input.dim() != 1:
                raise RuntimeError(
                    f"0D target tensor expects 1D input tensors, but found inputs with size {input.size()}"
                )
        else:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")

    def forward(self, input_: Tensor, target_: Tensor) -> _ASMoutput:
        """The log-probability of each sample's class, and the mean of their negatives."""
        self._check(input_, target_)
        alone = target_.dim() == 0
        input, target = (input_.unsqueeze(0), target_.unsqueeze(0)) if alone else (input_, target_)
        if not bool(((target >= 0) & (target < self.n_classes)).all()):
            raise RuntimeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range "
                f"[{target.min().item()}, {target.max().item()}] were found. "
            )
        output = input.new_zeros((target.size(0),))
        of_head = target.clone()
        for i, (low, high) in enumerate(pairwise(self.cutoffs)):
            rows = ((target >= low) & (target < high)).nonzero().reshape(-1)
            if rows.numel() == 0:
                continue
            of_head = of_head.index_fill(0, rows, self.shortlist_size + i)
            within = functional.log_softmax(self.tail[i](input.index_select(0, rows)), dim=1)
            own = within.gather(1, (target.index_select(0, rows) - low).unsqueeze(1)).squeeze(1)
            output = output.index_copy(0, rows, own)
        head = functional.log_softmax(self.head(input), dim=1)
        output = output + head.gather(1, of_head.unsqueeze(1)).squeeze(1)
        return _ASMoutput(output.squeeze(0) if alone else output, (-output).mean())

    def log_prob(self, input: Tensor) -> Tensor:
        """The log-probabilities of all classes, (samples, n_classes)."""
        head = functional.log_softmax(self.head(input), dim=1)
        parts = [head[:, : self.shortlist_size]]
        for i in range(self.n_clusters):
            within = functional.log_softmax(self.tail[i](input), dim=1)
            parts.append(within + head[:, self.shortlist_size + i].unsqueeze(1))
        return _C.cat(parts, 1)

    def predict(self, input: Tensor) -> Tensor:
        """The most probable class of each sample."""
        found: Tensor = self.head(input).argmax(1)
        rows = (found >= self.shortlist_size).nonzero().reshape(-1)
        if rows.numel() == 0:
            return found
        return found.index_copy(0, rows, self.log_prob(input.index_select(0, rows)).argmax(1))
