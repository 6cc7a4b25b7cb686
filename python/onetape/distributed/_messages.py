"""Messages from one process to one other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from onetape import Tensor
from onetape._C._distributed import ProcessGroup, Work
from onetape.distributed._collectives import _check_tensor, root_of
from onetape.distributed._groups import get_global_rank, group_or_world, outside


def isend(
    tensor: Tensor,
    dst: int | None = None,
    group: ProcessGroup | None = None,
    tag: int = 0,
    group_dst: int | None = None,
) -> Work | None:
    """Begins to send a tensor to another process; the tensor may not change before the handle is done.

    Messages of one tag arrive in order. Raises ValueError: dst is this process.
    """
    _check_tensor(tensor, "tensor")
    if outside(group, "isend"):
        return None
    own = group_or_world(group)
    return own.send(tensor, root_of(own, dst, group_dst, "dst"), tag)


def irecv(
    tensor: Tensor,
    src: int | None = None,
    group: ProcessGroup | None = None,
    tag: int = 0,
    group_src: int | None = None,
) -> Work | None:
    """Begins to receive a tensor of the same dtype and number of elements, from any process if src is None."""
    _check_tensor(tensor, "tensor")
    if outside(group, "irecv"):
        return None
    own = group_or_world(group)
    source = None if src is None and group_src is None else root_of(own, src, group_src, "src")
    return own.recv(tensor, source, tag)


def send(
    tensor: Tensor,
    dst: int | None = None,
    group: ProcessGroup | None = None,
    tag: int = 0,
    group_dst: int | None = None,
) -> None:
    """Sends a tensor to another process."""
    work = isend(tensor, dst, group, tag, group_dst)
    if work is not None:
        work.wait()


def recv(
    tensor: Tensor,
    src: int | None = None,
    group: ProcessGroup | None = None,
    tag: int = 0,
    group_src: int | None = None,
) -> int:
    """Receives a tensor; returns the global rank of the sender, -1 where this process is no member."""
    work = irecv(tensor, src, group, tag, group_src)
    if work is None:
        return -1
    work.wait()
    own = group_or_world(group)
    return get_global_rank(own, work.source_rank())


class P2POp:
    """One message for batch_isend_irecv: ``op`` is isend or irecv. Raises ValueError for another."""

    def __init__(
        self,
        op: Callable[..., Any],
        tensor: Tensor,
        peer: int | None = None,
        group: ProcessGroup | None = None,
        tag: int = 0,
        group_peer: int | None = None,
    ) -> None:
        if op not in (isend, irecv):
            raise ValueError(
                "Invalid ``op``. Expected ``op`` to be of type ``torch.distributed.isend`` or "
                "``torch.distributed.irecv``."
            )
        _check_tensor(tensor, "tensor")
        self.op, self.tensor, self.group, self.tag = op, tensor, group, tag
        self.peer, self.group_peer = peer, group_peer

    def __repr__(self) -> str:
        return f"P2POp({self.op.__name__} peer={self.peer}, {tuple(self.tensor.shape)}, {self.tensor.dtype})"


def batch_isend_irecv(p2p_op_list: list[P2POp]) -> list[Work]:
    """Begins all messages of a list, and returns their handles. Raises ValueError for anything else in it."""
    if not isinstance(p2p_op_list, list) or not all(isinstance(one, P2POp) for one in p2p_op_list):
        raise ValueError("Invalid ``p2p_op_list``. Each op is expected to to be of type ``torch.distributed.P2POp``.")
    works = [one.op(one.tensor, one.peer, one.group, one.tag, one.group_peer) for one in p2p_op_list]
    return [work for work in works if work is not None]
