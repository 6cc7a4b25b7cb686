"""What ranks do whose inputs have run out while others go on."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING

import onetape as torch
from onetape.distributed import _collectives as dist

if TYPE_CHECKING:
    from onetape.nn.parallel.distributed import DistributedDataParallel

EXHAUSTED = "Detected at least one rank that exhausted inputs. Throwing across all ranks."


class Round:
    """What all ranks know of one forward pass: who still has inputs, and what those who have do together."""

    def __init__(self, model: DistributedDataParallel, active: bool, reduces: bool, sends_buffers: bool) -> None:
        group = model.process_group
        own = torch.tensor([active, reduces, sends_buffers], dtype=torch.int64)
        every = torch.zeros(group.size(), 3, dtype=torch.int64)
        dist.all_gather_into_tensor(every, own, group)
        rows = [[int(number) for number in row] for row in every.tolist()]
        self.active = [rank for rank, row in enumerate(rows) if row[0]]
        self.reduces = any(row[1] for row in rows)
        self.sends_buffers = any(row[2] for row in rows)


class Joining:
    """The context that ``DistributedDataParallel.join`` gives."""

    def __init__(self, model: DistributedDataParallel, by_world: bool, enable: bool, throws: bool) -> None:
        self.model, self.by_world, self.enable, self.throws = model, by_world, enable, throws
        self.passes = 0

    def __enter__(self) -> Joining:
        if self.enable:
            self.model._joining = self
        return self

    def begin(self, reduces: bool, sends_buffers: bool) -> Round:
        """Before the forward pass of a rank that has inputs."""
        round_ = Round(self.model, True, reduces, sends_buffers)
        self.passes += 1
        if self.throws and len(round_.active) < self.model.process_group.size():
            raise RuntimeError(EXHAUSTED)
        self._set_divisor(round_)
        return round_

    def _set_divisor(self, round_: Round) -> None:
        self.model.reducer.set_divisor(0 if self.by_world else len(round_.active))

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if not self.enable:
            return
        self.model._joining = None
        if kind is not None:
            return
        try:
            self._shadow()
        finally:
            self.model.reducer.set_divisor(0)

    def _shadow(self) -> None:
        """Takes part in what the others do until they have no inputs either; then all get the newest model."""
        model = self.model
        while True:
            round_ = Round(model, False, False, False)
            if not round_.active:
                break
            if self.throws:
                raise RuntimeError(EXHAUSTED)
            self._set_divisor(round_)
            if round_.sends_buffers:
                model._send(model._buffers_to_send(), round_.active[0])
            if round_.reduces:
                model.reducer.shadow()
        model._send(model._all_tensors(), self._newest())

    def _newest(self) -> int:
        """The first of the ranks that had the most inputs."""
        group = self.model.process_group
        passes = torch.zeros(group.size(), dtype=torch.int64)
        dist.all_gather_into_tensor(passes, torch.tensor([self.passes]), group)
        return int(passes.argmax().item())
