"""Schedules that go up and down, with the momentum against them."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

from onetape.optim.lr_scheduler.base import LRScheduler, for_each_group, need_optimizer, put
from onetape.optim.lr_scheduler.functions import saved_attributes
from onetape.optim.optimizer import Optimizer

__all__ = ["CyclicLR", "OneCycleLR"]


class _WithMomentum(LRScheduler):
    """A schedule that may change momentum, or the first of betas, too."""

    cycle_momentum: bool
    use_beta1: bool

    def _begin_momentum(self, base_momentum: Any, max_momentum: Any, last_epoch: int) -> tuple[list[Any], list[Any]]:
        defaults = self.optimizer.defaults
        if "momentum" not in defaults and "betas" not in defaults:
            raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
        self.use_beta1 = "betas" in defaults
        bases = for_each_group("base_momentum", self.optimizer, base_momentum)
        tops = for_each_group("max_momentum", self.optimizer, max_momentum)
        if last_epoch == -1:
            for top, base, group in zip(tops, bases, self.optimizer.param_groups, strict=True):
                self._put_momentum(group, top)
                group["max_momentum"] = top
                group["base_momentum"] = base
        return bases, tops

    def _put_momentum(self, group: dict[str, Any], momentum: Any) -> None:
        if self.use_beta1:
            group["betas"] = (momentum, *group["betas"][1:])
        else:
            group["momentum"] = momentum


class CyclicLR(_WithMomentum):
    """Moves the learning rates between base_lr and max_lr, up in step_size_up steps and down in step_size_down.

    mode: "triangular"; "triangular2" halves the height in every cycle; "exp_range" lowers it by gamma in every step.
    scale_fn: the height as a function of the cycle or of the step (scale_mode: "cycle" or "iterations"), instead.
    cycle_momentum: moves the momentum against the learning rate, between max_momentum and base_momentum.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | list[float],
        max_lr: float | list[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: Literal["triangular", "triangular2", "exp_range"] = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: Literal["cycle", "iterations"] = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.8,
        max_momentum: float | list[float] = 0.9,
        last_epoch: int = -1,
    ) -> None:
        need_optimizer(optimizer)
        self.optimizer = optimizer
        base_lrs = for_each_group("base_lr", optimizer, base_lr)
        if last_epoch == -1:
            for rate, group in zip(base_lrs, optimizer.param_groups, strict=True):
                put(group, "lr", rate)
        self.max_lrs = for_each_group("max_lr", optimizer, max_lr)
        up = float(step_size_up)
        down = up if step_size_down is None else float(step_size_down)
        self.total_size = up + down
        self.step_ratio = up / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode = mode
        self.gamma = gamma
        self._scale_fn_ref: Callable[[float], float]
        self._scale_fn_custom = scale_fn
        self.scale_mode: str = scale_mode
        self._init_scale_fn()
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            bases, tops = self._begin_momentum(base_momentum, max_momentum, last_epoch)
            self.base_momentums = bases
            self.max_momentums = tops
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def _init_scale_fn(self) -> None:
        if self._scale_fn_custom is not None:
            return
        functions: dict[str, Callable[[float], float]] = {
            "triangular": self._triangular_scale_fn,
            "triangular2": self._triangular2_scale_fn,
            "exp_range": partial(self._exp_range_scale_fn, self.gamma),
        }
        self._scale_fn_ref = functions[self.mode]
        self.scale_mode = "iterations" if self.mode == "exp_range" else "cycle"

    def scale_fn(self, x: float) -> float:
        """The height of a cycle or at a step, as a share of the full one."""
        return self._scale_fn_ref(x) if self._scale_fn_custom is None else self._scale_fn_custom(x)

    @staticmethod
    def _triangular_scale_fn(x: float) -> float:
        return 1.0

    @staticmethod
    def _triangular2_scale_fn(x: float) -> float:
        return 1 / math.pow(2.0, x - 1)

    @staticmethod
    def _exp_range_scale_fn(gamma: float, x: float) -> float:
        return math.pow(gamma, x)

    def get_lr(self) -> list[Any]:
        """The learning rates of this step; sets the momentum, too."""
        self._warn_outside_step()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        share = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        at = cycle if self.scale_mode == "cycle" else self.last_epoch
        rates = [
            base + (top - base) * share * self.scale_fn(at)
            for base, top in zip(self.base_lrs, self.max_lrs, strict=True)
        ]
        if self.cycle_momentum:
            bounds = zip(self.base_momentums, self.max_momentums, self.optimizer.param_groups, strict=True)
            for base, top, group in bounds:
                self._put_momentum(group, top - (top - base) * share * self.scale_fn(at))
        return rates

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer; of a function of one's own, only the attributes of a callable object."""
        state = super().state_dict()
        state.pop("_scale_fn_ref", None)
        function = state.pop("_scale_fn_custom")
        state["_scale_fn_custom"] = None if function is None else saved_attributes(function)
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over a state_dict() of the same kind of schedule."""
        state = dict(state_dict)
        attributes = state.pop("_scale_fn_custom")
        super().load_state_dict(state)
        if attributes is not None:
            self._scale_fn_custom.__dict__.update(attributes)
        self._init_scale_fn()


class OneCycleLR(_WithMomentum):
    """Raises the learning rates to max_lr and lowers them far below where they began, once.

    total_steps: the steps of the whole schedule; or epochs times steps_per_epoch.
    pct_start: the share of them in which the learning rates rise.
    anneal_strategy: along a cosine ("cos") or a line ("linear").
    cycle_momentum: moves the momentum against the learning rate, between max_momentum and base_momentum.
    div_factor: the first learning rates are max_lr / div_factor,
    final_div_factor: and the last are those / final_div_factor.
    three_phase: goes back to the first learning rates as it rose, and only then below.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | list[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: Literal["cos", "linear"] = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.85,
        max_momentum: float | list[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        need_optimizer(optimizer)
        self.optimizer = optimizer
        self.total_steps = _total_steps(total_steps, epochs, steps_per_epoch)
        self._schedule_phases = _phases(pct_start, self.total_steps, three_phase)
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_func_type = anneal_strategy
        tops = for_each_group("max_lr", optimizer, max_lr)
        if last_epoch == -1:
            for top, group in zip(tops, optimizer.param_groups, strict=True):
                group["initial_lr"] = top / div_factor
                group["max_lr"] = top
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._begin_momentum(base_momentum, max_momentum, last_epoch)
        super().__init__(optimizer, last_epoch)

    def _anneal(self, start: Any, end: Any, share: float) -> Any:
        if self._anneal_func_type == "cos":
            return end + (start - end) / 2.0 * (math.cos(math.pi * share) + 1)
        return (end - start) * share + start

    def get_lr(self) -> list[Any]:
        """The learning rates of this step; sets the momentum, too."""
        self._warn_outside_step()
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(f"Tried to step {step} times. The specified number of total steps is {self.total_steps}")
        start = 0.0
        for phase in self._schedule_phases[:-1]:
            if step <= phase["end_step"]:
                break
            start = phase["end_step"]
        else:
            phase = self._schedule_phases[-1]
        share = (step - start) / (phase["end_step"] - start)
        rates = []
        for group in self.optimizer.param_groups:
            rates.append(self._anneal(group[phase["start_lr"]], group[phase["end_lr"]], share))
            if self.cycle_momentum:
                bounds = group[phase["start_momentum"]], group[phase["end_momentum"]]
                self._put_momentum(group, self._anneal(*bounds, share))
        return rates


def _total_steps(total: Any, epochs: Any, per_epoch: Any) -> int:
    if total is not None:
        if total <= 0 or not isinstance(total, int):
            raise ValueError(f"Expected positive integer total_steps, but got {total}")
        return int(total)
    if epochs is None or per_epoch is None:
        raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
    for name, count in (("epochs", epochs), ("steps_per_epoch", per_epoch)):
        if not isinstance(count, int) or count <= 0:
            raise ValueError(f"Expected positive integer {name}, but got {count}")
    return int(epochs * per_epoch)


def _phases(share: float, steps: int, three: bool) -> list[dict[str, Any]]:
    """The parts of the schedule: where each ends, and the keys of a group between which it moves."""

    def phase(end: float, rates: tuple[str, str], momentums: tuple[str, str]) -> dict[str, Any]:
        return {
            "end_step": end,
            "start_lr": rates[0],
            "end_lr": rates[1],
            "start_momentum": momentums[0],
            "end_momentum": momentums[1],
        }

    down, up = ("max_momentum", "base_momentum"), ("base_momentum", "max_momentum")
    first = phase(float(share * steps) - 1, ("initial_lr", "max_lr"), down)
    if not three:
        return [first, phase(steps - 1, ("max_lr", "min_lr"), up)]
    return [
        first,
        phase(float(2 * share * steps) - 2, ("max_lr", "initial_lr"), up),
        phase(steps - 1, ("initial_lr", "min_lr"), ("max_momentum", "max_momentum")),
    ]
