"""Process groups: how they begin and end, what they refuse, and the handles of operations."""

from __future__ import annotations

import os
import pickle
import warnings
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import onetape as torch
import onetape.distributed as dist
from onetape import jit, nn, optim
from onetape.futures import Future, collect_all, wait_all
from onetape.nn.parallel import DistributedDataParallel
from tests.python.support.ranks import free_port, run

pytestmark = pytest.mark.skipif(not dist.is_gloo_available(), reason="built without Gloo")


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


def on_a_tape() -> list[float]:
    with pytest.raises(RuntimeError, match=r"^Tape: all_reduce\(SUM\) of 2 float32 cannot be recorded"):
        jit.record(dist.all_reduce, torch.ones(2))
    model = DistributedDataParallel(nn.Linear(2, 1))
    step = jit.compile_step(lambda x: model(x).sum(), optim.SGD(model.parameters(), lr=0.1))
    step(torch.ones(3, 2))  # makes the state
    with pytest.raises(RuntimeError, match=r"^Tape: .* cannot be recorded, since other processes take part in it"):
        step(torch.ones(3, 2))
    total = torch.ones(2)
    dist.all_reduce(total)
    return total.tolist()


def test_tapes_refuse_what_others_take_part_in() -> None:
    assert run(2, on_a_tape) == [[2.0, 2.0]] * 2


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
