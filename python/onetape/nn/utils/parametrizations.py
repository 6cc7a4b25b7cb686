"""The parametrizations that are ready to use."""

from __future__ import annotations

from typing import Any

from onetape import _C
from onetape._C import Tensor
from onetape.autograd import no_grad
from onetape.nn import functional
from onetape.nn.modules.module import Module
from onetape.nn.utils import _orthogonal, parametrize
from onetape.nn.utils._reparam import M, as_matrix, drawn_direction, norm_except, output_dim, scaled

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]


class _WeightNorm(Module):
    """A tensor as lengths (original0) and directions (original1)."""

    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        """The tensor of these lengths and directions."""
        return scaled(weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        """The lengths, and the tensor itself as directions."""
        return norm_except(weight, self.dim), weight


def weight_norm(module: M, name: str = "weight", dim: int | None = 0) -> M:
    """Has a parameter computed as original0 · original1 / ‖original1‖; returns the module.

    dim: what has lengths of its own; None: there is one length. States of the older nn.utils.weight_norm() are taken.
    """
    parametrize.register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def renamed(module: Module, state: dict[str, Any], prefix: str, *rest: Any) -> None:
        for i, older in enumerate(("_g", "_v")):
            if f"{prefix}{name}_g" in state or f"{prefix}{name}_v" in state:
                key = f"{prefix}{name}{older}"
                if key in state:
                    state[f"{prefix}parametrizations.{name}.original{i}"] = state.pop(key)

    module.register_load_state_dict_pre_hook(renamed)
    return module


class _SpectralNorm(Module):
    """A tensor divided by its largest singular value, whose vectors are the buffers _u and _v."""

    _u: Tensor
    _v: Tensor

    def __init__(self, weight: Tensor, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        super().__init__()
        dims = weight.dim()
        if not -dims <= dim < dims:
            raise IndexError(f"Dimension out of range (expected to be in range of [-{dims}, {dims - 1}] but got {dim})")
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.dim = dim % dims
        self.eps = eps
        if dims > 1:
            self.n_power_iterations = n_power_iterations
            matrix = as_matrix(weight.detach(), self.dim)
            self.register_buffer("_u", drawn_direction(weight, matrix.size(0), eps))
            self.register_buffer("_v", drawn_direction(weight, matrix.size(1), eps))
            self._iterate(matrix, 15)

    def _iterate(self, matrix: Tensor, times: int) -> None:
        with no_grad():
            for _ in range(times):
                self._u.copy_(functional.normalize(matrix.mv(self._v), dim=0, eps=self.eps))
                self._v.copy_(functional.normalize(matrix.t().mv(self._u), dim=0, eps=self.eps))

    def forward(self, weight: Tensor) -> Tensor:
        """The tensor divided by its largest singular value; of a vector, by its norm."""
        if weight.dim() == 1:
            return functional.normalize(weight, dim=0, eps=self.eps)
        matrix = as_matrix(weight, self.dim)
        if self.training:
            self._iterate(matrix, self.n_power_iterations)
        # Copies, since a second call before backward changes the buffers.
        return weight / _C.dot(self._u.clone(), matrix.mv(self._v.clone()))

    def right_inverse(self, value: Tensor) -> Tensor:
        """The value itself: it is taken to be divided already."""
        return value


def spectral_norm(
    module: M, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> M:
    """Has a parameter divided by its largest singular value; returns the module.

    The value is found by power iterations, n_power_iterations of them whenever it is computed while training.
    dim: what the rows of the matrix are; None: what the module's results have.
    Raises ValueError for a tensor that there is not.
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    rows = output_dim(module) if dim is None else dim
    parametrize.register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, rows, eps))
    return module


class _Orthogonal(Module):
    """A matrix with orthonormal columns (or rows, if it is wide) from any matrix of its shape."""

    base: Tensor

    def __init__(self, weight: Tensor, orthogonal_map: str, *, use_trivialization: bool = True) -> None:
        super().__init__()
        if weight.is_complex() and orthogonal_map == "householder":
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape = weight.shape
        self.orthogonal_map = orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X: Tensor) -> Tensor:
        """The orthogonal matrix."""
        wide = X.size(-2) < X.size(-1)
        tall = X.mT if wide else X
        if self.orthogonal_map == "householder":
            below = tall.tril(-1)
            tau = 2.0 / (1.0 + (below * below).sum(-2))
            result = _orthogonal.householder_product(below, tau)
            # The diagonal of X is ±1, which is no part of what is trained.
            result = result * tall.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)
        else:
            result = self._rotated(tall)
        if hasattr(self, "base"):
            result = self.base @ result
        return result.mT if wide else result

    def _rotated(self, tall: Tensor) -> Tensor:
        """The first columns of what the map makes of a skew-symmetric matrix."""
        rows, columns = tall.shape[-2:]
        lower = tall.tril()
        if rows != columns:
            lower = _C.cat([lower, lower.new_zeros(*lower.shape[:-1], rows - columns)], -1)
        skew = lower - lower.mH
        whole = (_orthogonal.matrix_exp if self.orthogonal_map == "matrix_exp" else _orthogonal.cayley)(skew)
        return whole.narrow(-1, 0, columns)

    @no_grad()
    def right_inverse(self, Q: Tensor) -> Tensor:
        """What the matrix is made of; one that is not orthogonal is made so first."""
        if Q.shape != self.shape:
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape {Q.shape}."
            )
        wide = Q.size(-2) < Q.size(-1)
        tall = Q.mT if wide else Q
        if not hasattr(self, "base"):
            if self.orthogonal_map != "householder":
                raise NotImplementedError(
                    "It is not possible to assign to the matrix exponential or the Cayley parametrizations when "
                    "use_trivialization=False."
                )
            made = _orthogonal.reflectors_of(tall)
            return made.mT if wide else made
        rows, columns = tall.shape[-2:]
        if rows != columns:
            more = _C.randn((*tall.shape[:-2], rows, rows - columns), dtype=tall.dtype)
            tall = _orthogonal.orthonormal_columns(_C.cat([tall, more], -1))
        elif _orthogonal.is_orthogonal(tall):
            tall = tall.clone()
        else:
            tall = _orthogonal.orthonormal_columns(tall)
        self.base = tall
        # Of no rotation the base is left; the diagonal is what the reflections need.
        negative = _C.zeros_like(Q)
        negative.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
        return negative


def orthogonal(
    module: M, name: str = "weight", orthogonal_map: str | None = None, *, use_trivialization: bool = True
) -> M:
    """Has a matrix, or each of a stack, be one with orthonormal columns, or rows if it is wide; returns the module.

    orthogonal_map: "matrix_exp" or "cayley", the matrix exponential or the Cayley map of a skew-symmetric matrix, or
    "householder", a product of reflections; None: matrix_exp for square and complex matrices, else householder.
    use_trivialization: keeps an orthogonal matrix, the buffer base, that the result is a rotation of.
    Raises ValueError for a tensor that there is not or that is no matrix, and for an unknown map.
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if weight.ndim < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    if orthogonal_map is None:
        square = weight.size(-2) == weight.size(-1)
        orthogonal_map = "matrix_exp" if square or weight.is_complex() else "householder"
    if orthogonal_map not in ("matrix_exp", "cayley", "householder"):
        raise ValueError(
            f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {orthogonal_map}'
        )
    made = _Orthogonal(weight, orthogonal_map, use_trivialization=use_trivialization)
    parametrize.register_parametrization(module, name, made, unsafe=True)
    return module
