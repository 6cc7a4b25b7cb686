"""Process groups: what the operations give, in real processes."""

from __future__ import annotations

import operator
import os
import pickle
import warnings
from datetime import timedelta
from functools import reduce
from pathlib import Path
from typing import Any

import pytest

import onetape as torch
import onetape.distributed as dist
from onetape.futures import Future, collect_all, wait_all
from tests.python.support.ranks import free_port, run

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


def handles() -> None:
    tensor = torch.ones(3)
    works = [dist.all_reduce(torch.full((4,), float(k)), async_op=True) for k in range(50)]
    assert all(work is not None and work.wait() for work in works)
    assert [work.result()[0].tolist() for work in works if work] == [[2.0 * k] * 4 for k in range(50)]
    work = dist.all_reduce(tensor, async_op=True)
    assert work is not None
    future = work.get_future().then(lambda done: done.value()[0] + 1)  # type: ignore[attr-defined]
    assert future.wait().tolist() == [3.0] * 3 and future.done()
    assert work.wait(timedelta(seconds=5)) and work.is_completed() and work.is_success() and work.exception() is None
    assert work.result()[0] is tensor
    with pytest.raises(RuntimeError, match="source_rank"):
        work.source_rank()
    barrier = dist.barrier(async_op=True)
    assert barrier is not None and barrier.wait()


def test_handles() -> None:
    run(2, handles)


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


def groups() -> Any:
    rank = dist.get_rank()
    assert dist.group.WORLD is dist.GroupMember.WORLD is not None and dist.get_world_size() == 3
    pair = dist.new_group([2, 0])
    tensor = torch.tensor([float(rank)])
    if rank == 1:
        assert pair == dist.GroupMember.NON_GROUP_MEMBER and dist.get_rank(pair) == -1
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            dist.all_reduce(tensor, group=pair)
        assert "Running all_reduce on global rank 1 which does not belong" in str(caught[0].message)
    else:
        assert dist.get_process_group_ranks(pair) == [0, 2] and dist.get_world_size(pair) == 2
        assert dist.get_group_rank(pair, 2) == 1 and dist.get_global_rank(pair, 1) == 2
        dist.all_reduce(tensor, group=pair)
        assert tensor.item() == 2
        dist.broadcast(tensor, 2, group=pair)
        with pytest.raises(ValueError, match="Global rank 1 is not part of group"):
            dist.broadcast(tensor, 1, group=pair)
        with pytest.raises(ValueError, match="Group rank 5 is not part of group"):
            dist.get_global_rank(pair, 5)
        local = dist.new_group([0, 2], use_local_synchronization=True)
        dist.barrier(local)
        dist.destroy_process_group(local)
        with pytest.raises(ValueError, match="Invalid process group specified"):
            dist.destroy_process_group(local)
        with pytest.raises(RuntimeError, match="is of no more use: it was destroyed"):
            dist.barrier(local)
    own, all_groups = dist.new_subgroups(1)
    assert dist.get_world_size(own) == 1 and len(all_groups) == 3
    for ranks, text in (
        ([0, 0], "twice"),
        ([3], "within the world_size"),
        ([0, 1, 2, 2], "less or equal"),
        ([], "no ranks"),
    ):
        with pytest.raises(ValueError, match=text):
            dist.new_group(ranks)
    dist.monitored_barrier(timeout=timedelta(seconds=10))
    with pytest.raises(ValueError, match="^trying to initialize the default process group twice!$"):
        dist.init_process_group("gloo", "tcp://127.0.0.1:1", rank=0, world_size=1)
    assert dist.get_backend() == "gloo" and dist.get_backend(dist.group.WORLD) == "gloo"
    dist.set_timeout(timedelta(seconds=5))


def test_groups() -> None:
    run(3, groups)


