"""Ranks in network namespaces of their own, joined by a cable that is slow, loses packets, and is pulled.

Needs the rights to make namespaces (root in a container has them) and, for delay and loss, a kernel with netem.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import onetape.distributed as dist

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT = 3.0

PROGRAM = f"""
import sys, time
from datetime import timedelta
import onetape as torch, onetape.distributed as dist
from onetape import nn
from onetape.nn.parallel import DistributedDataParallel
rank = int(sys.argv[1])
dist.init_process_group("gloo", "tcp://10.77.0.1:29500", timedelta(seconds=40), 2, rank)
torch.manual_seed(rank)
model = DistributedDataParallel(nn.Linear(100, 100))
for _ in range(3):
    model.zero_grad()
    model(torch.randn(4, 100)).pow(2).sum().backward()
all = [None, None]
dist.all_gather_object(all, [p.grad.sum().item() for p in model.parameters()])
print("same" if all[0] == all[1] else "different", flush=True)
dist.barrier()
dist.set_timeout(timedelta(seconds={TIMEOUT}))
begin = time.monotonic()
try:
    while True:
        dist.all_reduce(torch.ones(1000))
        begin = time.monotonic()
except dist.DistBackendError as error:
    print(round(time.monotonic() - begin, 2), str(error).splitlines()[0], flush=True)
"""


def ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)


@pytest.fixture
def cable() -> Iterator[tuple[str, str]]:
    """Two namespaces with an end each, called `end`."""
    names = f"onetape{os.getpid()}a", f"onetape{os.getpid()}b"
    if not shutil.which("ip"):
        pytest.skip("there is no program ip")
    try:
        for name in names:
            ip("netns", "add", name)
        ip("link", "add", "end", "netns", names[0], "type", "veth", "peer", "name", "end", "netns", names[1])
        for number, name in enumerate(names, 1):
            ip("-n", name, "addr", "add", f"10.77.0.{number}/24", "dev", "end")
            ip("-n", name, "link", "set", "end", "up")
            ip("-n", name, "link", "set", "lo", "up")
        yield names
    except subprocess.CalledProcessError as error:
        pytest.skip(f"no rights for namespaces: {error.stderr.decode().strip()}")
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "del", name], capture_output=True)


@pytest.mark.skipif(not dist.is_gloo_available(), reason="built without Gloo")
def test_a_cable_that_is_slow_and_is_pulled(cable: tuple[str, str]) -> None:
    for name in cable:
        slow = ["ip", "netns", "exec", name, "tc", "qdisc", "add", "dev", "end", "root", "netem"]
        if shutil.which("tc"):  # where the kernel knows how
            subprocess.run([*slow, "delay", "5ms", "loss", "1%"], capture_output=True)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    ranks = [
        subprocess.Popen(
            ["ip", "netns", "exec", name, sys.executable, "-c", PROGRAM, str(rank)],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank, name in enumerate(cable)
    ]
    for rank in ranks:
        assert rank.stdout and rank.stdout.readline() == "same\n"
    time.sleep(1)
    # Nobody is told that the connection is dead.
    ip("-n", cable[0], "link", "set", "end", "down")
    for rank, process in enumerate(ranks):
        out, errors = process.communicate(timeout=60)
        assert not errors.strip(), errors
        seconds, _, text = out.strip().partition(" ")
        assert float(seconds) < TIMEOUT + 1.5
        assert f"failed on rank {rank} of group 'world': no sign of life from rank {1 - rank}" in text
