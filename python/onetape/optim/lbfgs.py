"""The quasi-Newton method L-BFGS."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from onetape import _C
from onetape._C import Tensor
from onetape.autograd import enable_grad, no_grad
from onetape.optim.line_search import strong_wolfe
from onetape.optim.optimizer import Optimizer

__all__ = ["LBFGS"]


class LBFGS(Optimizer):
    """Steps along the gradient times an estimate of the inverse Hessian, made from the last steps.

    Each step() calls the closure several times. There is one group of parameters.

    params: the parameters.
    lr: length of a step, as a share of the one that the estimate asks for.
    max_iter: inner steps of a step().
    max_eval: calls of the closure in a step(); 1.25 · max_iter if left out.
    tolerance_grad: the greatest gradient with which step() is content.
    tolerance_change: the smallest change of the parameters or of the loss with which it goes on.
    history_size: inner steps that are remembered.
    line_search_fn: "strong_wolfe" looks for a good length of each step; None takes lr.
    maximize: steps along the gradient instead of against it.
    """

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
        *,
        maximize: bool = False,
    ) -> None:
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        if not lr >= 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        defaults = {
            "lr": lr,
            "max_iter": max_iter,
            "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad,
            "tolerance_change": tolerance_change,
            "history_size": history_size,
            "line_search_fn": line_search_fn,
            "maximize": maximize,
        }
        super().__init__(params, defaults)
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Adds a dict of parameters, under "params", with numbers of their own; they must be real."""
        super().add_param_group(param_group)
        if any(param.is_complex() for param in self.param_groups[-1]["params"]):
            del self.param_groups[-1]
            raise NotImplementedError("LBFGS does not support complex parameters")

    @property
    def _params(self) -> list[Tensor]:
        params: list[Tensor] = self.param_groups[0]["params"]
        return params

    def _flat_grad(self) -> Tensor:
        """The gradients of all parameters as one vector."""
        parts = []
        for param in self._params:
            parts.append(_C.zeros_like(param).view(-1) if param.grad is None else param.grad.reshape(-1))
        flat = _C.cat(parts, 0)
        return -flat if self.param_groups[0].get("maximize", False) else flat

    def _move(self, length: Any, direction: Tensor) -> None:
        """Moves the parameters along a vector."""
        offset = 0
        for param in self._params:
            part = direction[offset : offset + param.numel()]
            param.add_(part.view_as(param), alpha=length)
            offset += param.numel()

    def _loss_of(self, value: Any) -> float:
        number = float(value.detach() if isinstance(value, Tensor) else value)
        return -number if self.param_groups[0].get("maximize", False) else number

    def step(self, closure: Callable[[], Any]) -> Any:  # type: ignore[override]
        """Changes the parameters; the closure clears the gradients, computes the loss and calls backward on it.

        Returns the loss before the step.
        """
        if not self._params:
            with enable_grad():
                return closure()
        with no_grad():
            return _Step(self, closure).run()


