"""The launcher: what processes get, how they end, and how they begin again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import onetape.distributed as dist
from onetape.distributed.run import split_java
from tests.python.support.ranks import free_port

pytestmark = pytest.mark.skipif(not dist.is_gloo_available(), reason="built without Gloo")

RUN = [sys.executable, "-m", "onetape.distributed.run"]


def run(*arguments: object, seconds: float = 60) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*RUN, *map(str, arguments)], capture_output=True, text=True, timeout=seconds)


@pytest.fixture
def script(tmp_path: Path) -> Path:
    return tmp_path / "script.py"


def test_a_group(script: Path) -> None:
    script.write_text(
        "import os, sys, onetape as torch, onetape.distributed as dist\n"
        "dist.init_process_group()\n"
        "x = torch.tensor([dist.get_rank() + 1.0])\n"
        "dist.all_reduce(x)\n"
        "print(x.item(), os.environ['LOCAL_RANK'], os.environ['LOCAL_WORLD_SIZE'], sys.argv[1:], flush=True)\n"
        "assert dist.is_torchelastic_launched() and dist.get_node_local_rank() == dist.get_rank()\n"
        "assert os.environ['ONETAPE_STORE_TOKEN']\n"
        "print('to errors', file=sys.stderr)\n"
        "dist.destroy_process_group()\n"
    )
    done = run("--nproc-per-node", 2, script, "--option", "x")
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == [
        "[rank 0] 3.0 0 2 ['--option', 'x']",
        "[rank 1] 3.0 1 2 ['--option', 'x']",
    ]
    assert sorted(done.stderr.splitlines()) == ["[rank 0] to errors", "[rank 1] to errors"]


def test_two_machines(script: Path) -> None:
    script.write_text(
        "import onetape as torch, onetape.distributed as dist\n"
        "dist.init_process_group()\n"
        "all = [None] * dist.get_world_size()\n"
        "dist.all_gather_object(all, (dist.get_rank(), dist.get_node_local_rank()))\n"
        "print(all)\n"
    )
    port = free_port()
    common = ["--nnodes", "2", "--nproc-per-node", "2", "--master-port", str(port), "--no-prefix"]
    other = subprocess.Popen([*RUN, *common, "--node-rank", "1", str(script)], stdout=subprocess.PIPE, text=True)
    done = run(*common, "--node-rank", 0, script)
    out, _ = other.communicate(timeout=60)
    assert done.returncode == other.returncode == 0
    assert (done.stdout + out).splitlines() == ["[(0, 0), (1, 1), (2, 0), (3, 1)]"] * 4


def test_a_failure_ends_all_and_is_told(script: Path) -> None:
    script.write_text(
        "import os, time, onetape as torch, onetape.distributed as dist\n"
        "dist.init_process_group()\n"
        "if dist.get_rank() == 1:\n    raise KeyError('what went wrong')\n"
        "dist.all_reduce(torch.ones(1))\n"
        "time.sleep(60)\n"
    )
    begin = time.monotonic()
    done = run("--nproc-per-node", 3, script)
    assert time.monotonic() - begin < 30 and done.returncode == 1
    assert "run: rank 1 (process" in done.stderr and "failed first: exit status 1" in done.stderr
    assert "    KeyError: 'what went wrong'" in done.stderr


def test_restart_from_a_checkpoint(script: Path, tmp_path: Path) -> None:
    """A job that is killed goes on from its last checkpoint, and comes to the losses that it would have had."""
    script.write_text(
        "import os, signal, sys, onetape as torch, onetape.distributed as dist\n"
        "path, kill = sys.argv[1], sys.argv[2] == 'kill'\n"
        "dist.init_process_group()\n"
        "torch.manual_seed(0)\n"
        "w = torch.zeros(4, requires_grad=True)\n"
        "optimizer = torch.optim.Adam([w], lr=0.1)\n"
        "begin = 0\n"
        "if os.path.exists(path):\n"
        "    state = torch.load(path)\n"
        "    w.data.copy_(state['w']); optimizer.load_state_dict(state['optimizer']); begin = state['step']\n"
        "for step in range(begin, 10):\n"
        "    data = torch.randn(4, generator=torch.Generator().manual_seed(10 * step + dist.get_rank()))\n"
        "    loss = ((w - data) ** 2).sum()\n"
        "    optimizer.zero_grad(); loss.backward()\n"
        "    dist.all_reduce(w.grad, dist.ReduceOp.AVG)\n"
        "    optimizer.step()\n"
        "    total = loss.detach(); dist.all_reduce(total)\n"
        "    if dist.get_rank() == 0:\n"
        "        print(step, total.item(), flush=True)\n"
        "        torch.save({'w': w.detach(), 'optimizer': optimizer.state_dict(), 'step': step + 1}, path + '.new')\n"
        "        os.replace(path + '.new', path)\n"
        "    dist.barrier()\n"
        "    if kill and step == 4 and dist.get_rank() == 1 and os.environ['TORCHELASTIC_RESTART_COUNT'] == '0':\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    whole = run("--nproc-per-node", 2, script, tmp_path / "one", "whole")
    killed = run("--nproc-per-node", 2, "--max-restarts", 2, script, tmp_path / "two", "kill")
    assert whole.returncode == killed.returncode == 0, killed.stderr
    losses = whole.stdout.splitlines()
    assert len(losses) == 10 and set(losses) == set(killed.stdout.splitlines())
    assert "failed first: signal SIGKILL" in killed.stderr and "run: starting again (1 of 2)" in killed.stderr


def test_restarts_run_out(script: Path) -> None:
    script.write_text("import os, sys\nprint(os.environ['TORCHELASTIC_RESTART_COUNT'])\nsys.exit(7)\n")
    done = run("--max-restarts", 2, "--no-prefix", script)
    assert done.returncode == 1 and done.stdout.splitlines() == ["0", "1", "2"]
    assert done.stderr.count("exit status 7") == 3


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_are_passed_on(script: Path, number: signal.Signals) -> None:
    script.write_text(
        "import signal, sys, time\n"
        "def end(number, frame):\n    print('got', number, flush=True)\n    sys.exit(0)\n"
        "signal.signal(signal.SIGTERM, end); signal.signal(signal.SIGINT, end)\n"
        "print('ready', flush=True)\n"
        "time.sleep(60)\n"
    )
    command = [*RUN, "--nproc-per-node", "2", "--max-restarts", "3", str(script)]
    launcher = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert launcher.stdout
    assert {launcher.stdout.readline(), launcher.stdout.readline()} == {"[rank 0] ready\n", "[rank 1] ready\n"}
    launcher.send_signal(number)
    out, errors = launcher.communicate(timeout=30)
    assert sorted(out.splitlines()) == [f"[rank {rank}] got {int(number)}" for rank in range(2)]
    assert launcher.returncode == 128 + number and f"stopped by {number.name}" in errors


def test_programs_and_modules() -> None:
    done = run("--nproc-per-node", 2, "--no-python", "--no-prefix", "sh", "-c", "echo $RANK of $WORLD_SIZE")
    assert sorted(done.stdout.splitlines()) == ["0 of 2", "1 of 2"]
    done = run("--no-prefix", "-m", "json.tool", "--help")
    assert done.returncode == 0 and "usage:" in done.stdout


def test_what_stands_behind_java() -> None:
    assert split_java(["--nproc-per-node", "2", "--java", "-cp", "a.jar", "Main", "-x"]) == (
        ["--nproc-per-node", "2", "--java"],
        ["-cp", "a.jar", "Main", "-x"],
    )
    assert split_java(["--nnodes=1", "script.py", "--java"]) == (["--nnodes=1", "script.py", "--java"], [])


@pytest.mark.parametrize(
    "arguments", [[], ["--nproc-per-node", "0", "x.py"], ["--nnodes", "2", "x.py"], ["--node-rank", "1", "x.py"]]
)
def test_wrong_arguments(arguments: list[str]) -> None:
    done = run(*arguments)
    assert done.returncode == 2 and "usage: python -m onetape.distributed.run" in done.stderr


def test_as_torchrun_sets_the_environment(script: Path) -> None:
    """Its own store listens on MASTER_PORT then, so the group meets beside it."""
    script.write_text(
        "import onetape as torch, onetape.distributed as dist\n"
        "dist.init_process_group()\nx = torch.ones(1)\ndist.all_reduce(x)\nprint(x.item())\n"
    )
    store = dist.TCPStore("127.0.0.1", 0, None, True)
    ranks = []
    for rank in range(2):
        variables = {"RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": 2, "MASTER_ADDR": "127.0.0.1"}
        variables |= {"MASTER_PORT": store.port, "TORCHELASTIC_USE_AGENT_STORE": True}
        own = {**os.environ, **{name: str(value) for name, value in variables.items()}}
        ranks.append(subprocess.Popen([sys.executable, str(script)], env=own, stdout=subprocess.PIPE, text=True))
    assert [process.communicate(timeout=60)[0] for process in ranks] == ["2.0\n"] * 2
