"""The article on memory in Java: its steps of distributed training, by processes of each language and of both."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import onetape.distributed as dist
from onetape.distributed.run import free_port

ROOT = Path(__file__).resolve().parents[2]
JAR = ROOT / "python" / "onetape" / "onetape.jar"
PROGRAM = Path(__file__).with_name("java") / "DistributedArticle.java"

PYTHON = """
import sys
import onetape as torch
import onetape.distributed as dist
from onetape.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo", sys.argv[1], world_size=2, rank=int(sys.argv[2]), group_name="world")
rank = dist.get_rank()
model = torch.nn.Linear(2, 1, bias=False)
with torch.no_grad():
    model.weight.copy_(torch.tensor([[1.0, 2.0]]) if rank == 0 else torch.full((1, 2), 100.0))
parallel = DistributedDataParallel(model)  # every rank gets the weights of rank 0
inputs = torch.tensor([[3.0, 4.0]] if rank == 0 else [[1.0, 1.0]])
loss = torch.nn.MSELoss()(parallel(inputs), torch.ones(1, 1))
loss.backward()
print(model.weight.grad)
mean = loss.detach()
dist.all_reduce(mean)
print(mean.item() / 2)
dist.destroy_process_group()
"""

pytestmark = pytest.mark.skipif(not dist.is_gloo_available(), reason="built without Gloo")
needs_java = pytest.mark.skipif(not JAR.exists() or shutil.which("java") is None, reason="built without Java")


def start(language: str, url: str, rank: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", PYTHON, url, str(rank)]
    if language == "java":
        command = ["java", "-ea", "-Xcheck:jni", "-cp", str(JAR), str(PROGRAM), url]
    environment = os.environ | {"RANK": str(rank)}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def outputs(*languages: str) -> list[str]:
    url = f"tcp://127.0.0.1:{free_port()}"
    processes = [start(language, url, rank) for rank, language in enumerate(languages)]
    try:
        ends = [process.communicate(timeout=60) for process in processes]
    finally:
        for process in processes:
            process.kill()
    for process, (_, errors) in zip(processes, ends, strict=True):
        assert process.returncode == 0, errors
    return [output for output, _ in ends]


# Rank 0 has (1 * 3 + 2 * 4 - 1)² with the gradient (60, 80), rank 1 has (1 + 2 - 1)² with (4, 4).
EXPECTED = "tensor([[32., 42.]])\n52.0\n"


def test_python() -> None:
    assert outputs("python", "python") == [EXPECTED, EXPECTED]


@needs_java
def test_java() -> None:
    assert outputs("java", "java") == [EXPECTED, EXPECTED]


@needs_java
def test_both() -> None:
    assert outputs("python", "java") == [EXPECTED, EXPECTED]
    assert outputs("java", "python") == [EXPECTED, EXPECTED]
