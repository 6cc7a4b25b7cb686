"""Collectives for any Python objects that can be pickled. What comes is unpickled, so all members must be trusted."""

from __future__ import annotations

import pickle
from typing import Any

import onetape as torch
from onetape import Tensor
from onetape._C._distributed import ProcessGroup
from onetape.distributed import _collectives as tensors
from onetape.distributed import _messages as messages
from onetape.distributed._collectives import root_of
from onetape.distributed._groups import group_or_world, outside


def _packed(value: object) -> Tensor:
    return torch.frombuffer(bytearray(pickle.dumps(value)), dtype=torch.uint8)


def _unpacked(bytes_: Tensor) -> Any:
    return pickle.loads(bytes(memoryview(bytes_.contiguous())))  # type: ignore[arg-type]


def _packed_all(values: list[Any]) -> tuple[Tensor, Tensor]:
    """Their sizes, and all of their bytes."""
    packed = [_packed(value) for value in values]
    return torch.tensor([one.numel() for one in packed], dtype=torch.int64), torch.cat(packed)


def _unpack_into(values: list[Any], sizes: list[int], bytes_: Tensor) -> None:
    for index, part in enumerate(torch.split(bytes_, sizes)):
        values[index] = _unpacked(part)


def _sizes_of_all(packed: Tensor, group: ProcessGroup) -> list[int]:
    sizes = torch.zeros(group.size(), dtype=torch.int64)
    tensors.all_gather_into_tensor(sizes, torch.tensor([packed.numel()]), group)
    return [int(size) for size in sizes.tolist()]


def _padded(packed: Tensor, size: int) -> Tensor:
    padded = torch.zeros(size, dtype=torch.uint8)
    padded[: packed.numel()] = packed
    return padded


def all_gather_object(object_list: list[Any], obj: object, group: ProcessGroup | None = None) -> None:
    """Puts the objects of all processes into a list of as many places, by rank."""
    if outside(group, "all_gather_object"):
        return
    own = group_or_world(group)
    packed = _packed(obj)
    sizes = _sizes_of_all(packed, own)
    most = max(sizes)
    everything = torch.zeros(most * own.size(), dtype=torch.uint8)
    tensors.all_gather_into_tensor(everything, _padded(packed, most), own)
    for rank, size in enumerate(sizes):
        object_list[rank] = _unpacked(everything[rank * most : rank * most + size])


def gather_object(
    obj: object,
    object_gather_list: list[Any] | None = None,
    dst: int | None = None,
    group: ProcessGroup | None = None,
    group_dst: int | None = None,
) -> None:
    """Puts the objects of all processes into a list at one of them, rank 0 unless dst says another.

    Raises ValueError if the list is missing there, or given elsewhere.
    """
    if outside(group, "gather_object"):
        return
    own = group_or_world(group)
    root = root_of(own, dst, group_dst, "dst", otherwise=0)
    here = own.rank() == root
    if here and not object_gather_list:
        raise ValueError("Argument ``gather_list`` must be specified on destination rank.")
    if not here and object_gather_list:
        raise ValueError("Argument ``gather_list`` must NOT be specified on non-destination ranks.")
    packed = _packed(obj)
    sizes = _sizes_of_all(packed, own)
    most = max(sizes)
    parts = [torch.zeros(most, dtype=torch.uint8) for _ in sizes] if here else None
    tensors.gather(_padded(packed, most), parts, group=own, group_dst=root)
    if parts is not None and object_gather_list is not None:
        for rank, part in enumerate(parts):
            object_gather_list[rank] = _unpacked(part[: sizes[rank]])


def broadcast_object_list(
    object_list: list[Any],
    src: int | None = None,
    group: ProcessGroup | None = None,
    device: object = None,
    group_src: int | None = None,
) -> None:
    """Puts the objects of one process's list, rank 0's unless src says another, into the lists of all."""
    if outside(group, "broadcast_object_list"):
        return
    own = group_or_world(group)
    root = root_of(own, src, group_src, "src", otherwise=0)
    here = own.rank() == root
    if not object_list:
        raise ValueError("broadcast_object_list: the list is empty")
    sizes = torch.zeros(len(object_list), dtype=torch.int64)
    packed = torch.zeros(0, dtype=torch.uint8)
    if here:
        sizes, packed = _packed_all(object_list)
    tensors.broadcast(sizes, group=own, group_src=root)
    if not here:
        packed = torch.zeros(int(sizes.sum().item()), dtype=torch.uint8)
    tensors.broadcast(packed, group=own, group_src=root)
    if not here:
        _unpack_into(object_list, [int(size) for size in sizes.tolist()], packed)


def scatter_object_list(
    scatter_object_output_list: list[Any],
    scatter_object_input_list: list[Any] | None = None,
    src: int | None = None,
    group: ProcessGroup | None = None,
    group_src: int | None = None,
) -> None:
    """Puts into the first place of each process's list the object with its rank of a list at one of them.

    Raises ValueError: the output list is empty, or the input list has not one object a rank.
    """
    if outside(group, "scatter_object_list"):
        return
    if not isinstance(scatter_object_output_list, list) or not scatter_object_output_list:
        raise ValueError("Expected argument scatter_object_output_list to be a list of size at least 1.")
    own = group_or_world(group)
    root = root_of(own, src, group_src, "src", otherwise=0)
    sizes = torch.zeros(own.size(), dtype=torch.int64)
    parts: list[Tensor] = []
    if own.rank() == root:
        if scatter_object_input_list is None or len(scatter_object_input_list) != own.size():
            raise ValueError(f"scatter_object_list: the source needs a list of {own.size()} objects")
        parts = [_packed(value) for value in scatter_object_input_list]
        sizes = torch.tensor([part.numel() for part in parts], dtype=torch.int64)
    tensors.broadcast(sizes, group=own, group_src=root)
    most = int(sizes.max().item())
    part = torch.zeros(most, dtype=torch.uint8)
    padded = [_padded(one, most) for one in parts]
    tensors.scatter(part, padded or None, group=own, group_src=root)
    scatter_object_output_list[0] = _unpacked(part[: int(sizes[own.rank()].item())])


def send_object_list(
    object_list: list[Any],
    dst: int | None = None,
    group: ProcessGroup | None = None,
    device: object = None,
    group_dst: int | None = None,
) -> None:
    """Sends the objects of a list to another process."""
    if outside(group, "send_object_list"):
        return
    sizes, packed = _packed_all(object_list)
    messages.send(sizes, dst, group, group_dst=group_dst)
    messages.send(packed, dst, group, group_dst=group_dst)


def recv_object_list(
    object_list: list[Any],
    src: int | None = None,
    group: ProcessGroup | None = None,
    device: object = None,
    group_src: int | None = None,
) -> int:
    """Receives as many objects as the list has places; returns the sender's global rank, -1 for no member."""
    if outside(group, "recv_object_list"):
        return -1
    sizes = torch.zeros(len(object_list), dtype=torch.int64)
    sender = messages.recv(sizes, src, group, group_src=group_src)
    packed = torch.zeros(int(sizes.sum().item()), dtype=torch.uint8)
    messages.recv(packed, sender, group)
    _unpack_into(object_list, [int(size) for size in sizes.tolist()], packed)
    return sender
