"""What users of other libraries met, where no other test here shows it."""

import copy
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import onetape as torch

ROOT = Path(torch.__file__).resolve().parents[1]


def run(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


# ---- requires_grad is not lost where a tensor is converted or wrapped ----

KEEPING = {
    "to": lambda y: y.to(torch.float32),
    "to and back": lambda y: y.to(torch.float16).double(),
    "half": lambda y: y.half(),
    "type": lambda y: y.type(torch.float32),
    "to like": lambda y: y.to(torch.ones(1)),
    "cpu": lambda y: y.cpu(),
    "clone": lambda y: y.clone(),
    "contiguous": lambda y: y.contiguous(),
    "list": lambda y: [y][0],
    "dict": lambda y: {"y": y}["y"],
    "stack": lambda y: torch.stack([y, y])[0],
    "iteration": lambda y: torch.stack(list(y)),
    "as_tensor": lambda y: torch.as_tensor(y),
}


@pytest.mark.parametrize("how", KEEPING)
def test_the_graph_is_kept(how):
    x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    y = KEEPING[how](x * x)
    assert y.requires_grad
    y.sum().backward()
    assert x.grad.tolist() == [2, 4]


@pytest.mark.parametrize("how", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_the_flag_of_a_leaf_is_kept(how):
    x = how(torch.tensor([1.0, 2.0], requires_grad=True))
    assert x.is_leaf
    assert x.requires_grad
    (x * x).sum().backward()
    assert x.grad.tolist() == [2, 4]


# ---- what a tensor and a node cost ----

RESIDENT = """
import os
import onetape as torch

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

COUNT = 300_000
"""


def test_a_small_tensor_takes_at_most_300_bytes_with_pythons_object():
    program = """
kept = [None] * COUNT
one = torch.tensor(1.0)
before = resident()
for i in range(COUNT):
    kept[i] = one + one
print((resident() - before) / COUNT)
"""
    assert float(run(RESIDENT + program)) <= 300


def test_a_node_takes_at_most_300_bytes():
    program = """
factor = torch.tensor(1.0)
y = torch.tensor(1.0, requires_grad=True)
before = resident()
for _ in range(COUNT):
    y = y * factor
print((resident() - before) / COUNT)
"""
    assert float(run(RESIDENT + program)) <= 300


def test_the_engines_part_of_a_small_tensor_is_at_most_200_bytes():
    program = """
import onetape as torch
from onetape import _C

COUNT = 10_000
for dtype in (torch.float32, torch.float64, torch.int64, torch.bool):
    kept = [None] * COUNT
    one = torch.ones((), dtype=dtype)
    before = _C.memory_stats()["live"]
    for i in range(COUNT):
        kept[i] = one.clone()
    print((_C.memory_stats()["live"] - before) / COUNT)
"""
    assert all(float(line) <= 200 for line in run(program).split())


# ---- a long chain on a small stack ----


def test_a_million_nodes_on_a_small_stack():
    program = """
import threading
import onetape as torch

def work():
    x = torch.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(1_000_000):
        y = y * 1.0
    y.backward()
    print(x.grad.item())
    del y

threading.stack_size(512 * 1024)
thread = threading.Thread(target=work)
thread.start()
thread.join()
work()
"""
    command = f"ulimit -s 512; exec {sys.executable} -"
    done = subprocess.run(["bash", "-c", command], input=program, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "1.0\n1.0\n"
