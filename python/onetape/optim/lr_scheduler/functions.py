"""Schedules that call functions of the epoch."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from onetape.optim.lr_scheduler.base import LRScheduler
from onetape.optim.optimizer import Optimizer

__all__ = ["LambdaLR", "MultiplicativeLR"]

Rate = Callable[[int], float]


def saved_attributes(function: Any) -> dict[str, Any] | None:
    """What is saved of a function: the attributes of a callable object."""
    return None if isinstance(function, types.FunctionType) else function.__dict__.copy()


class _Functions(LRScheduler):
    """A schedule with a function for each group."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Rate | list[Rate], last_epoch: int) -> None:
        self.optimizer = optimizer
        count = len(getattr(optimizer, "param_groups", ()))
        self.lr_lambdas = list(lr_lambda) if isinstance(lr_lambda, (list, tuple)) else [lr_lambda] * count
        if len(self.lr_lambdas) != count:
            raise ValueError(f"Expected {count} lr_lambdas, but got {len(self.lr_lambdas)}")
        self._check_functions()
        super().__init__(optimizer, last_epoch)

    def _check_functions(self) -> None:
        pass

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer; of the functions, only the attributes of callable objects."""
        state = super().state_dict()
        del state["lr_lambdas"]
        state["lr_lambdas"] = [saved_attributes(function) for function in self.lr_lambdas]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over a state_dict() of the same kind of schedule."""
        state = dict(state_dict)
        attributes = state.pop("lr_lambdas")
        super().load_state_dict(state)
        for function, values in zip(self.lr_lambdas, attributes, strict=True):
            if values is not None:
                function.__dict__.update(values)


class LambdaLR(_Functions):
    """Multiplies the first learning rates by a function of the epoch, one for all groups or one each."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Rate | list[Rate], last_epoch: int = -1) -> None:
        super().__init__(optimizer, lr_lambda, last_epoch)

    def get_lr(self) -> list[Any]:
        """The learning rates of this epoch."""
        self._warn_outside_step()
        return [base * rate(self.last_epoch) for rate, base in zip(self.lr_lambdas, self.base_lrs, strict=True)]


class MultiplicativeLR(_Functions):
    """Multiplies the learning rates by a function of the epoch, one for all groups or one each."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Rate | list[Rate], last_epoch: int = -1) -> None:
        super().__init__(optimizer, lr_lambda, last_epoch)

    def _check_functions(self) -> None:
        for function in self.lr_lambdas:
            if not callable(function):
                raise TypeError(f"lr_lambda should be a function, but got {type(function).__name__}")

    def get_lr(self) -> list[Any]:
        """The learning rates of this epoch."""
        self._warn_outside_step()
        if self._is_initial:
            return self._current()
        groups = self.optimizer.param_groups
        return [group["lr"] * rate(self.last_epoch) for rate, group in zip(self.lr_lambdas, groups, strict=True)]
