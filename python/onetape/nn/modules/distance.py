"""How far vectors are from each other."""

from __future__ import annotations

from onetape._C import Tensor
from onetape.nn import functional
from onetape.nn.modules.module import Module

__all__ = ["CosineSimilarity", "PairwiseDistance"]


class CosineSimilarity(Module):
    """The cosine of the angle between the vectors along dim; a norm below eps counts as eps."""

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """One number for each pair of vectors."""
        return functional.cosine_similarity(x1, x2, self.dim, self.eps)


class PairwiseDistance(Module):
    """The norm of x1 − x2 + eps along the last dimension; p: of the norm, keepdim: keep the dimension, with size 1."""

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """One number for each pair of vectors."""
        return functional.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)