class _Step:
    """One step(): the memory of the steps before, and where it is now."""

    def __init__(self, optimizer: LBFGS, closure: Callable[[], Any]) -> None:
        self.optimizer = optimizer
        self.closure = closure
        self.group = optimizer.param_groups[0]
        # There is one state for all parameters, kept with the first so that it is cast when it is loaded.
        self.state: dict[str, Any] = optimizer.state[optimizer._params[0]]
        self.state.setdefault("func_evals", 0)
        self.state.setdefault("n_iter", 0)
        rate = self.group["lr"]
        self.lr = rate.squeeze() if isinstance(rate, Tensor) and rate.dim() != 0 else rate
        self.direction: Any = self.state.get("d")
        self.length: Any = self.state.get("t")
        self.changes: list[Tensor] = self.state.get("old_dirs") or []
        self.steps: list[Tensor] = self.state.get("old_stps") or []
        self.inverses: list[Tensor] = self.state.get("ro") or []
        self.scale: Any = self.state.get("H_diag")
        self.grad_before: Any = self.state.get("prev_flat_grad")
        self.loss_before: Any = self.state.get("prev_loss")
        self.evaluations = 1

    def evaluate(self) -> Any:
        with enable_grad():
            return self.closure()

    def run(self) -> Any:
        first = self.evaluate()
        self.loss = self.optimizer._loss_of(first)
        self.state["func_evals"] += 1
        self.grad = self.optimizer._flat_grad()
        if self.content():
            return first
        count = 0
        while count < self.group["max_iter"]:
            count += 1
            self.state["n_iter"] += 1
            if not self.go(last=count == self.group["max_iter"]):
                break
        self.store()
        return first

    def content(self) -> bool:
        return bool(self.grad.abs().max() <= self.group["tolerance_grad"])

    def go(self, last: bool) -> bool:
        """One inner step; False if it is the last."""
        first = self.state["n_iter"] == 1
        if first:
            self.direction = self.grad.neg()
            self.changes, self.steps, self.inverses, self.scale = [], [], [], 1
        else:
            self.remember()
            self.direction = self.estimate()
        if self.grad_before is None:
            self.grad_before = self.grad.clone()
        else:
            self.grad_before.copy_(self.grad)
        self.loss_before = self.loss
        self.length = min(1.0, 1.0 / self.grad.abs().sum()) * self.lr if first else self.lr
        slope = self.grad.dot(self.direction)
        if slope > -self.group["tolerance_change"]:
            return False
        calls = self.search(slope) if self.group["line_search_fn"] is not None else self.move(last)
        content = calls > 0 and self.content()
        self.evaluations += calls
        self.state["func_evals"] += calls
        tolerance = self.group["tolerance_change"]
        return not (
            last
            or self.evaluations >= self.group["max_eval"]
            or content
            or self.direction.mul(self.length).abs().max() <= tolerance
            or abs(self.loss - self.loss_before) < tolerance
        )

    def remember(self) -> None:
        """Adds the last step and the change of the gradient to the memory."""
        change = self.grad.sub(self.grad_before)
        step = self.direction.mul(self.length)
        product = change.dot(step)
        if product > 1e-10:
            if len(self.changes) == self.group["history_size"]:
                for memory in (self.changes, self.steps, self.inverses):
                    memory.pop(0)
            self.changes.append(change)
            self.steps.append(step)
            self.inverses.append(1.0 / product)
            self.scale = product / change.dot(change)

    def estimate(self) -> Tensor:
        """The negative gradient times the estimated inverse Hessian, in two loops over the memory."""
        count = len(self.changes)
        shares = self.state.setdefault("al", [None] * self.group["history_size"])
        q = self.grad.neg()
        for i in range(count - 1, -1, -1):
            shares[i] = self.steps[i].dot(q) * self.inverses[i]
            q.add_(self.changes[i], alpha=-shares[i])
        r: Tensor = q * self.scale
        for i in range(count):
            share = self.changes[i].dot(r) * self.inverses[i]
            r.add_(self.steps[i], alpha=shares[i] - share)
        return r

    def move(self, last: bool) -> int:
        """A step of the given length; the loss is not computed anew after the last one."""
        self.optimizer._move(self.length, self.direction)
        if last:
            return 0
        self.loss = self.optimizer._loss_of(self.evaluate())
        self.grad = self.optimizer._flat_grad()
        return 1

    def search(self, slope: Tensor) -> int:
        if self.group["line_search_fn"] != "strong_wolfe":
            raise RuntimeError("only 'strong_wolfe' is supported")
        params = self.optimizer._params
        start = [param.clone() for param in params]

        def at(length: Any) -> tuple[float, Tensor]:
            self.optimizer._move(length, self.direction)
            loss = self.optimizer._loss_of(self.evaluate())
            grad = self.optimizer._flat_grad()
            for param, before in zip(params, start, strict=True):
                param.copy_(before)
            return loss, grad

        most = self.group["max_eval"] - self.evaluations
        found = strong_wolfe(at, self.length, self.direction, self.loss, self.grad, slope, most)
        self.loss, self.grad, self.length, calls = found
        self.optimizer._move(self.length, self.direction)
        return calls

    def store(self) -> None:
        self.state["d"] = self.direction
        self.state["t"] = self.length
        self.state["old_dirs"] = self.changes
        self.state["old_stps"] = self.steps
        self.state["ro"] = self.inverses
        self.state["H_diag"] = self.scale
        self.state["prev_flat_grad"] = self.grad_before
        self.state["prev_loss"] = self.loss_before
