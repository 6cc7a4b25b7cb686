"""What all schedules have in common."""

from __future__ import annotations

import warnings
from typing import Any

from onetape._C import Tensor
from onetape.optim.optimizer import Optimizer

__all__ = ["LRScheduler"]


def copied(value: Any) -> Any:
    """A value of a group that does not change with it."""
    return value.clone() if isinstance(value, Tensor) else value


def values_of(optimizer: Optimizer, key: str) -> list[Any]:
    """One number of every group."""
    return [copied(group[key]) for group in optimizer.param_groups]


def put(group: dict[str, Any], key: str, value: Any) -> None:
    """Sets a number of a group; a tensor stays the same tensor."""
    if isinstance(group[key], Tensor):
        group[key].fill_(value)
    else:
        group[key] = value


def for_each_group(name: str, optimizer: Optimizer, value: Any) -> list[Any]:
    """A number for every group, from one for all or a list."""
    count = len(optimizer.param_groups)
    if not isinstance(value, (list, tuple)):
        return [copied(value) for _ in range(count)]
    if len(value) != count:
        raise ValueError(
            f"{name} must have the same length as optimizer.param_groups. "
            f"{name} has {len(value)} values, param_groups has {count}."
        )
    return [copied(one) for one in value]


def need_optimizer(optimizer: Any) -> None:
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


def warn_of_epoch() -> None:
    warnings.warn(
        "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. "
        "Please use `scheduler.step()` to step the scheduler.",
        UserWarning,
        stacklevel=3,
    )


class LRScheduler:
    """Base class of the schedules. A schedule sets the learning rates when it is made and at every step().

    A subclass defines get_lr().

    optimizer: whose learning rates are set.
    last_epoch: the epoch to go on from; −1 to start.
    """

    _get_lr_called_within_step = False
    _is_initial = False

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        need_optimizer(optimizer)
        self.optimizer = optimizer
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", copied(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{i}] "
                    "when resuming scheduler with last_epoch >= 0."
                )
        self.base_lrs = values_of(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        optimizer._watch_steps()
        self._initial_step()

    def _initial_step(self) -> None:
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

    def _warn_outside_step(self) -> None:
        if not self._get_lr_called_within_step:
            warnings.warn(
                "To get the last learning rate computed by the scheduler, please use `get_last_lr()`.",
                UserWarning,
                stacklevel=3,
            )

    def _current(self) -> list[Any]:
        return values_of(self.optimizer, "lr")

    def _scaled(self, factor: float) -> list[Any]:
        return [group["lr"] * factor for group in self.optimizer.param_groups]

    def _warn_of_order(self) -> None:
        if not self.optimizer._steps_watched():
            warnings.warn(
                "Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization. "
                "Please, make sure to call `optimizer.step()` before `lr_scheduler.step()`.",
                UserWarning,
                stacklevel=3,
            )
        elif not self.optimizer._stepped():
            warnings.warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`. "
                "You should call them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`. "
                "Otherwise the first value of the learning rate schedule is skipped.",
                UserWarning,
                stacklevel=3,
            )

    def step(self, epoch: int | None = None) -> None:
        """Goes to the next epoch, or to the given one, and sets the learning rates."""
        if self._step_count == 1:
            self._warn_of_order()
        self._step_count += 1
        if epoch is not None:
            warn_of_epoch()
        self._update_lr(epoch)

    def _update_lr(self, epoch: int | None = None) -> None:
        self._get_lr_called_within_step = True
        try:
            self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
            closed = None if epoch is None else getattr(self, "_get_closed_form_lr", None)
            rates = self.get_lr() if closed is None else closed()
        finally:
            self._get_lr_called_within_step = False
        self._set_lr(rates)

    def _set_lr(self, rates: list[Any]) -> None:
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            put(group, "lr", rate)
        self._last_lr = self._current()
