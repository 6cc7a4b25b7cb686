"""Stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from onetape import _C
from onetape._C import Tensor
from onetape.optim.optimizer import Optimizer, check_flavours, number_of

__all__ = ["SGD"]


class SGD(Optimizer):
    """Steps against the gradient, or against its running sum where momentum is given.

    params: the parameters, or groups of them.
    lr: length of a step for a gradient of 1.
    momentum: share of the running sum that is kept.
    dampening: share of the gradient that is left out of the running sum.
    weight_decay: this times the parameter is added to the gradient.
    nesterov: looks one step ahead.
    maximize: steps along the gradient instead.
    """

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        if lr < 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if momentum < 0.0:
            raise ValueError(f"Invalid momentum value: {momentum}")
        if weight_decay < 0.0:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        check_flavours(foreach, fused, differentiable)
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
            "foreach": foreach,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Changes the parameters that have a gradient; returns the value of the closure, if there is one."""
        loss = self._loss(closure)
        for group in self.param_groups:
            params, grads = self._with_grad(group)
            if not params:
                continue
            momentum = group["momentum"]
            buffers = [self.state[p].get("momentum_buffer") for p in params] if momentum != 0 else []
            after = _C._sgd_step(
                params,
                grads,
                buffers,
                number_of(group["lr"]),
                momentum,
                group["dampening"],
                group["weight_decay"],
                group["nesterov"],
                group["maximize"],
            )
            for parameter, before, buffer in zip(params, buffers, after, strict=False):
                if before is None:
                    self.state[parameter]["momentum_buffer"] = buffer
        return loss
