"""Weights as lengths and directions: the older form, by a hook."""

from __future__ import annotations

import warnings
from typing import Any

from onetape._C import Tensor
from onetape.nn.modules.module import Module
from onetape.nn.parameter import Parameter, is_lazy
from onetape.nn.utils._reparam import M, found_hook, norm_except, scaled

__all__ = ["WeightNorm", "remove_weight_norm", "weight_norm"]


class WeightNorm:
    """The hook that computes a parameter from name_g, its lengths, and name_v, its directions."""

    def __init__(self, name: str, dim: int | None) -> None:
        self.name = name
        self.dim = -1 if dim is None else dim

    def compute_weight(self, module: Module) -> Tensor:
        """The parameter as it is now."""
        return scaled(getattr(module, f"{self.name}_v"), getattr(module, f"{self.name}_g"), self.dim)

    def remove(self, module: Module) -> None:
        """Makes what is computed a parameter again."""
        weight = self.compute_weight(module)
        delattr(module, self.name)
        delattr(module, f"{self.name}_g")
        delattr(module, f"{self.name}_v")
        setattr(module, self.name, Parameter(weight.detach()))

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module))


def weight_norm(module: M, name: str = "weight", dim: int | None = 0) -> M:
    """Has a parameter computed as name_g · name_v / ‖name_v‖, before each call of the module; returns the module.

    dim: what has lengths of its own; None: there is one length. parametrizations.weight_norm() is the newer form.
    Raises RuntimeError for a parameter that has it already.
    """
    warnings.warn(
        "`torch.nn.utils.weight_norm` is deprecated in favor of `torch.nn.utils.parametrizations.weight_norm`.",
        FutureWarning,
        stacklevel=2,
    )
    if found_hook(module, WeightNorm, name):
        raise RuntimeError(f"Cannot register two weight_norm hooks on the same parameter {name}")
    hook = WeightNorm(name, dim)
    weight = getattr(module, name)
    if is_lazy(weight):
        raise ValueError(
            "The module passed to `WeightNorm` can't have uninitialized parameters. "
            "Make sure to run the dummy forward before applying weight normalization"
        )
    delattr(module, name)
    module.register_parameter(f"{name}_g", Parameter(norm_except(weight.detach(), hook.dim)))
    module.register_parameter(f"{name}_v", Parameter(weight.detach()))
    setattr(module, name, hook.compute_weight(module))
    module.register_forward_pre_hook(hook)
    return module


def remove_weight_norm(module: M, name: str = "weight") -> M:
    """Takes weight_norm() away: what it computes becomes a parameter; ValueError where there is none."""
    found = found_hook(module, WeightNorm, name)
    if found is None:
        raise ValueError(f"weight_norm of '{name}' not found in {module}")
    found[1].remove(module)
    del module._forward_pre_hooks[found[0]]
    return module
