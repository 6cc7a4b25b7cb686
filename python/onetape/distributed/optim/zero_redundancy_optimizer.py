"""An optimizer whose state is spread over the processes (ZeRO, stage 1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import onetape as torch
from onetape import Tensor
from onetape._C._distributed import ProcessGroup
from onetape.distributed._groups import get_global_rank, group_or_world
from onetape.distributed._objects import gather_object
from onetape.optim.optimizer import Optimizer


class ZeroRedundancyOptimizer(Optimizer):
    """Each process remembers what the optimizer needs for its share of the parameters only, changes those, and sends
    them to the others.

    Args:
        params: tensors, or dicts of groups, as for any optimizer; alike on all processes
        optimizer_class: the optimizer of the shares
        process_group: the processes; all of them if None
        defaults: arguments of the optimizer
    """

    def __init__(
        self,
        params: Any,
        optimizer_class: type[Optimizer],
        process_group: ProcessGroup | None = None,
        parameters_as_bucket_view: bool = False,
        overlap_with_ddp: bool = False,
        **defaults: Any,
    ) -> None:
        if parameters_as_bucket_view or overlap_with_ddp:
            raise ValueError(
                "ZeroRedundancyOptimizer: parameters_as_bucket_view and overlap_with_ddp are for GPUs; leave them out"
            )
        self.process_group = group_or_world(process_group)
        self.rank = self.process_group.rank()
        self._optim_class = optimizer_class
        self._optim_defaults = defaults
        self._owners: dict[int, int] = {}
        self._loads = [0] * self.process_group.size()
        self._full: dict[str, Any] | None = None
        self.optim: Optimizer | None = None
        super().__init__(params, defaults)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Adds a group; its parameters go to the ranks with the fewest elements."""
        super().add_param_group(param_group)
        group = self.param_groups[-1]
        # The largest first, so that the shares come out even. All ranks find the same shares.
        for parameter in sorted(group["params"], key=Tensor.numel, reverse=True):
            owner = min(range(len(self._loads)), key=self._loads.__getitem__)
            self._owners[id(parameter)] = owner
            self._loads[owner] += parameter.numel()
        own = self._share(group)
        if self.optim is not None:
            self.optim.add_param_group(own)
            self._copy_options(self.optim.param_groups, self.param_groups)
            return
        self.optim = self._optim_class([own], **self._optim_defaults)
        self.defaults = self.optim.defaults
        self._copy_options(self.optim.param_groups, self.param_groups)

    def _share(self, group: dict[str, Any]) -> dict[str, Any]:
        return {**group, "params": [p for p in group["params"] if self._owners[id(p)] == self.rank]}

    @staticmethod
    def _copy_options(source: list[dict[str, Any]], target: list[dict[str, Any]]) -> None:
        for given, taking in zip(source, target, strict=True):
            taking.update({key: value for key, value in given.items() if key != "params"})

    @property
    def _own(self) -> Optimizer:
        assert self.optim is not None
        return self.optim

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Changes this rank's share, and takes those of the others. Returns what the closure does."""
        # A schedule changes the numbers of this optimizer.
        self._copy_options(self.param_groups, self._own.param_groups)
        loss = self._own.step(closure) if closure is not None else self._own.step()
        self._copy_options(self._own.param_groups, self.param_groups)
        self._full = None
        with torch.no_grad():
            works = [
                self.process_group.broadcast(parameter.detach(), self._owners[id(parameter)])
                for group in self.param_groups
                for parameter in group["params"]
            ]
        for work in works:
            work.wait()
        return loss

    def _numbers(self) -> dict[int, int]:
        """The number of each parameter in a state dict."""
        every = [parameter for group in self.param_groups for parameter in group["params"]]
        return {id(parameter): number for number, parameter in enumerate(every)}

    def consolidate_state_dict(self, to: int = 0) -> None:
        """Brings the state of all shares to one rank, whose state_dict() is whole then. All ranks make the call."""
        numbers = self._numbers()
        own = {numbers[id(parameter)]: state for parameter, state in self._own.state.items()}
        here = self.process_group.rank() == to
        parts: list[Any] | None = [None] * self.process_group.size() if here else None
        gather_object(own, parts, group=self.process_group, group_dst=to)
        if parts is None:
            return
        whole: dict[int, Any] = {}
        for part in parts:
            whole.update(part)
        groups = []
        for group in self.param_groups:
            options = {key: value for key, value in group.items() if key != "params"}
            groups.append({**options, "params": [numbers[id(parameter)] for parameter in group["params"]]})
        self._full = {"state": dict(sorted(whole.items())), "param_groups": groups}

    def state_dict(self) -> dict[str, Any]:
        """The whole state, as the optimizer itself would give it.

        Raises RuntimeError unless consolidate_state_dict() brought it here after the last step.
        """
        if self._full is None:
            raise RuntimeError(
                "Optimizer state has not been consolidated on this rank. Please call "
                f"`consolidate_state_dict(to={get_global_rank(self.process_group, self.rank)})` on all ranks "
                "beforehand if you meant to save the global state."
            )
        return self._full

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Takes this rank's share of a whole state. Raises ValueError if it is of other groups."""
        groups = state_dict["param_groups"]
        if [len(group["params"]) for group in groups] != [len(group["params"]) for group in self.param_groups]:
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
            )
        numbers = self._numbers()
        given: dict[int, Any] = {}
        for group, saved in zip(self.param_groups, groups, strict=True):
            for parameter, number in zip(group["params"], saved["params"], strict=True):
                if self._owners[id(parameter)] == self.rank and number in state_dict["state"]:
                    given[numbers[id(parameter)]] = state_dict["state"][number]
        place: dict[int, int] = {}
        for group in self._own.param_groups:
            for parameter in group["params"]:
                place[numbers[id(parameter)]] = len(place)
        own_groups = []
        for group, saved in zip(self._own.param_groups, groups, strict=True):
            options = {key: value for key, value in saved.items() if key != "params"}
            own_groups.append({**options, "params": [place[numbers[id(p)]] for p in group["params"]]})
        own_state = {place[number]: state for number, state in given.items()}
        self._own.load_state_dict({"state": own_state, "param_groups": own_groups})
        self._copy_options(self._own.param_groups, self.param_groups)
        self._full = None
