"""Files on the disk: replaced as a whole or not at all, whatever ends the saving, and mapped without danger."""

from __future__ import annotations

import os
import resource
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

import onetape as torch
from onetape.io import load_npy, safetensors, save_npy

ROOT = Path(__file__).resolve().parents[2]


def run(program: str, *arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(  # type: ignore[call-overload,no-any-return]
        command, env=environment, capture_output=True, text=True, timeout=100, **options
    )


def test_a_killed_save_leaves_the_old_file(tmp_path: Path) -> None:
    torch.save({"x": torch.arange(5)}, tmp_path / "x.pt")
    program = (
        "import sys, onetape as torch\n"
        "tensors = [torch.full((1 << 20,), float(i)) for i in range(64)]\n"
        "print('ready', flush=True)\n"
        "while True: torch.save(tensors, sys.argv[1])"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    for round_ in range(3):
        command = [sys.executable, "-c", program, str(tmp_path / "x.pt")]
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as child:
            assert child.stdout is not None and child.stdout.readline() == b"ready\n"
            while not any(tmp_path.glob(".x.pt.*.tmp")):
                time.sleep(0.001)
            time.sleep(0.003 * round_)
            child.send_signal(signal.SIGKILL)
        got = torch.load(tmp_path / "x.pt")
        assert got["x"].tolist() == [0, 1, 2, 3, 4] if isinstance(got, dict) else len(got) == 64
        for left in tmp_path.glob(".x.pt.*.tmp"):
            left.unlink()


@pytest.mark.parametrize("save", ["torch.save({'x': x}, path)", "st.save_file({'x': x}, path)", "io.save_npy(path, x)"])
def test_a_full_disk_leaves_the_old_file(save: str, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"old")
    program = (
        "import sys, onetape as torch\nfrom onetape import io\nfrom onetape.io import safetensors as st\n"
        f"x, path = torch.ones(1 << 20), sys.argv[1]\n"
        f"try: {save}\nexcept OSError as error: print(error)"
    )
    done = run(
        program, str(tmp_path / "x"), preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
    )
    assert "File too large; the file there is unchanged: " in done.stdout, done.stderr
    assert (tmp_path / "x").read_bytes() == b"old" and [path.name for path in tmp_path.iterdir()] == ["x"]


def test_what_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="Is a directory"):
        torch.save(1, tmp_path)
    if os.access("/dev/full", os.W_OK):
        with pytest.raises(OSError, match="No space left on device"):
            torch.save(torch.ones(100), "/dev/full")
    assert not list(tmp_path.iterdir())


def test_rights_and_links_stay(tmp_path: Path) -> None:
    file, link = tmp_path / "x.pt", tmp_path / "link.pt"
    torch.save(1, file)
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(file.stat().st_mode) == 0o666 & ~mask
    file.chmod(0o640)
    link.symlink_to(file)
    torch.save(2, link)
    assert link.is_symlink() and torch.load(file) == 2 and stat.S_IMODE(file.stat().st_mode) == 0o640


def test_an_exception_of_the_caller_leaves_the_old_file(tmp_path: Path) -> None:
    from onetape.io._files import replacing

    (tmp_path / "x").write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt), replacing(tmp_path / "x") as file:
        file.write(b"new")
        raise KeyboardInterrupt
    assert (tmp_path / "x").read_bytes() == b"old" and len(list(tmp_path.iterdir())) == 1


def test_a_mapped_file_may_be_saved_anew(tmp_path: Path) -> None:
    torch.save(torch.arange(100_000.0), tmp_path / "x.pt")
    mapped = torch.load(tmp_path / "x.pt", mmap=True)
    mapped += 1
    torch.save(mapped, tmp_path / "x.pt")
    assert torch.equal(torch.load(tmp_path / "x.pt", mmap=True), mapped)
    assert mapped[-1].item() == 100_000


SHRINKING = """
import os, sys, faulthandler, onetape as torch
from onetape.io import safetensors, load_npy
faulthandler.enable()
path, n = sys.argv[1], 1 << 20
for save, load in (
    (lambda: torch.save(torch.ones(n), path), lambda: torch.load(path, mmap=True)),
    (lambda: safetensors.save_file({"x": torch.ones(n)}, path), lambda: safetensors.load_file(path)["x"]),
):
    save()
    x = load()
    other = load()
    assert x[:10].sum().item() == 10
    os.truncate(path, 8192)
    got = x.sum().item()
    assert 0 < got < n, got
    assert x[-1].item() == 0
    x.fill_(2)
    assert x.sum().item() == 2 * n
    os.truncate(path, 0)
    assert other.sum().item() == 0
    del x, other
print("alive")
"""


def test_a_file_that_shrinks_under_a_map(tmp_path: Path) -> None:
    done = run(SHRINKING, str(tmp_path / "x"))
    assert done.stdout == "alive\n", done.stderr
    assert done.stderr.count("onetape: a file was shortened while tensors were mapped to it") == 4


def test_other_bus_errors_end_the_process_as_before(tmp_path: Path) -> None:
    program = (
        "import faulthandler, mmap, os, sys, onetape as torch\n"
        "torch.save(torch.ones(100), sys.argv[1]); x = torch.load(sys.argv[1], mmap=True)\n"
        "file = open(sys.argv[1], 'r+b'); m = mmap.mmap(file.fileno(), 0)\n"
        "os.truncate(sys.argv[1], 0); print(m[:10])"
    )
    assert run(program, str(tmp_path / "x.pt")).returncode == -signal.SIGBUS
    handled = run("import faulthandler; faulthandler.enable()\n" + program, str(tmp_path / "x.pt"))
    assert handled.returncode == -signal.SIGBUS and "Fatal Python error: Bus error" in handled.stderr


def test_a_file_that_shrinks_while_it_is_read(tmp_path: Path) -> None:
    from onetape.io._files import opened

    save_npy(tmp_path / "x.npy", torch.ones(1000))
    with opened(tmp_path / "x.npy") as source:
        os.truncate(tmp_path / "x.npy", 500)
        with pytest.raises(RuntimeError, match="ended early: 3628 bytes are missing"):
            source.storage(128, 4000, 4)


def test_maps_are_given_back(tmp_path: Path) -> None:
    def mapped() -> int:
        return Path("/proc/self/maps").read_text().count("x.npy")

    save_npy(tmp_path / "x.npy", torch.ones(1000))
    kept = [load_npy(tmp_path / "x.npy", mmap=True) for _ in range(5)]
    assert mapped() == 5
    part = kept[0][3:5]
    del kept
    assert mapped() == 1 and part.tolist() == [1, 1]
    del part
    assert mapped() == 0


def test_a_pipe_can_be_read_and_written(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    writer = os.fork()
    if not writer:
        torch.save({"x": torch.ones(3)}, tmp_path / "pipe")
        os._exit(0)
    assert torch.load(tmp_path / "pipe")["x"].tolist() == [1, 1, 1]
    os.waitpid(writer, 0)
    assert safetensors.load(safetensors.save({"x": torch.ones(3)}))["x"].tolist() == [1, 1, 1]
