"""Adam and AdamW."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from onetape import _C
from onetape._C import Tensor
from onetape.optim.optimizer import Optimizer, check_flavours, number_of

__all__ = ["Adam", "AdamW"]


class Adam(Optimizer):
    """Steps along the running mean of the gradients, divided by the root of the running mean of their squares.

    params: the parameters, or groups of them.
    lr: length of a step, about.
    betas: how much of the two running means is kept in every step.
    eps: added to the root, so that nothing is divided by zero.
    weight_decay: this times the parameter is added to the gradient.
    amsgrad: divides by the largest mean of squares so far.
    maximize: steps along the gradient instead of against it.
    decoupled_weight_decay: shrinks the parameters by lr · weight_decay instead, as AdamW.
    """

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-3,
        betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        if isinstance(lr, Tensor):
            if foreach and not capturable:
                raise ValueError("lr as a Tensor is not supported for capturable=False and foreach=True")
            if lr.numel() != 1:
                raise ValueError("Tensor lr must be 1-element")
        if not lr >= 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if not eps >= 0.0:
            raise ValueError(f"Invalid epsilon value: {eps}")
        for i in range(2):
            if not 0.0 <= betas[i] < 1.0:
                raise ValueError(f"Invalid beta parameter at index {i}: {betas[i]}")
        if not weight_decay >= 0.0:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        check_flavours(foreach, fused, differentiable)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
            "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        super().__init__(params, defaults)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            for name in ("amsgrad", "maximize", "capturable", "differentiable", "decoupled_weight_decay"):
                group.setdefault(name, False)
            for parameter in group["params"]:
                own = self.state.get(parameter)
                if own and not isinstance(own["step"], Tensor):  # a state that was saved with plain numbers
                    own["step"] = _C.tensor(float(own["step"]))

    def _state_of(self, parameter: Tensor, amsgrad: bool) -> dict[str, Any]:
        state = self.state[parameter]
        if not state:
            wide = _C.get_default_dtype() == _C.float64
            state["step"] = _C.tensor(0.0, dtype=_C.float64 if wide else _C.float32)
            state["exp_avg"] = _C.zeros_like(parameter)
            state["exp_avg_sq"] = _C.zeros_like(parameter)
            if amsgrad:
                state["max_exp_avg_sq"] = _C.zeros_like(parameter)
        return state

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Changes the parameters that have a gradient; returns the value of the closure, if there is one."""
        loss = self._loss(closure)
        for group in self.param_groups:
            params, grads = self._with_grad(group)
            if not params:
                continue
            beta1, beta2 = group["betas"]
            amsgrad = group["amsgrad"]
            states = [self._state_of(p, amsgrad) for p in params]
            _C._adam_step(
                params,
                grads,
                [state["exp_avg"] for state in states],
                [state["exp_avg_sq"] for state in states],
                [state["max_exp_avg_sq"] for state in states] if amsgrad else [],
                [state["step"] for state in states],
                number_of(group["lr"]),
                number_of(beta1),
                number_of(beta2),
                group["eps"],
                group["weight_decay"],
                group["decoupled_weight_decay"],
                group["maximize"],
            )
        return loss


class AdamW(Adam):
    """Adam whose weight decay shrinks the parameters and leaves the gradients alone."""

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-3,
        betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params,
            lr,
            betas,
            eps,
            weight_decay,
            amsgrad,
            foreach=foreach,
            maximize=maximize,
            capturable=capturable,
            differentiable=differentiable,
            fused=fused,
            decoupled_weight_decay=True,
        )

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            group["decoupled_weight_decay"] = True
