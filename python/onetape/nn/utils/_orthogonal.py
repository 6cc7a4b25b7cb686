"""Matrices with orthonormal columns, made of products of matrices alone, and so differentiable to any order."""

from __future__ import annotations

import math

from onetape import _C
from onetape._C import Tensor
from onetape._numeric import finfo
from onetape.autograd import no_grad

TERMS = 18
"""Of the exponential's series, for a matrix of norm 1/2: what is left out is less than the last digit of float64."""


def identity(size: int, like: Tensor) -> Tensor:
    return _C.eye(size, dtype=like.dtype)


def matrix_exp(matrix: Tensor) -> Tensor:
    """The exponential: that of a small part of the matrix, by its series, squared again and again."""
    norm = float(matrix.detach().abs().sum(-2).max()) if matrix.numel() else 0.0
    halvings = max(0, math.frexp(norm)[1] + 1) if norm > 0 and math.isfinite(norm) else 0
    small = matrix * 0.5**halvings
    unit = identity(matrix.size(-1), matrix)
    result = unit + small / TERMS
    for term in range(TERMS - 1, 0, -1):
        result = unit + (small / term) @ result
    for _ in range(halvings):
        result = result @ result
    return result


def inverse(matrix: Tensor) -> Tensor:
    """The inverse by quarters, of a matrix whose leading parts all have one."""
    size = matrix.size(-1)
    if size <= 1:
        return matrix.reciprocal()
    half = size // 2
    above, below = matrix.narrow(-2, 0, half), matrix.narrow(-2, half, size - half)
    a, b = above.narrow(-1, 0, half), above.narrow(-1, half, size - half)
    c, d = below.narrow(-1, 0, half), below.narrow(-1, half, size - half)
    first = inverse(a)
    left, right = c @ first, first @ b
    last = inverse(d - c @ right)
    lower, upper = last @ left, right @ last
    top = _C.cat([first + upper @ left, -upper], -1)
    return _C.cat([top, _C.cat([-lower, last], -1)], -2)


def cayley(matrix: Tensor) -> Tensor:
    """(I + A/2)(I − A/2)⁻¹, of a skew-symmetric or skew-hermitian matrix."""
    unit = identity(matrix.size(-1), matrix)
    return inverse(unit - matrix / 2) @ (unit + matrix / 2)


def householder_product(reflectors: Tensor, tau: Tensor) -> Tensor:
    """The first columns of the product of I − tau·v·vᵀ, where v are the columns below the diagonal, with 1 on it.

    The product is I − V·T·Vᵀ, and the inverse of T is upper triangular: the products of the columns above 1/tau.
    """
    rows, columns = reflectors.shape[-2:]
    unit = _C.eye(rows, columns, dtype=reflectors.dtype)
    v = reflectors.tril(-1) + unit
    gram = v.mT @ v
    weights = inverse(gram.triu(1) + _C.diag_embed(tau.reciprocal()))
    return unit - v @ (weights @ v.narrow(-2, 0, columns).mT)


def is_orthogonal(matrix: Tensor) -> bool:
    """Whether the columns are orthonormal, but for rounding."""
    product = matrix.mH @ matrix
    close = 10.0 * matrix.size(-2) * finfo(matrix.dtype).eps
    return bool(_C.allclose(product, identity(matrix.size(-1), matrix), atol=close))


def orthonormal_columns(matrix: Tensor) -> Tensor:
    """Gram and Schmidt's columns, each cleaned of the earlier ones twice so that rounding leaves nothing."""
    columns: list[Tensor] = []
    with no_grad():
        for j in range(matrix.size(-1)):
            column = matrix.narrow(-1, j, 1)
            if columns:
                before = _C.cat(columns, -1)
                for _ in range(2):
                    column = column - before @ (before.mH @ column)
            columns.append(column / column.norm(2, -2, keepdim=True))
        return _C.cat(columns, -1)


def reflectors_of(matrix: Tensor) -> Tensor:
    """What householder_product() makes a matrix of, and on the diagonal the signs of its columns."""
    left = matrix.clone()
    size = matrix.size(-1)
    with no_grad():
        for j in range(size):
            column = left.select(-1, j).narrow(-1, j, left.size(-2) - j)
            head, rest = column.narrow(-1, 0, 1), column.narrow(-1, 1, column.size(-1) - 1)
            length = (rest * rest).sum(-1, keepdim=True)
            there = length > 0
            positive = head >= 0
            norm = (head * head + length).sqrt()
            beta = _C.where(there, _C.where(positive, -norm, norm), head)
            tau = _C.where(there, (beta - head) / beta, 0.0)
            below = _C.where(there, rest / _C.where(there, head - beta, 1.0), 0.0)
            v = _C.cat([_C.ones_like(head), below], -1).unsqueeze(-1)
            part = left.narrow(-2, j, left.size(-2) - j).narrow(-1, j, size - j)
            part.sub_(tau.unsqueeze(-1) * (v @ (v.mT @ part)))
            column.copy_(_C.cat([_C.where(tau == 0, -beta.sign(), beta.sign()), below], -1))
    return left
