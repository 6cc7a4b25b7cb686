"""The module around a module that several processes train together."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import onetape as torch
from onetape import Tensor
from onetape._C import _distributed as _d
from onetape._C._distributed import BuiltinCommHookType, GradBucket, ProcessGroup, Reducer, Work
from onetape._tree import leaves
from onetape.distributed._groups import group_or_world
from onetape.nn.modules.module import Module
from onetape.nn.parallel._joining import Joining

FIRST_BUCKET_BYTES = 1 << 20
BUCKET_MB = 25.0


def _tensors_in(value: Any) -> list[Tensor]:
    """The tensors in what forward returned, however it is nested, also in dataclasses."""
    found: list[Tensor] = []
    for leaf in leaves(value):
        if isinstance(leaf, Tensor):
            found.append(leaf)
        else:
            for name in getattr(leaf, "__dataclass_fields__", ()):
                found += _tensors_in(getattr(leaf, name))
    return found


class DistributedDataParallel(Module):
    """Trains a module on several processes, each with its own part of the data: after backward, the gradients of all
    processes are the mean of theirs, the same to the last bit.

    Args:
        module: every process makes it alike; it gets the parameters and buffers of rank 0
        broadcast_buffers: before each forward pass buffers become those of rank 0
        process_group: the processes; all of them if None
        bucket_cap_mb: gradients travel in buckets of so many megabytes, 25 if None, while backward goes on
        find_unused_parameters: forward may leave parameters out; they are looked for in the graph of its results
        gradient_as_bucket_view: gradients are parts of the buckets, which saves memory and copies
        static_graph: as find_unused_parameters

    Raises:
        RuntimeError: the module has no parameter that requires a gradient; the ranks' modules differ.
        ValueError: there is no process group.
    """

    def __init__(
        self,
        module: Module,
        device_ids: list[Any] | None = None,
        output_device: Any = None,
        dim: int = 0,
        broadcast_buffers: bool = True,
        init_sync: bool = True,
        process_group: ProcessGroup | None = None,
        bucket_cap_mb: float | None = None,
        find_unused_parameters: bool = False,
        check_reduction: bool = False,
        gradient_as_bucket_view: bool = False,
        static_graph: bool = False,
    ) -> None:
        super().__init__()
        if device_ids:
            raise ValueError(
                "DistributedDataParallel device_ids and output_device arguments only work with single-device/"
                f"multiple-device GPU modules or CPU modules, but got device_ids {device_ids}, "
                f"output_device {output_device}, and module parameters { {torch.device('cpu')} }."
            )
        self.process_group = group_or_world(process_group)
        parameters = [p for p in module.parameters() if p.requires_grad]
        if not parameters:
            raise RuntimeError(
                "DistributedDataParallel is not needed when a module doesn't have any parameters that require a "
                "gradient."
            )
        cap = BUCKET_MB if bucket_cap_mb is None else bucket_cap_mb
        if not cap > 0:
            raise ValueError(f"DistributedDataParallel: bucket_cap_mb must be positive, but is {cap}")
        self.module = module
        self.broadcast_buffers = broadcast_buffers
        self.find_unused_parameters = find_unused_parameters or static_graph
        self.gradient_as_bucket_view = gradient_as_bucket_view
        self.require_backward_grad_sync = True
        self._buffers_are_new = True
        self._joining: Joining | None = None
        _d.verify_parameters(self.process_group, parameters)
        if init_sync:
            self._send(self._all_tensors(), 0)
        self.reducer = Reducer(
            self.process_group,
            parameters,
            int(cap * (1 << 20)),
            min(FIRST_BUCKET_BYTES, int(cap * (1 << 20))),
            self.find_unused_parameters,
            gradient_as_bucket_view,
        )

    def _all_tensors(self) -> list[Tensor]:
        return [*self.module.parameters(), *self.module.buffers()]

    def _buffers_to_send(self) -> list[Tensor]:
        return list(self.module.buffers()) if self.broadcast_buffers else []

    def _send(self, tensors: list[Tensor], source: int) -> None:
        """Tensors become those of one rank; those of a dtype travel together."""
        by_dtype: dict[torch.dtype, list[Tensor]] = {}
        for tensor in tensors:
            by_dtype.setdefault(tensor.dtype, []).append(tensor.detach())
        works: list[Work] = [self.process_group.broadcast_coalesced(one, source) for one in by_dtype.values()]
        for work in works:
            work.wait()

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """What the module makes of the inputs of this process."""
        reduces = torch.is_grad_enabled() and self.require_backward_grad_sync
        # After passes that were not reduced buffers are as those passes left them.
        buffers = self._buffers_to_send() if self._buffers_are_new else []
        source = 0
        if self._joining is not None:
            source = self._joining.begin(reduces, bool(buffers)).active[0]
        if buffers:
            self._send(buffers, source)
        result = self.module(*inputs, **kwargs)
        if reduces:
            self.reducer.prepare(_tensors_in(result))
            self._buffers_are_new = True
        else:
            self.reducer.skip()
            self._buffers_are_new = not torch.is_grad_enabled()
        return result

    @contextlib.contextmanager
    def no_sync(self) -> Iterator[None]:
        """While it is open, gradients stay on their rank and add up; the first backward pass after it, of a forward
        pass after it, reduces all."""
        before = self.require_backward_grad_sync
        self.require_backward_grad_sync = False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    def join(
        self,
        divide_by_initial_world_size: bool = True,
        enable: bool = True,
        throw_on_early_termination: bool = False,
    ) -> Joining:
        """A context for training with differing numbers of inputs: ranks that leave it take part in what the others do
        until all have, and have the same model then.

        Args:
            divide_by_initial_world_size: gradients are divided by the number of all ranks, else of those with inputs
            enable: False makes it do nothing
            throw_on_early_termination: all raise RuntimeError as soon as one has no more inputs
        """
        return Joining(self, divide_by_initial_world_size, enable, throw_on_early_termination)

    def register_comm_hook(self, state: Any, hook: Callable[[Any, GradBucket], Any]) -> None:
        """Has another function reduce buckets: ``hook(state, bucket)`` returns a future of the mean of their buffers.

        Those of ``onetape.distributed.algorithms.ddp_comm_hooks.default_hooks`` run without Python.
        """
        if not callable(hook):
            raise TypeError("Communication hook must be callable.")
        builtin = getattr(hook, "_builtin", None)
        group = state if isinstance(state, ProcessGroup) else None
        if builtin is not None and (group is None or group is self.process_group):
            self.reducer.set_builtin_hook(builtin)
        else:
            self.reducer.set_hook(lambda bucket: hook(state, bucket))

    def _register_builtin_comm_hook(self, comm_hook_type: BuiltinCommHookType) -> None:
        self.reducer.set_builtin_hook(comm_hook_type)

    def __getstate__(self) -> dict[str, Any]:
        raise RuntimeError(
            "DistributedDataParallel cannot be copied or pickled, since its process group cannot; take its .module"
        )
