"""Loaders with workers: what comes over, what happens when something goes wrong, and how workers end."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import onetape as torch
from onetape.utils.data import DataLoader, Dataset, TensorDataset
from onetape.utils.data._utils import transfer
from tests.python.support.loading import PROCESSES, Big, Slow, ways
from tests.python.support.loading import nothing_left as nothing_left

pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning", "ignore:This DataLoader will create")


@ways
def test_everything_comes_over(options: dict[str, Any]) -> None:
    for got, expected in zip(DataLoader(Big(), 2, **options), DataLoader(Big(), 2), strict=True):
        for mine, theirs in zip(got, expected, strict=True):
            if isinstance(theirs, torch.Tensor):
                assert mine.dtype == theirs.dtype and torch.equal(mine, theirs)
                mine.zero_()  # it can be changed
            else:
                assert mine == theirs


class Parts(Dataset):
    """Tensors that are parts of others, or not contiguous, or require a gradient."""

    def __len__(self) -> int:
        return 1

    def __getitem__(self, index: int) -> Any:
        whole = torch.arange(40000.0).view(200, 200)
        parameter = torch.nn.Parameter(whole.clone())
        return {"rows": whole[50:], "turned": whole.t(), "one": whole[:1].expand(90, 200), "parameter": parameter}


@ways
def test_parts_of_tensors(options: dict[str, Any]) -> None:
    (got,) = DataLoader(Parts(), batch_size=None, collate_fn=lambda sample: sample, **options)
    expected = Parts()[0]
    assert all(torch.equal(got[key], expected[key]) for key in expected)
    assert isinstance(got["parameter"], torch.nn.Parameter) and got["parameter"].requires_grad


def test_batches_outlive_the_loader() -> None:
    batches = list(DataLoader(TensorDataset(torch.ones(4, 5000)), 2, **PROCESSES))
    gc.collect()
    assert sum(batch[0].sum().item() for batch in batches) == 20000


def test_a_full_disk_costs_only_time(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: str, views: Any) -> Any:
        Path(path).write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(transfer, "_write", full)  # inherited by the forked workers
    batches = list(DataLoader(TensorDataset(torch.ones(4, 5000)), 2, multiprocessing_context="fork", **PROCESSES))
    assert sum(batch[0].sum().item() for batch in batches) == 20000


def test_no_folder_costs_only_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transfer, "make_folder", lambda: None)
    batches = list(DataLoader(TensorDataset(torch.ones(4, 5000)), 2, **PROCESSES))
    assert sum(batch[0].sum().item() for batch in batches) == 20000


# ---- errors ----


class Broken(Dataset):
    def __init__(self, error: Any) -> None:
        self.error = error

    def __len__(self) -> int:
        return 12

    def __getitem__(self, index: int) -> int:
        if index == 7:
            raise self.error
        return index


class Odd(Exception):
    def __init__(self, one: int, two: int) -> None:
        super().__init__(one, two)


@ways
def test_an_error_tells_worker_traceback_and_sample(options: dict[str, Any]) -> None:
    loader = iter(DataLoader(Broken(ValueError("seven")), 2, **options))
    assert [next(loader).tolist() for _ in range(3)] == [[0, 1], [2, 3], [4, 5]]
    with pytest.raises(ValueError) as caught:
        next(loader)
    kind = "thread" if "worker_method" in options else "process"
    lines = str(caught.value).splitlines()
    assert lines[0] == f"Caught ValueError in DataLoader worker {kind} 1."
    assert lines[1] == "Original Traceback (most recent call last):"
    assert "ValueError: seven" in lines and "raise self.error" in str(caught.value)
    assert lines[-1] == "The worker was at sample 7."
    assert [batch.tolist() for batch in loader] == [[8, 9], [10, 11]]


@ways
@pytest.mark.parametrize("error", [KeyError("k"), Odd(1, 2), StopIteration(), UnicodeDecodeError("a", b"", 0, 1, "r")])
def test_unusual_errors(options: dict[str, Any], error: Exception) -> None:
    kind: Any = type(error) if isinstance(error, (KeyError, StopIteration)) else RuntimeError
    if isinstance(error, StopIteration):  # ends a loop, as in PyTorch
        assert len(list(DataLoader(Broken(error), **options))) == 7
        return
    with pytest.raises(kind, match=f"Caught {type(error).__name__} in DataLoader worker"):
        list(DataLoader(Broken(error), **options))


def test_a_batch_that_cannot_be_sent_is_an_error() -> None:
    with pytest.raises((AttributeError, pickle.PicklingError), match="Caught .* in DataLoader worker process 0"):
        list(DataLoader(range(2), collate_fn=lambda batch: lambda: batch, **PROCESSES))


class Unfit:
    def __reduce__(self) -> Any:
        return int, ("no number",)


def test_a_batch_that_cannot_be_taken_over_is_an_error() -> None:
    with pytest.raises(ValueError, match="Caught ValueError in DataLoader worker process 0"):
        list(DataLoader(range(2), collate_fn=lambda batch: Unfit(), **PROCESSES))


@ways
def test_an_error_of_the_start(options: dict[str, Any]) -> None:
    def start(worker: int) -> None:
        raise ImportError(f"start {worker}")

    with pytest.raises(ImportError, match="Caught ImportError in DataLoader worker .* 0"):
        list(DataLoader(range(4), worker_init_fn=start, **options))


class Deadly(Dataset):
    def __init__(self, end: Any) -> None:
        self.end = end

    def __len__(self) -> int:
        return 8

    def __getitem__(self, index: int) -> int:
        if index == 5:
            self.end()
        return index


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def leave() -> None:
    os._exit(3)


@pytest.mark.parametrize(
    "end, how", [(die, "is killed by signal: Killed"), (leave, "ended with exit code 3"), (sys.exit, "exit code")]
)
def test_the_death_of_a_worker_is_an_error(end: Any, how: str) -> None:
    started = time.monotonic()
    got = []
    with pytest.raises(RuntimeError, match=r"^DataLoader worker \(pid\(s\) \d+\) exited unexpectedly$") as caught:
        for batch in DataLoader(Deadly(end), **PROCESSES):
            got.append(batch.item())
    assert got == list(range(len(got))) and len(got) <= 5
    assert how in str(caught.value.__cause__)
    assert time.monotonic() - started < 20


def test_a_loop_goes_on_without_a_dead_worker() -> None:
    for stays in (False, True):
        loader = DataLoader(Deadly(die), persistent_workers=stays, **PROCESSES)
        for _ in range(2):  # the second time with a new worker
            batches = iter(loader)
            got, deaths = [], 0
            while True:
                try:
                    got.append(next(batches).item())
                except RuntimeError:
                    deaths += 1
                except StopIteration:
                    break
            assert deaths == 1 and {0, 2, 4, 6} <= set(got) <= {0, 1, 2, 3, 4, 6, 7}


def test_the_end_of_a_thread_is_an_error() -> None:
    with pytest.raises(SystemExit, match="Caught SystemExit in DataLoader worker thread 1"):
        list(DataLoader(Deadly(sys.exit), num_workers=2, worker_method="thread"))


class Stuck(Dataset):
    """Gives the first sample only, until it may go on."""

    def __init__(self) -> None:
        self.go_on = threading.Event()

    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> int:
        if index:
            self.go_on.wait(60)
        return index


@ways
def test_a_timeout(options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("onetape.utils.data._utils.pool._GRACE", 0.2)
    data = Stuck()
    loader = iter(DataLoader(data, timeout=2, **options))
    assert next(loader).item() == 0
    with pytest.raises(RuntimeError, match=r"^DataLoader timed out after 2 seconds$"):
        next(loader)
    data.go_on.set()


# ---- ends ----


@ways
def test_leaving_a_loop_ends_the_workers(options: dict[str, Any]) -> None:
    started = time.monotonic()
    for _ in DataLoader(Slow(0.05, 1000), **options):
        break
    assert time.monotonic() - started < 4.5  # and the fixture looks for what is left


def test_workers_that_do_not_finish_are_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("onetape.utils.data._utils.pool._GRACE", 0.3)
    started = time.monotonic()
    for _ in DataLoader(Slow(60), **PROCESSES):
        break
    assert time.monotonic() - started < 20


def test_leaving_with_large_batches_on_the_way() -> None:
    loader = DataLoader(TensorDataset(torch.ones(40, 300_000)), prefetch_factor=4, **PROCESSES)
    one, other = iter(loader), iter(loader)
    next(one), next(other)
    started = time.monotonic()
    del one, other
    assert time.monotonic() - started < 4.5


def test_an_interruption_ends_the_workers() -> None:
    program = """
import os, signal, time
from onetape.utils.data import DataLoader
if __name__ == "__main__":
    try:
        for batch in DataLoader(range(10**9), num_workers=2):
            if batch.item() == 20:
                os.killpg(0, signal.SIGINT)
    except KeyboardInterrupt:
        del batch
        print("interrupted", flush=True)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, start_new_session=True
    )
    assert (done.stdout, done.stderr, done.returncode) == ("interrupted\n", "", 0)


def test_workers_end_with_their_loader() -> None:
    program = """
import os, signal
from onetape.utils.data import DataLoader
if __name__ == "__main__":
    loader = iter(DataLoader(range(100), num_workers=2))
    next(loader)
    print(*[process.pid for process in loader._pool._processes], loader._pool._folder, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, timeout=60)
    *pids, folder = done.stdout.split()
    deadline = time.monotonic() + 20
    left = [Path(f"/proc/{pid}") for pid in pids] + [Path(folder)]
    while any(path.exists() and not _ended(path) for path in left):
        assert time.monotonic() < deadline, left
        time.sleep(0.05)


def _ended(path: Path) -> bool:
    try:
        return (path / "stat").read_text().split()[2] == "Z"
    except OSError:
        return not path.exists()
