"""Processes of Python and of Java are members of the same group."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import onetape as torch
import onetape.distributed as dist
from onetape import jvm
from tests.python.support.ranks import Ranks, free_port

pytestmark = pytest.mark.skipif(not dist.is_gloo_available(), reason="built without Gloo")


def java(classes: Path, *arguments: object, rank: int | None = None) -> subprocess.Popen[str]:
    """A process that runs the program Ranks."""
    environment = dict(os.environ)
    if rank is not None:
        environment["RANK"] = str(rank)
    home = os.environ.get("JAVA_HOME")
    program = shutil.which("java", path=f"{home}/bin" if home else None) or shutil.which("java")
    assert program
    command = [program, "-ea", "-cp", f"{jvm.jar()}:{classes}", "Ranks", *map(str, arguments)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def lines_of(process: subprocess.Popen[str]) -> list[str]:
    out, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    return out.splitlines()


def moves() -> Any:
    rank, world = dist.get_rank(), dist.get_world_size()
    total = torch.tensor([rank + 1.0, 10.0], dtype=torch.float64)
    dist.all_reduce(total)
    most = torch.tensor([rank, -rank])
    dist.all_reduce(most, dist.ReduceOp.MAX)
    text = torch.tensor([7, 8, 9], dtype=torch.uint8)
    dist.broadcast(text, 0)
    everyone = [torch.zeros(2) for _ in range(world)]
    dist.all_gather(everyone, torch.full((2,), float(rank)))
    if rank == 0:
        dist.send(torch.arange(3.0), 1)
        answer = torch.zeros(2)
        assert dist.recv(answer, 1) == 1 and answer.tolist() == [4.0, 5.0]
    dist.barrier()
    later = torch.ones(1)
    dist.all_reduce(later)
    pair = dist.new_group([0, 1])
    if rank < 2:
        dist.all_reduce(later, group=pair)
    return [total.tolist(), most.tolist(), [one.tolist() for one in everyone], later.item()]


@pytest.mark.parametrize("by", ["tcp", "file"])
def test_one_group(classes: Path, tmp_path: Path, by: str) -> None:
    url = f"tcp://127.0.0.1:{free_port()}" if by == "tcp" else f"file://{tmp_path}/store"
    # The ranks 0 and 2 are Python's, 1 is Java's.
    with Ranks(3, moves, url=url, leave_out=1) as ranks:
        first = java(classes, "moves", url, 3, rank=1)
        answers = [ranks.answer(rank) for rank in (0, 2)]
        assert lines_of(first) == [
            "tensor([ 6., 30.], dtype=torch.float64)".replace(", dtype=torch.float64", ""),
            "tensor([2, 0])",
            "tensor([7, 8, 9], dtype=torch.uint8)",
            "[tensor([0., 0.]), tensor([1., 1.]), tensor([2., 2.])]",
            "0 tensor([0., 1., 2.])",
            "tensor([3.])",
            "tensor([6.])",
        ]
    expected = [[6.0, 30.0], [2, 0], [[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]]
    assert answers == [[*expected, 6.0], [*expected, 3.0]]


def survive() -> str:
    from datetime import timedelta

    dist.barrier()
    dist.set_timeout(timedelta(seconds=3))
    with pytest.raises(dist.DistBackendError) as caught:
        dist.all_reduce(torch.ones(1))
    return str(caught.value).splitlines()[0]


def test_a_java_process_dies(classes: Path) -> None:
    url = f"tcp://127.0.0.1:{free_port()}"
    with Ranks(2, survive, url=url, leave_out=1) as ranks:
        dying = java(classes, "dies", url, 2, 1)
        assert "failed on rank 0 of group 'world': no sign of life from rank 1" in ranks.answer(0)
        assert dying.wait(30) == 3
        dying.communicate()


def test_a_python_process_dies(classes: Path) -> None:
    url = f"tcp://127.0.0.1:{free_port()}"
    surviving = java(classes, "survives", url, 2, 1)
    code = (
        "import os, sys, onetape.distributed as dist\n"
        "dist.init_process_group('gloo', sys.argv[1], rank=0, world_size=2)\n"
        "dist.barrier()\nos._exit(3)\n"
    )
    assert subprocess.run([sys.executable, "-c", code, url], timeout=60).returncode == 3
    (line,) = lines_of(surviving)
    assert line.startswith("all_reduce(SUM) of 1 float32 (#1) failed on rank 1 of group 'world'")
    assert "no sign of life from rank 0" in line


def launch(classes: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Two processes that run the program Restarting, begun anew where one fails."""
    command = [sys.executable, "-m", "onetape.distributed.run", "--nproc-per-node", "2", "--max-restarts", "2"]
    command += ["--no-prefix", "--java", "-cp", str(classes), "Restarting", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def test_a_java_job_goes_on_from_its_checkpoint(classes: Path, tmp_path: Path) -> None:
    whole = launch(classes, tmp_path / "one", "whole")
    killed = launch(classes, tmp_path / "two", "kill")
    assert whole.returncode == killed.returncode == 0, killed.stderr
    losses = whole.stdout.splitlines()
    assert len(losses) == 10 and losses == killed.stdout.splitlines()
    assert "starting again (1 of 2)" in killed.stderr and "starting again" not in whole.stderr