def checks() -> None:
    x, y = torch.ones(3), torch.ones(4)
    op = dist.ReduceOp
    cases: list[tuple[Any, type[Exception], str]] = [
        (lambda: dist.all_reduce([x]), TypeError, "Expected parameter `tensor` of type torch.Tensor"),  # type: ignore[arg-type]
        (lambda: dist.all_reduce(x, "sum"), TypeError, "incompatible function arguments"),  # type: ignore[arg-type]
        (lambda: dist.broadcast(x, 5), RuntimeError, "^ProcessGroupGloo::broadcast: invalid root rank: 5$"),
        (lambda: dist.broadcast(x, -1), RuntimeError, "invalid root rank: -1$"),
        (lambda: dist.broadcast(x), ValueError, "Must specify src or group_src"),
        (
            lambda: dist.all_gather([x, x], x),
            RuntimeError,
            r"^ProcessGroupGloo::allgather: invalid output tensor list at index 0 \(expected length 1, got 2\)$",
        ),
        (
            lambda: dist.all_gather([y], x),
            RuntimeError,
            r"^ProcessGroupGloo::allgather: invalid tensor size at index 0 \(expected \(3\), got \(4\)\)$",
        ),
        (
            lambda: dist.all_gather([x.long()], x),
            ValueError,
            "^Invalid usage of tensors with different dtypesFound torch.int64 and  torch.float32$",
        ),
        (lambda: dist.gather(x), ValueError, "^Argument ``gather_list`` must be specified on destination rank.$"),
        (lambda: dist.gather(x, [x, x]), RuntimeError, "Incorrect output list size 2. Output list size should be 1"),
        (lambda: dist.scatter(x), ValueError, "^Argument ``scatter_list`` must be specified on source rank.$"),
        (lambda: dist.scatter(x, [x, x]), RuntimeError, "Incorrect input list size 2. Input list size should be 1"),
        (lambda: dist.scatter(x, [y]), RuntimeError, r"ProcessGroupGloo::scatter: invalid tensor size at index 0"),
        (lambda: dist.reduce_scatter(x, [x, x]), RuntimeError, "^invalid input tensor list size, must be world size$"),
        (lambda: dist.reduce_scatter_tensor(x, y), ValueError, "same size as output size times world size"),
        (lambda: dist.all_gather_into_tensor(x, y), ValueError, "equal to world_size times input tensor size"),
        (lambda: dist.all_to_all([x], [y]), RuntimeError, "input and output tensors must have the same size$"),
        (lambda: dist.all_to_all([x, x], [x, x]), RuntimeError, "input tensor list size 2 does not match world size 1"),
        (lambda: dist.all_to_all_single(x, x, [2], [3]), RuntimeError, "^Split sizes doesn't match total dim 0 size$"),
        (lambda: dist.all_reduce(x, op.BAND), RuntimeError, "^Cannot use ReduceOp.BAND with non-integral dtype$"),
        (
            lambda: dist.all_reduce(x.to(torch.complex64), op.MAX),
            ValueError,
            "^all_reduce does not support RedOpType.MAX on complex tensors$",
        ),
        (lambda: dist.all_reduce(x.long(), op.AVG), RuntimeError, "^result type Float can't be cast to the desired"),
        (lambda: dist.P2POp(dist.all_reduce, x, 0), ValueError, "Invalid ``op``"),
        (lambda: dist.batch_isend_irecv([1]), ValueError, "Invalid ``p2p_op_list``"),  # type: ignore[list-item]
        (lambda: dist.get_backend(5), ValueError, "Process group 5 is not initialized"),  # type: ignore[arg-type]
        (lambda: dist.monitored_barrier(timeout=timedelta(0)), ValueError, "longer than nothing"),
        (lambda: dist.set_timeout(3), TypeError, "timedelta, got 3"),  # type: ignore[arg-type]
        (lambda: dist.new_subgroups(), ValueError, "group_size"),
    ]
    for call, kind, text in cases:
        with pytest.raises(kind, match=text):
            call()
    assert x.tolist() == [1.0] * 3 and y.tolist() == [1.0] * 4


def test_checks() -> None:
    run(1, checks)


def test_without_a_group() -> None:
    text = "^Default process group has not been initialized, please make sure to call init_process_group.$"
    for call in (
        dist.get_rank,
        dist.get_world_size,
        dist.get_backend,
        dist.barrier,
        dist.monitored_barrier,
        dist.new_group,
    ):
        with pytest.raises(ValueError, match=text):
            call()
    with pytest.raises(ValueError, match=text):
        dist.all_reduce(torch.ones(1))
    with pytest.raises(AssertionError, match="^Process group cannot be None$"):
        dist.destroy_process_group()
    assert dist.group.WORLD is None and not dist.is_initialized() and dist.is_available()


