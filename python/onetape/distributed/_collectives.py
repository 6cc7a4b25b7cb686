"""What the processes of a group do together with tensors: the functions of ``torch.distributed``."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from onetape import Tensor
from onetape._C._distributed import ProcessGroup, RedOpType, Work
from onetape.distributed._groups import check_timeout, default_pg_timeout, get_group_rank, group_or_world, outside


class ReduceOp:
    """How tensors become one: SUM, AVG (floating-point only), PRODUCT, MIN, MAX, BAND, BOR, BXOR (integers only)."""

    RedOpType = RedOpType
    SUM = RedOpType.SUM
    AVG = RedOpType.AVG
    PRODUCT = RedOpType.PRODUCT
    MIN = RedOpType.MIN
    MAX = RedOpType.MAX
    BAND = RedOpType.BAND
    BOR = RedOpType.BOR
    BXOR = RedOpType.BXOR


def _finished(work: Work, async_op: bool) -> Work | None:
    if async_op:
        return work
    work.wait()
    return None


def _check_tensor(value: object, name: str) -> None:
    if not isinstance(value, Tensor):
        raise TypeError(
            f"Invalid function argument. Expected parameter `{name}` of type torch.Tensor\n"
            f"             but got {type(value)} instead."
        )


def _check_list(value: object, name: str) -> None:
    if not isinstance(value, (list, tuple)) or not all(isinstance(one, Tensor) for one in value):
        raise TypeError(
            f"Invalid function argument. Expected parameter `{name}` of type List[torch.Tensor]\n"
            f"             but got {type(value)} with elements of type {[type(one) for one in value]}."
            if isinstance(value, (list, tuple))
            else f"Invalid function argument. Expected parameter `{name}` of type List[torch.Tensor]\n"
            f"             but got {type(value)} instead."
        )


def root_of(
    group: ProcessGroup, rank: int | None, group_rank: int | None, name: str, otherwise: int | None = None
) -> int:
    """The rank within the group that is meant. Raises ValueError for two ranks, and for none without another choice."""
    if rank is not None and group_rank is not None:
        raise ValueError(f"Can't specify both group_{name} and {name}")
    if group_rank is not None:
        return group_rank
    if rank is None and otherwise is not None:
        return otherwise
    if rank is None:
        raise ValueError(f"Must specify {name} or group_{name}")
    ranks = group._ranks
    if ranks == list(range(len(ranks))):
        return rank  # checked further on
    return get_group_rank(group, rank)


def all_reduce(
    tensor: Tensor, op: RedOpType = ReduceOp.SUM, group: ProcessGroup | None = None, async_op: bool = False
) -> Work | None:
    """Puts the sum (or another ReduceOp) of the tensor over all processes into the tensor of each.

    Tensors have the same dtype and number of elements everywhere. Returns a handle with async_op.
    Raises TypeError: tensor is none. RuntimeError: op does not know the dtype; the operation failed.
    """
    _check_tensor(tensor, "tensor")
    if outside(group, "all_reduce"):
        return None
    return _finished(group_or_world(group).all_reduce(tensor, op), async_op)


def all_reduce_coalesced(
    tensors: Sequence[Tensor], op: RedOpType = ReduceOp.SUM, group: ProcessGroup | None = None, async_op: bool = False
) -> Work | None:
    """all_reduce for several tensors of one dtype at once."""
    _check_list(tensors, "tensor")
    if outside(group, "all_reduce_coalesced"):
        return None
    return _finished(group_or_world(group).all_reduce_coalesced(tensors, op), async_op)


def broadcast(
    tensor: Tensor,
    src: int | None = None,
    group: ProcessGroup | None = None,
    async_op: bool = False,
    group_src: int | None = None,
) -> Work | None:
    """Puts the elements of one process's tensor into the tensors of all."""
    _check_tensor(tensor, "tensor")
    if outside(group, "broadcast"):
        return None
    own = group_or_world(group)
    return _finished(own.broadcast(tensor, root_of(own, src, group_src, "src")), async_op)


def reduce(
    tensor: Tensor,
    dst: int | None = None,
    op: RedOpType = ReduceOp.SUM,
    group: ProcessGroup | None = None,
    async_op: bool = False,
    group_dst: int | None = None,
) -> Work | None:
    """Puts the sum (or another ReduceOp) over all processes into the tensor of one; those of others stay."""
    _check_tensor(tensor, "tensor")
    if outside(group, "reduce"):
        return None
    own = group_or_world(group)
    return _finished(own.reduce(tensor, root_of(own, dst, group_dst, "dst"), op), async_op)


def all_gather(
    tensor_list: list[Tensor], tensor: Tensor, group: ProcessGroup | None = None, async_op: bool = False
) -> Work | None:
    """Puts the tensors of all processes into a list of tensors, by rank."""
    _check_list(tensor_list, "tensor_list")
    _check_tensor(tensor, "tensor")
    if outside(group, "all_gather"):
        return None
    return _finished(group_or_world(group).all_gather(tensor_list, tensor), async_op)


