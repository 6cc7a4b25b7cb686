"""Averages of a model's parameters over its training."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from typing import Any, Literal

from onetape import _C
from onetape._C import Tensor
from onetape.autograd import no_grad
from onetape.nn.modules.instance_norm import _InstanceNorm
from onetape.nn.modules.module import Module
from onetape.nn.modules.normalization import _BatchNorm
from onetape.optim.lr_scheduler.base import LRScheduler, for_each_group
from onetape.optim.optimizer import Optimizer

__all__ = [
    "SWALR",
    "AveragedModel",
    "get_ema_avg_fn",
    "get_ema_multi_avg_fn",
    "get_swa_avg_fn",
    "get_swa_multi_avg_fn",
    "update_bn",
]

Average = Callable[[Tensor, Tensor, Any], Tensor]
"""Of an average, a new value and the number of values before: the new average."""
MultiAverage = Callable[[Sequence[Tensor], Sequence[Tensor], Any], None]
"""The same for lists of tensors, in place."""


def _check_decay(decay: float) -> None:
    if decay < 0.0 or decay > 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


def get_ema_avg_fn(decay: float = 0.999) -> Average:
    """The function of an exponential moving average, which keeps the share `decay` of itself."""
    _check_decay(decay)

    def average(averaged: Tensor, current: Tensor, num_averaged: Any) -> Tensor:
        with no_grad():
            return averaged * decay + current * (1 - decay)

    return average


def get_ema_multi_avg_fn(decay: float = 0.999) -> MultiAverage:
    """The same for lists of tensors, in place."""
    _check_decay(decay)

    def average(averaged: Sequence[Tensor], current: Sequence[Tensor], num_averaged: Any) -> None:
        with no_grad():
            for mean, value in zip(averaged, current, strict=True):
                if mean.is_floating_point() or mean.is_complex():
                    mean.lerp_(value, 1 - decay)
                else:
                    mean.copy_(mean * decay + value * (1 - decay))

    return average


def get_swa_avg_fn() -> Average:
    """The function of a plain mean."""

    def average(averaged: Tensor, current: Tensor, num_averaged: Any) -> Tensor:
        with no_grad():
            moved: Tensor = averaged + (current - averaged) / (num_averaged + 1)
            return moved

    return average


def get_swa_multi_avg_fn() -> MultiAverage:
    """The same for lists of tensors, in place."""

    def average(averaged: Sequence[Tensor], current: Sequence[Tensor], num_averaged: Any) -> None:
        with no_grad():
            for mean, value in zip(averaged, current, strict=True):
                if mean.is_floating_point() or mean.is_complex():
                    mean.lerp_(value, float(1 / (num_averaged + 1)))
                else:
                    mean.copy_(mean + (value - mean) / (num_averaged + 1))

    return average


class AveragedModel(Module):
    """A copy of a model whose parameters are averages of the model's.

    model: what is copied.
    avg_fn: makes a new average of an average, a value and the number of values before; a plain mean if left out.
    multi_avg_fn: the same for lists of tensors, in place.
    use_buffers: averages the buffers, too; else they are copied.
    """

    n_averaged: Tensor

    def __init__(
        self,
        model: Module,
        device: Any = None,
        avg_fn: Average | None = None,
        multi_avg_fn: MultiAverage | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", _C.tensor(0, dtype=_C.int64, device=device))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the averaged model makes of its input."""
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Module) -> None:
        """Takes the parameters of the model into the averages."""
        mine: Iterable[Tensor] = self.parameters()
        theirs: Iterable[Tensor] = model.parameters()
        if self.use_buffers:
            mine = itertools.chain(self.module.parameters(), self.module.buffers())
            theirs = itertools.chain(model.parameters(), model.buffers())
        pairs = [(average.detach(), value.detach()) for average, value in zip(mine, theirs, strict=False)]
        if self.n_averaged == 0:
            for average, value in pairs:
                average.copy_(value)
        else:
            self._take(pairs)
        if not self.use_buffers:
            for own, other in zip(self.module.buffers(), model.buffers(), strict=True):
                own.detach().copy_(other.detach())
        self.n_averaged += 1

    def _take(self, pairs: list[tuple[Tensor, Tensor]]) -> None:
        if self.multi_avg_fn is None:
            average_of = self.avg_fn or get_swa_avg_fn()
            for average, value in pairs:
                average.copy_(average_of(average, value, self.n_averaged))
            return
        by_dtype: dict[Any, list[tuple[Tensor, Tensor]]] = {}
        for pair in pairs:
            by_dtype.setdefault(pair[0].dtype, []).append(pair)
        for group in by_dtype.values():
            self.multi_avg_fn([average for average, _ in group], [value for _, value in group], self.n_averaged)


def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Makes the running statistics of a model's batch norm layers anew, from the inputs of a loader.

    loader: inputs, or lists and tuples whose first item is one.
    """
    momenta = {}
    for module in model.modules():
        if isinstance(module, _BatchNorm) and not isinstance(module, _InstanceNorm):
            module.reset_running_stats()
            momenta[module] = module.momentum
    if not momenta:
        return
    was_training = model.training
    model.train()
    for module in momenta:
        module.momentum = None
    with no_grad():
        for item in loader:
            given = item[0] if isinstance(item, (list, tuple)) else item
            model(given if device is None else given.to(device))
    for module, momentum in momenta.items():
        module.momentum = momentum
    model.train(was_training)


class SWALR(LRScheduler):
    """Moves the learning rates to swa_lr in anneal_epochs epochs and leaves them there.

    swa_lr: one learning rate for all groups, or a list.
    anneal_strategy: along a cosine ("cos") or a line ("linear").
    """

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: float | list[float],
        anneal_epochs: int = 10,
        anneal_strategy: Literal["cos", "linear"] = "cos",
        last_epoch: int = -1,
    ) -> None:
        for rate, group in zip(for_each_group("swa_lr", optimizer, swa_lr), optimizer.param_groups, strict=True):
            group["swa_lr"] = rate
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_strategy = anneal_strategy
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def _way(self, step: int) -> float:
        """The share of the way that is done at a step."""
        t = max(0, min(1, step / max(1, self.anneal_epochs)))
        return t if self._anneal_strategy == "linear" else (1 - math.cos(math.pi * t)) / 2

    def get_lr(self) -> list[Any]:
        """The learning rates of this epoch, from those of the epoch before, so that others may change them too."""
        self._warn_outside_step()
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now = self._way(step - 1), self._way(step)
        rates = []
        for group in self.optimizer.param_groups:
            target = group["swa_lr"]
            first = target if before == 1 else (group["lr"] - before * target) / (1 - before)
            rates.append(target * now + first * (1 - now))
        return rates
