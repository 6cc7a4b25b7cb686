"""Weights divided by their largest singular value: the older form, by a hook."""

from __future__ import annotations

from typing import Any

from onetape import _C
from onetape._C import Tensor
from onetape.autograd import no_grad
from onetape.nn import functional
from onetape.nn.modules.module import Module
from onetape.nn.parameter import Parameter, is_lazy
from onetape.nn.utils._reparam import M, as_matrix, drawn_direction, found_hook, output_dim

__all__ = ["SpectralNorm", "remove_spectral_norm", "spectral_norm"]


class SpectralNorm:
    """The hook that computes a parameter from name_orig; name_u and name_v are its first singular vectors."""

    def __init__(self, name: str = "weight", n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.name = name
        self.n_power_iterations = n_power_iterations
        self.dim = dim
        self.eps = eps

    def compute_weight(self, module: Module, do_power_iteration: bool) -> Tensor:
        """The parameter as it is now; do_power_iteration: brings the vectors nearer to the singular ones first."""
        weight = getattr(module, f"{self.name}_orig")
        u, v = getattr(module, f"{self.name}_u"), getattr(module, f"{self.name}_v")
        matrix = as_matrix(weight, self.dim)
        if do_power_iteration:
            with no_grad():
                for _ in range(self.n_power_iterations):
                    v.copy_(functional.normalize(matrix.t().mv(u), dim=0, eps=self.eps))
                    u.copy_(functional.normalize(matrix.mv(v), dim=0, eps=self.eps))
                # Copies, since a second call before backward changes the buffers.
                u, v = u.clone(), v.clone()
        divided: Tensor = weight / _C.dot(u, matrix.mv(v))
        return divided

    def remove(self, module: Module) -> None:
        """Makes what is computed a parameter again."""
        with no_grad():
            weight = self.compute_weight(module, do_power_iteration=False)
        for suffix in ("", "_u", "_v", "_orig"):
            delattr(module, self.name + suffix)
        module.register_parameter(self.name, Parameter(weight))

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module, do_power_iteration=module.training))


def spectral_norm(
    module: M, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> M:
    """Has a parameter divided by its largest singular value, before each call of the module; returns the module.

    The value is found by power iterations, n_power_iterations of them in each call while training. dim: what the rows
    of the matrix are; None: what the module's results have. parametrizations.spectral_norm() is the newer form.
    Raises RuntimeError for a parameter that has it already, and ValueError for one that is None.
    """
    if found_hook(module, SpectralNorm, name):
        raise RuntimeError(f"Cannot register two spectral_norm hooks on the same parameter {name}")
    hook = SpectralNorm(name, n_power_iterations, output_dim(module) if dim is None else dim, eps)
    weight = module._parameters[name]
    if weight is None:
        raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
    if is_lazy(weight):
        raise ValueError(
            "The module passed to `SpectralNorm` can't have uninitialized parameters. "
            "Make sure to run the dummy forward before applying spectral normalization"
        )
    with no_grad():
        height, width = as_matrix(weight, hook.dim).shape
        u, v = drawn_direction(weight, height, eps), drawn_direction(weight, width, eps)
    delattr(module, name)
    module.register_parameter(f"{name}_orig", weight)
    setattr(module, name, weight.data)
    module.register_buffer(f"{name}_u", u)
    module.register_buffer(f"{name}_v", v)
    module.register_forward_pre_hook(hook)
    return module


def remove_spectral_norm(module: M, name: str = "weight") -> M:
    """Takes spectral_norm() away: what it computes becomes a parameter; ValueError where there is none."""
    found = found_hook(module, SpectralNorm, name)
    if found is None:
        raise ValueError(f"spectral_norm of '{name}' not found in {module}")
    found[1].remove(module)
    del module._forward_pre_hooks[found[0]]
    return module
