"""Functions that reduce the gradients of DistributedDataParallel, for ``register_comm_hook``.

Given to it as they are, they run without Python.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import onetape as torch
from onetape import Tensor
from onetape._C._distributed import BuiltinCommHookType, GradBucket, ProcessGroup
from onetape.distributed._groups import group_or_world
from onetape.distributed._work import get_future
from onetape.futures import Future

Hook = Callable[[ProcessGroup | None, GradBucket], Future[Tensor]]


def _builtin(kind: BuiltinCommHookType) -> Callable[[Hook], Hook]:
    def mark(hook: Hook) -> Hook:
        hook._builtin = kind  # type: ignore[attr-defined]
        return hook

    return mark


def _reduced(process_group: ProcessGroup | None, buffer: Tensor) -> Future[Tensor]:
    group = group_or_world(process_group)
    work = group.all_reduce(buffer.div_(group.size()), torch.distributed.ReduceOp.SUM)
    return get_future(work).then(lambda done: done.value()[0])


@_builtin(BuiltinCommHookType.ALLREDUCE)
def allreduce_hook(process_group: ProcessGroup | None, bucket: GradBucket) -> Future[Tensor]:
    """The mean, as without a hook."""
    return _reduced(process_group, bucket.buffer())


@_builtin(BuiltinCommHookType.FP16_COMPRESS)
def fp16_compress_hook(process_group: ProcessGroup | None, bucket: GradBucket) -> Future[Tensor]:
    """The mean, of gradients that travel as float16."""
    dtype = bucket.buffer().dtype
    return _reduced(process_group, bucket.buffer().to(torch.float16)).then(lambda done: done.value().to(dtype))


@_builtin(BuiltinCommHookType.BF16_COMPRESS)
def bf16_compress_hook(process_group: ProcessGroup | None, bucket: GradBucket) -> Future[Tensor]:
    """The mean, of gradients that travel as bfloat16."""
    dtype = bucket.buffer().dtype
    return _reduced(process_group, bucket.buffer().to(torch.bfloat16)).then(lambda done: done.value().to(dtype))


def noop_hook(_: Any, bucket: GradBucket) -> Future[Tensor]:
    """The own gradients, for measuring what reducing costs."""
    future: Future[Tensor] = Future()
    future.set_result(bucket.buffer())
    return future
