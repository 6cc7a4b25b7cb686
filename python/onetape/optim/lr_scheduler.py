"""Schedules: they change an optimizer's learning rates from epoch to epoch."""

from __future__ import annotations

import math
import types
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from onetape.optim.optimizer import Optimizer

__all__ = ["CosineAnnealingLR", "ExponentialLR", "LRScheduler", "LambdaLR", "MultiStepLR", "StepLR"]


class LRScheduler:
    """Base class of the schedules. A schedule sets the learning rates when it is made and at every step().

    last_epoch: the epoch to go on from; −1 to start.
    """

    _is_initial = False
    _get_lr_called_within_step = False

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        self.optimizer = optimizer
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"])
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{i}] "
                    "when resuming scheduler with last_epoch >= 0."
                )
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer."""
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over a state_dict() of the same kind of schedule."""
        self.__dict__.update(state_dict)

    def get_last_lr(self) -> list[Any]:
        """The learning rates that the last step() set."""
        return self._last_lr

    def get_lr(self) -> list[Any]:
        """The learning rates of the groups for the epoch last_epoch; every schedule defines it."""
        raise NotImplementedError

    def _current(self) -> list[Any]:
        return [group["lr"] for group in self.optimizer.param_groups]

    def step(self, epoch: int | None = None) -> None:
        """Goes to the next epoch, or to the given one, and sets the learning rates."""
        if self._step_count == 1 and self.optimizer._steps == 0:
            warnings.warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`. Call them in the opposite order; "
                "otherwise the first value of the learning rate schedule is skipped.",
                UserWarning,
                stacklevel=2,
            )
        self._step_count += 1
        self._get_lr_called_within_step = True
        try:
            self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
            rates = (
                self._get_closed_form_lr()
                if epoch is not None and hasattr(self, "_get_closed_form_lr")
                else self.get_lr()
            )
        finally:
            self._get_lr_called_within_step = False
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            group["lr"] = rate
        self._last_lr = self._current()


class StepLR(LRScheduler):
    """Multiplies the learning rates by gamma every step_size epochs."""

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The learning rates of this epoch."""
        if self.last_epoch == 0 or self.last_epoch % self.step_size != 0:
            return self._current()
        return [rate * self.gamma for rate in self._current()]

    def _get_closed_form_lr(self) -> list[Any]:
        return [rate * self.gamma ** (self.last_epoch // self.step_size) for rate in self.base_lrs]


class MultiStepLR(LRScheduler):
    """Multiplies the learning rates by gamma at the given epochs."""

    def __init__(
        self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The learning rates of this epoch."""
        if self.last_epoch not in self.milestones:
            return self._current()
        return [rate * self.gamma ** self.milestones[self.last_epoch] for rate in self._current()]

    def _get_closed_form_lr(self) -> list[Any]:
        passed = sum(count for epoch, count in self.milestones.items() if epoch <= self.last_epoch)
        return [rate * self.gamma**passed for rate in self.base_lrs]


class ExponentialLR(LRScheduler):
    """Multiplies the learning rates by gamma every epoch."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The learning rates of this epoch."""
        if self._is_initial:
            return self._current()
        return [rate * self.gamma for rate in self._current()]

    def _get_closed_form_lr(self) -> list[Any]:
        return [rate * self.gamma**self.last_epoch for rate in self.base_lrs]


class CosineAnnealingLR(LRScheduler):
    """Lowers the learning rates along half a cosine from their first values to eta_min in T_max epochs, and back."""

    def __init__(self, optimizer: Optimizer, T_max: float, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def _height(self, epoch: float) -> float:
        """Twice the height of the cosine, from 2 down to 0."""
        return 1 + math.cos(math.pi * epoch / self.T_max)

    def get_lr(self) -> list[Any]:
        """The learning rates of this epoch, from those of the epoch before, so that others may change them too."""
        if self._is_initial:
            return self._current()
        if self._step_count == 1 and self.last_epoch > 0:
            return self._get_closed_form_lr()
        if (self.last_epoch - 1 - self.T_max) % (2 * self.T_max) == 0:  # just passed the lowest point
            rise = 1 - math.cos(math.pi / self.T_max)
            return [
                rate + (base - self.eta_min) * rise / 2
                for rate, base in zip(self._current(), self.base_lrs, strict=True)
            ]
        ratio = self._height(self.last_epoch) / self._height(self.last_epoch - 1)
        return [ratio * (rate - self.eta_min) + self.eta_min for rate in self._current()]

    def _get_closed_form_lr(self) -> list[Any]:
        height = 1 + math.cos(self.last_epoch * math.pi / self.T_max)
        return [self.eta_min + (base - self.eta_min) * height / 2 for base in self.base_lrs]


class LambdaLR(LRScheduler):
    """Multiplies the first learning rates by a function of the epoch, one for all groups or one each."""

    def __init__(
        self,
        optimizer: Optimizer,
        lr_lambda: Callable[[int], float] | list[Callable[[int], float]],
        last_epoch: int = -1,
    ) -> None:
        count = len(getattr(optimizer, "param_groups", ()))
        lambdas = list(lr_lambda) if isinstance(lr_lambda, (list, tuple)) else [lr_lambda] * count
        if len(lambdas) != count:
            raise ValueError(f"Expected {count} lr_lambdas, but got {len(lambdas)}")
        self.lr_lambdas = lambdas
        super().__init__(optimizer, last_epoch)

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer; of the functions, only the attributes of callable objects."""
        state = super().state_dict()
        del state["lr_lambdas"]
        state["lr_lambdas"] = [
            None if isinstance(fn, types.FunctionType) else fn.__dict__.copy() for fn in self.lr_lambdas
        ]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over a state_dict() of the same kind of schedule."""
        state = dict(state_dict)
        attributes = state.pop("lr_lambdas")
        super().load_state_dict(state)
        for fn, values in zip(self.lr_lambdas, attributes, strict=True):
            if values is not None:
                fn.__dict__.update(values)

    def get_lr(self) -> list[Any]:
        """The learning rates of this epoch."""
        return [base * fn(self.last_epoch) for fn, base in zip(self.lr_lambdas, self.base_lrs, strict=True)]
