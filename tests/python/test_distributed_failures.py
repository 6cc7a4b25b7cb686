"""Ranks that die, hang, or do something else: the others end with an error that says who and where, in time."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import onetape as torch
import onetape.distributed as dist
from tests.python.support.ranks import Ranks, free_port, run

pytestmark = pytest.mark.skipif(not dist.is_gloo_available(), reason="built without Gloo")

TIMEOUT = 2.0


def begin(rank: int, world: int, url: str) -> None:
    dist.init_process_group("gloo", url, timedelta(seconds=20), world, rank)
    dist.barrier()
    dist.set_timeout(timedelta(seconds=TIMEOUT))


def failing(rank: int, world: int, url: str, victim: int, how: str) -> Any:
    begin(rank, world, url)
    x = torch.ones(1000)
    dist.all_reduce(x)
    if rank == victim:
        if how == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        if how == "stopped":
            os.kill(os.getpid(), signal.SIGSTOP)
        if how == "asleep":
            time.sleep(TIMEOUT * 3)
        return "gone"
    begin_time = time.monotonic()
    try:
        dist.all_reduce(x)
    except dist.DistBackendError as error:
        first = str(error).splitlines()[0]
        try:
            dist.barrier()
        except dist.DistBackendError as again:
            return time.monotonic() - begin_time, first, str(again)
    return "no error"


@pytest.mark.parametrize("how", ["killed", "stopped", "asleep", "left"])
@pytest.mark.parametrize(("world", "victim"), [(2, 1), (3, 1), (3, 0)])
def test_one_goes(world: int, victim: int, how: str) -> None:
    url = f"tcp://127.0.0.1:{free_port()}"
    with Ranks(world, failing, world, url, victim, how, url="") as ranks:
        for rank in range(world):
            if rank != victim:
                seconds, error, again = ranks.answer(rank, 30)
                assert seconds < TIMEOUT + 1.5
                assert error.startswith(
                    f"all_reduce(SUM) of 1000 float32 (#2) failed on rank {rank} of group 'world': "
                )
                assert f"no sign of life from rank {victim}" in error
                assert "is of no more use" in again and f"rank {victim}" in again
        os.kill(ranks.processes[victim].pid or 0, signal.SIGKILL)


def different(rank: int, world: int, url: str) -> str:
    begin(rank, world, url)
    with pytest.raises(dist.DistBackendError) as caught:
        if rank == 0:
            dist.all_reduce(torch.ones(10))
        else:
            dist.broadcast(torch.ones(3, dtype=torch.float64), 0)
    return str(caught.value)


def test_calls_that_do_not_belong_together() -> None:
    first, second = run(2, different, 2, f"tcp://127.0.0.1:{free_port()}", url="")
    assert (
        "all_reduce(SUM) of 10 float32 (#1) failed on rank 0 of group 'world': rank 1 was in broadcast from rank 0"
        in first
    )
    assert "failed on rank 1 of group 'world': rank 0 was in all_reduce(SUM) of 10 float32 (#1)" in second


def other_sizes(rank: int, world: int, url: str, what: str) -> str:
    begin(rank, world, url)
    x = torch.ones(10 if rank == 0 else 7)
    with pytest.raises(dist.DistBackendError) as caught:
        if what == "all_reduce":
            dist.all_reduce(x)
        elif what == "gather":
            dist.gather(x, [torch.ones(10)] * 2 if rank == 0 else None)
        elif what == "all_to_all":
            dist.all_to_all([torch.ones(2 + 3 * rank), torch.ones(2)], [torch.ones(2), torch.ones(2)])
            dist.barrier()
        elif rank == 0:
            dist.send(x, 1)
            dist.barrier()
        else:
            dist.recv(x, 0)
    return str(caught.value)


@pytest.mark.parametrize("what", ["all_reduce", "gather", "all_to_all", "send"])
def test_other_sizes(what: str) -> None:
    texts = run(2, other_sizes, 2, f"tcp://127.0.0.1:{free_port()}", what, url="")
    if what == "send":
        assert "rank 0 sends 10 float32, but rank 1 has room for 7 float32" in texts[1]
    elif what == "all_to_all":
        assert any("bytes to rank" in text and "which has room for" in text for text in texts)
    else:
        assert "of 10 float32" in texts[0] and "rank 1 was in" in texts[0] and "of 7 float32" in texts[0]


def monitored(rank: int, world: int, url: str, all_ranks: bool) -> Any:
    begin(rank, world, url)
    text = None
    if rank not in (1, 2):
        with pytest.raises(RuntimeError) as caught:
            dist.monitored_barrier(timeout=timedelta(seconds=1), wait_all_ranks=all_ranks)
        text = str(caught.value)
    else:
        time.sleep(2)
    total = torch.ones(1)
    dist.all_reduce(total)  # the group is as it was
    return text, total.item()


@pytest.mark.parametrize("all_ranks", [False, True])
def test_monitored_barrier(all_ranks: bool) -> None:
    answers = run(4, monitored, 4, f"tcp://127.0.0.1:{free_port()}", all_ranks, url="")
    who = "Ranks 1, 2" if all_ranks else "Rank 1"
    assert answers[0][0] == f"[Rank 0]: {who} failed to pass monitoredBarrier in 1000 ms"
    assert answers[3][0].startswith("Rank 3 successfully reached monitoredBarrier, but received errors")
    assert who in answers[3][0] and [total for _, total in answers] == [4.0] * 4


def alone(rank: int, url: str) -> str:
    begin_time = time.monotonic()
    with pytest.raises(dist.DistError) as caught:
        dist.init_process_group("gloo", url, timedelta(seconds=1), 2, 0)
    assert time.monotonic() - begin_time < 3 and not dist.is_initialized()
    return str(caught.value)


def test_others_that_do_not_come() -> None:
    assert "1/2 clients joined" in run(1, alone, f"tcp://127.0.0.1:{free_port()}", url="")[0]


def test_ctrl_c_ends_a_wait(tmp_path: Path) -> None:
    script = tmp_path / "wait.py"
    script.write_text(
        "import sys, onetape as torch, onetape.distributed as dist\n"
        "dist.init_process_group('gloo', sys.argv[1], rank=int(sys.argv[2]), world_size=2)\n"
        "print('ready', flush=True)\n"
        "if sys.argv[2] == '0':\n    sys.stdin.read()\n"
        "dist.all_reduce(torch.ones(1))\n"
    )
    url = f"tcp://127.0.0.1:{free_port()}"
    commands = [[sys.executable, str(script), url, str(rank)] for rank in range(2)]
    first, second = (
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for command in commands
    )
    assert first.stdout and second.stdout and first.stdout.readline() == second.stdout.readline() == "ready\n"
    time.sleep(0.3)
    second.send_signal(signal.SIGINT)
    _, errors = second.communicate(timeout=10)
    assert "KeyboardInterrupt" in errors
    first.kill()
    first.communicate()


def test_build_without_gloo(tmp_path: Path) -> None:
    package = tmp_path / "onetape"
    shutil.copytree(Path(torch.__file__).parent, package, ignore=shutil.ignore_patterns("libonetape_gloo.so", "*.jar"))
    code = (
        "import onetape as torch, onetape.distributed as dist\n"
        "assert torch.ones(2).sum() == 2 and dist.is_available() and not dist.is_gloo_available()\n"
        "dist.init_process_group('gloo', 'tcp://127.0.0.1:1', rank=0, world_size=1)\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, text=True
    )
    assert "RuntimeError: Distributed package doesn't have Gloo built in" in result.stderr
    assert "libgloo-dev" in result.stderr