def all_gather_into_tensor(
    output_tensor: Tensor, input_tensor: Tensor, group: ProcessGroup | None = None, async_op: bool = False
) -> Work | None:
    """Puts the tensors of all processes into one, one after the other: world size times as many elements."""
    _check_tensor(input_tensor, "input_tensor")
    _check_tensor(output_tensor, "output_tensor")
    if outside(group, "all_gather_into_tensor"):
        return None
    return _finished(group_or_world(group).all_gather_into_tensor(output_tensor, input_tensor), async_op)


def gather(
    tensor: Tensor,
    gather_list: list[Tensor] | None = None,
    dst: int | None = None,
    group: ProcessGroup | None = None,
    async_op: bool = False,
    group_dst: int | None = None,
) -> Work | None:
    """Puts the tensors of all processes into a list of tensors at one of them, rank 0 unless dst says another.

    Raises ValueError if the list is missing there, or given elsewhere.
    """
    _check_tensor(tensor, "tensor")
    if gather_list:
        _check_list(gather_list, "gather_list")
    if outside(group, "gather"):
        return None
    own = group_or_world(group)
    root = root_of(own, dst, group_dst, "dst", otherwise=0)
    if own.rank() == root and not gather_list:
        raise ValueError("Argument ``gather_list`` must be specified on destination rank.")
    if own.rank() != root and gather_list:
        raise ValueError("Argument ``gather_list`` must NOT be specified on non-destination ranks.")
    return _finished(own.gather(gather_list or [], tensor, root), async_op)


def scatter(
    tensor: Tensor,
    scatter_list: list[Tensor] | None = None,
    src: int | None = None,
    group: ProcessGroup | None = None,
    async_op: bool = False,
    group_src: int | None = None,
) -> Work | None:
    """Puts each tensor of a list at one process, rank 0 unless src says another, into the tensor of the rank.

    Raises ValueError if the list is missing there, or given elsewhere.
    """
    _check_tensor(tensor, "tensor")
    if scatter_list:
        _check_list(scatter_list, "scatter_list")
    if outside(group, "scatter"):
        return None
    own = group_or_world(group)
    root = root_of(own, src, group_src, "src", otherwise=0)
    if own.rank() == root and not scatter_list:
        raise ValueError("Argument ``scatter_list`` must be specified on source rank.")
    if own.rank() != root and scatter_list:
        raise ValueError("Argument ``scatter_list`` must NOT be specified on non-source ranks.")
    return _finished(own.scatter(tensor, scatter_list or [], root), async_op)


def reduce_scatter(
    output: Tensor,
    input_list: list[Tensor],
    op: RedOpType = ReduceOp.SUM,
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """Sums (or another ReduceOp) lists over all processes, and gives each rank the element with its number."""
    _check_tensor(output, "output")
    _check_list(input_list, "input_list")
    if outside(group, "reduce_scatter"):
        return None
    return _finished(group_or_world(group).reduce_scatter(output, input_list, op), async_op)


def reduce_scatter_tensor(
    output: Tensor,
    input: Tensor,
    op: RedOpType = ReduceOp.SUM,
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """Sums (or another ReduceOp) a tensor over all processes, and gives each rank its part: world size times fewer
    elements."""
    _check_tensor(output, "output")
    _check_tensor(input, "input")
    if outside(group, "reduce_scatter_tensor"):
        return None
    return _finished(group_or_world(group).reduce_scatter_tensor(output, input, op), async_op)


def all_to_all_single(
    output: Tensor,
    input: Tensor,
    output_split_sizes: list[int] | None = None,
    input_split_sizes: list[int] | None = None,
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """Sends each rank its part of dimension 0, equal ones unless sizes are given, and joins those that come."""
    _check_tensor(output, "output")
    _check_tensor(input, "input")
    if outside(group, "all_to_all_single"):
        return None
    splits = output_split_sizes or [], input_split_sizes or []
    return _finished(group_or_world(group).all_to_all_single(output, input, *splits), async_op)


def all_to_all(
    output_tensor_list: list[Tensor],
    input_tensor_list: list[Tensor],
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """Sends each rank a tensor of a list, and puts those that come into another list. Sizes may differ."""
    _check_list(output_tensor_list, "output_tensor_list")
    _check_list(input_tensor_list, "input_tensor_list")
    if outside(group, "all_to_all"):
        return None
    return _finished(group_or_world(group).all_to_all(output_tensor_list, input_tensor_list), async_op)


def barrier(group: ProcessGroup | None = None, async_op: bool = False, device_ids: Any = None) -> Work | None:
    """Waits until all processes have come here, and their earlier operations are done."""
    if outside(group, "barrier"):
        return None
    return _finished(group_or_world(group).barrier(), async_op)


def monitored_barrier(
    group: ProcessGroup | None = None, timeout: timedelta | None = None, wait_all_ranks: bool = False
) -> None:
    """A barrier at which rank 0 finds out who does not come, all of them with wait_all_ranks, and says so in the
    RuntimeError that it raises; the others raise one, too. The group can still be used after it."""
    if outside(group, "monitored_barrier"):
        return
    own = group_or_world(group)
    time = own._timeout if timeout is None else check_timeout(timeout)
    if time <= timedelta(0):
        raise ValueError(f"monitored_barrier: the timeout must be longer than nothing, but is {time}")
    own._monitored_barrier(min(time, default_pg_timeout * 1000), wait_all_ranks)