@pytest.mark.parametrize(
    ("arguments", "kind", "text"),
    [
        ({"backend": "nccl"}, RuntimeError, "doesn't have NCCL built in"),
        ({"backend": "foo"}, RuntimeError, "Unknown c10d backend type FOO"),
        ({"init_method": "foo://x"}, RuntimeError, "^No rendezvous handler for foo://$"),
        (
            {"init_method": "tcp://127.0.0.1", "rank": 0, "world_size": 1},
            ValueError,
            "tcp:// rendezvous: port number missing$",
        ),
        ({"init_method": "tcp://127.0.0.1:1"}, ValueError, "tcp:// rendezvous: rank parameter missing$"),
        (
            {"init_method": "tcp://127.0.0.1:1", "rank": 0},
            ValueError,
            "tcp:// rendezvous: world size parameter missing$",
        ),
        ({"init_method": "tcp://127.0.0.1:1", "rank": 3, "world_size": 2}, ValueError, "rank 3 is not below"),
        ({"init_method": "tcp://127.0.0.1:x", "rank": 0, "world_size": 1}, ValueError, "must be a number, but is 'x'"),
        ({"init_method": "file://", "rank": 0, "world_size": 1}, ValueError, "file:// rendezvous: path missing$"),
        ({"init_method": "file:///no/such/folder", "rank": 0, "world_size": 1}, dist.DistStoreError, "cannot open"),
        ({"init_method": "env://"}, ValueError, "environment variable RANK expected, but not set$"),
        ({"store": dist.HashStore()}, AssertionError, "^world_size must be positive if using store$"),
        ({"store": dist.HashStore(), "init_method": "x"}, AssertionError, "Cannot specify both init_method and store."),
        ({"timeout": 5}, TypeError, "^Expected timeout argument to be of type datetime.timedelta, got 5$"),
        ({"init_method": "tcp://127.0.0.1:1", "rank": "0", "world_size": 1}, TypeError, "rank must be an int"),
    ],
)
def test_wrong_beginnings(
    arguments: dict[str, Any], kind: type[Exception], text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RANK", raising=False)
    with pytest.raises(kind, match=text):
        dist.init_process_group(**arguments)
    assert not dist.is_initialized()


def begin_by_environment(rank: int, port: int) -> Any:

    os.environ.update(
        RANK=str(rank), WORLD_SIZE="2", LOCAL_RANK=str(rank), MASTER_ADDR="localhost", MASTER_PORT=str(port)
    )
    assert dist.get_node_local_rank() == rank
    dist.init_process_group()
    total = torch.ones(2)
    dist.all_reduce(total)
    dist.destroy_process_group()
    # And once more, at the same place.
    dist.init_process_group(timeout=timedelta(seconds=30))
    dist.all_reduce(total)
    dist.destroy_process_group()
    return total.tolist()


def test_environment() -> None:
    assert run(2, begin_by_environment, free_port(), url="") == [[4.0, 4.0]] * 2


def begin_by_store(rank: int, path: str) -> Any:
    store = dist.FileStore(path, 2)
    dist.init_process_group("gloo", store=dist.PrefixStore("here", store), rank=rank, world_size=2)
    total = torch.ones(2)
    dist.all_reduce(total)
    return total.tolist()


def test_store_and_file(tmp_path: Path) -> None:
    assert run(2, begin_by_store, str(tmp_path / "store"), url="") == [[2.0, 2.0]] * 2
    run(2, handles, url=f"file://{tmp_path}/other")
    assert not (tmp_path / "other").exists()  # the last one removed it


def test_futures() -> None:
    future: Future[int] = Future()
    with pytest.raises(RuntimeError, match="no value yet"):
        future.value()
    seen: list[int] = []
    future.add_done_callback(lambda done: seen.append(done.value()))
    following = future.then(lambda done: done.value() / 0)
    future.set_result(3)
    assert future.wait() == 3 and seen == [3]
    with pytest.raises(ZeroDivisionError):
        following.wait()
    with pytest.raises(RuntimeError, match="only be set once"):
        future.set_result(4)
    assert wait_all([future, future]) == [3, 3] and collect_all([]).wait() == []
    with pytest.raises(ZeroDivisionError):
        wait_all([future, following])  # type: ignore[list-item]


def test_errors_are_runtime_errors() -> None:
    for kind in (dist.DistBackendError, dist.DistNetworkError, dist.DistStoreError):
        assert issubclass(kind, dist.DistError) and issubclass(kind, RuntimeError)
        assert pickle.loads(pickle.dumps(kind("x"))).args == ("x",)
