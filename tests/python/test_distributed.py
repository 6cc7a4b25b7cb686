"""Process groups: what the operations give, in real processes."""

from __future__ import annotations

import operator
from functools import reduce
from typing import Any

import pytest

import onetape as torch
import onetape.distributed as dist
from tests.python.support.ranks import run

pytestmark = pytest.mark.skipif(not dist.is_gloo_available(), reason="built without Gloo")

FLOATS = ("float16", "bfloat16", "float32", "float64")
INTEGERS = ("bool", "uint8", "int8", "int16", "int32", "int64")
COMPLEX = ("complex64", "complex128")


def own_values(dtype: str, rank: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(rank)
    if dtype in INTEGERS:
        return torch.randint(0, 2 if dtype == "bool" else 5, (7,), generator=generator).to(getattr(torch, dtype))
    return torch.randn(7, generator=generator).to(getattr(torch, dtype))


def reductions() -> list[str]:
    """Every operation on every dtype against the same operation on the stacked values; the ones that differ."""
    wrong = []
    rank, world = dist.get_rank(), dist.get_world_size()
    pairs = {
        "SUM": torch.add,
        "PRODUCT": torch.mul,
        "MIN": torch.minimum,
        "MAX": torch.maximum,
        "BAND": torch.bitwise_and,
        "BOR": torch.bitwise_or,
        "BXOR": torch.bitwise_xor,
        "AVG": torch.add,
    }
    for dtype in (*FLOATS, *INTEGERS, *COMPLEX):
        values = [own_values(dtype, other) for other in range(world)]
        for name, function in pairs.items():
            tensor = values[rank].clone()
            try:
                dist.all_reduce(tensor, getattr(dist.ReduceOp, name))
            except (RuntimeError, ValueError, NotImplementedError) as error:
                allowed = (
                    (dtype in COMPLEX and name not in ("SUM", "AVG"))
                    or (name.startswith("B") and dtype not in INTEGERS)
                    or (name == "AVG" and dtype in INTEGERS)
                )
                if not allowed or not torch.equal(tensor, values[rank]):
                    wrong.append(f"{dtype} {name}: {error}")
                continue
            expected = reduce(function, values)
            expected = expected / world if name == "AVG" else expected
            # The order of a sum of three depends on where an element stands.
            error = 5e-2 if dtype in ("float16", "bfloat16") else 1e-5
            if tensor.dtype != values[0].dtype or not torch.allclose(tensor, expected, error, error):
                wrong.append(f"{dtype} {name}: {tensor} instead of {expected}")
    return wrong


@pytest.mark.parametrize("world", [1, 2, 3])
def test_reductions(world: int) -> None:
    assert run(world, reductions) == [[]] * world


def moves() -> dict[str, Any]:
    rank, world = dist.get_rank(), dist.get_world_size()
    own = torch.arange(3.0) + 10 * rank
    out: dict[str, Any] = {}
    tensor = own.clone()
    dist.broadcast(tensor, world - 1)
    out["broadcast"] = tensor.tolist()
    tensor = own.clone()
    dist.reduce(tensor, 0)
    out["reduce"] = tensor.tolist()
    parts = [torch.zeros(3) for _ in range(world)]
    dist.all_gather(parts, own)
    out["all_gather"] = [part.tolist() for part in parts]
    flat, stacked = torch.zeros(3 * world), torch.zeros(world, 3)
    dist.all_gather_into_tensor(flat, own)
    dist.all_gather_into_tensor(stacked, own)
    out["into"] = [flat.tolist(), stacked.flatten().tolist()]
    gathered = [torch.zeros(3) for _ in range(world)] if rank == 0 else None
    dist.gather(own, gathered)
    out["gather"] = None if gathered is None else [part.tolist() for part in gathered]
    tensor = torch.zeros(2)
    dist.scatter(tensor, [torch.full((2,), float(k)) for k in range(world)] if rank == 0 else None)
    out["scatter"] = tensor.tolist()
    tensor = torch.zeros(2)
    dist.reduce_scatter(tensor, [torch.full((2,), float(k + rank)) for k in range(world)])
    out["reduce_scatter"] = tensor.tolist()
    tensor = torch.zeros(1)
    dist.reduce_scatter_tensor(tensor, torch.arange(float(world)) + rank, dist.ReduceOp.AVG)
    out["reduce_scatter_tensor"] = tensor.tolist()
    parts = [torch.zeros(k + 1) for k in range(world)]
    dist.all_to_all(parts, [torch.full((rank + 1,), 100.0 * rank + k) for k in range(world)])
    out["all_to_all"] = [part.tolist() for part in parts]
    tensor = torch.zeros(world)
    dist.all_to_all_single(tensor, torch.arange(float(world)) + 10 * rank)
    out["all_to_all_single"] = tensor.tolist()
    both = [own.clone(), own.clone()[:2]]
    dist.all_reduce_coalesced(both)
    out["coalesced"] = [one.tolist() for one in both]
    return out


@pytest.mark.parametrize("world", [1, 2, 3])
def test_moves(world: int) -> None:
    ranks = range(world)
    owns = [[10.0 * rank + k for k in range(3)] for rank in ranks]
    total = [sum(column) for column in zip(*owns, strict=True)]
    for rank, got in enumerate(run(world, moves)):
        assert got["broadcast"] == owns[-1]
        assert got["reduce"] == (total if rank == 0 else owns[rank])
        assert got["all_gather"] == owns
        assert got["into"] == [reduce(operator.add, owns)] * 2
        assert got["gather"] == (owns if rank == 0 else None)
        assert got["scatter"] == [float(rank)] * 2
        assert got["reduce_scatter"] == [float(sum(rank + other for other in ranks))] * 2
        assert got["reduce_scatter_tensor"] == pytest.approx([sum(rank + other for other in ranks) / world])
        assert got["all_to_all"] == [[100.0 * other + rank] * (other + 1) for other in ranks]
        assert got["all_to_all_single"] == [10.0 * other + rank for other in ranks]
        assert got["coalesced"] == [total, total[:2]]


def layouts() -> list[str]:
    rank = dist.get_rank()
    wrong = []

    def expect(name: str, got: torch.Tensor, expected: torch.Tensor) -> None:
        if not torch.equal(got, expected):
            wrong.append(f"{name}: {got} instead of {expected}")

    whole = torch.arange(12.0).view(3, 4) * (rank + 1)
    column = whole[:, 1]
    dist.all_reduce(column)
    expect("column", column, torch.tensor([1.0, 5, 9]) * 3)
    expect("beside", whole[:, 0], torch.tensor([0.0, 4, 8]) * (rank + 1))
    turned = whole.t()
    dist.broadcast(turned, 0)
    expect("turned", whole[:, 2], torch.tensor([2.0, 6, 10]))
    out = torch.zeros(2, 6).t()
    dist.all_gather_into_tensor(out, torch.full((3, 2), float(rank)))
    expect("gathered", out[:3], torch.zeros(3, 2))
    expect("gathered", out[3:], torch.ones(3, 2))
    for empty in (torch.zeros(0), torch.zeros(3, 0, 2)):
        dist.all_reduce(empty)
        dist.broadcast(empty, 0)
        dist.all_gather([torch.zeros_like(empty), torch.zeros_like(empty)], empty)
    try:
        dist.all_reduce(torch.ones(1).expand(3))
        wrong.append("expanded")
    except RuntimeError as error:
        if "single memory location" not in str(error):
            wrong.append(str(error))
    leaf = torch.ones(3, requires_grad=True)
    dist.all_reduce(leaf)
    expect("leaf", leaf.detach(), torch.full((3,), 2.0))
    if not leaf.requires_grad or leaf.grad_fn is not None:
        wrong.append("leaf changed its history")
    saved = torch.ones(3)
    product = leaf * saved
    dist.all_reduce(saved)
    try:
        product.sum().backward()
        wrong.append("a changed tensor was used for backward")
    except RuntimeError as error:
        if "modified by an inplace operation" not in str(error):
            wrong.append(str(error))
    with torch.inference_mode():
        inference = torch.ones(2, 2)
        dist.all_reduce(inference.t())
    expect("inference", inference.clone(), torch.full((2, 2), 2.0))
    return wrong


def test_layouts() -> None:
    assert run(2, layouts) == [[], []]


def messages() -> Any:
    rank, world = dist.get_rank(), dist.get_world_size()
    other = (rank + 1) % world
    before = (rank - 1) % world
    out, into = torch.full((3,), float(rank)), torch.zeros(3)
    sending = dist.isend(out, other, tag=7)
    assert dist.recv(into, before, tag=7) == before
    assert sending is not None and sending.wait()
    assert into.tolist() == [float(before)] * 3
    # Of one tag in order, of several in any.
    works = [dist.isend(torch.full((2,), float(k)), other, tag=k % 2) for k in range(6)]
    got = torch.zeros(6, 2)
    for k in (1, 0, 3, 2, 5, 4):
        dist.recv(got[k], before, tag=k % 2)
    assert got[:, 0].tolist() == [0.0, 1, 2, 3, 4, 5]
    assert all(work is not None and work.wait() for work in works)
    operations = [dist.P2POp(dist.isend, out, other), dist.P2POp(dist.irecv, into.t(), before)]
    for work in dist.batch_isend_irecv(operations):
        work.wait()
    if rank == 0:
        senders = [dist.recv(torch.zeros(1)) for _ in range(world - 1)]
        assert sorted(senders) == list(range(1, world))
        dist.send(torch.zeros(0), 1)
        dist.send_object_list([{"a": [1]}, "text"], 1)
    else:
        dist.send(torch.ones(1), 0)
    if rank == 1:
        assert dist.recv(torch.zeros(0), 0) == 0
        objects: list[Any] = [None, None]
        assert dist.recv_object_list(objects, 0) == 0 and objects == [{"a": [1]}, "text"]
    dist.barrier()
    with pytest.raises(ValueError, match="^Invalid destination rank: destination rank should not be the same"):
        dist.send(out, rank)
    with pytest.raises(ValueError, match="^Invalid source rank"):
        dist.recv(out, rank)
    with pytest.raises(RuntimeError, match="invalid rank: 9"):
        dist.send(out, 9)


@pytest.mark.parametrize("world", [2, 3])
def test_messages(world: int) -> None:
    run(world, messages)


def objects() -> list[Any]:
    rank, world = dist.get_rank(), dist.get_world_size()
    mine = {"rank": rank, "text": "x" * (100 * rank), "tensor": torch.ones(rank)}
    everyone: list[Any] = [None] * world
    dist.all_gather_object(everyone, mine)
    gathered: list[Any] | None = [None] * world if rank == 1 else None
    dist.gather_object(rank, gathered, dst=1)
    sent: list[Any] = ["from", {0: rank}] if rank == 0 else [None, None]
    dist.broadcast_object_list(sent, 0)
    one: list[Any] = [None]
    dist.scatter_object_list(one, [f"for {k}" for k in range(world)] if rank == 0 else None)
    return [[each["rank"] for each in everyone], len(everyone[-1]["text"]), gathered, sent, one[0]]


def test_objects() -> None:
    for rank, got in enumerate(run(2, objects)):
        assert got == [[0, 1], 100, [0, 1] if rank == 1 else None, ["from", {0: 0}], f"for {rank}"]
