"""Tapes as files: what comes back, what is refused, damaged files, and the C interface."""

from __future__ import annotations

import io
import json
import random
import shutil
import struct
import subprocess
from pathlib import Path
from typing import Any

import pytest

import onetape as torch
from onetape import jit, nn
from onetape.io import safetensors

ROOT = Path(__file__).resolve().parents[2]


def same(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and a.detach().numpy().tobytes() == b.detach().numpy().tobytes()


def model() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(3, 4), nn.GELU(), nn.LayerNorm(4), nn.Linear(4, 2)).eval()


def taped() -> tuple[nn.Module, jit.Tape]:
    made = model()
    with torch.no_grad():
        return made, jit.record(made, torch.ones(5, 3))


def test_saved_and_loaded(tmp_path: Path) -> None:
    made, tape = taped()
    tape.save(str(tmp_path / "one.tape"))
    loaded = jit.load(tmp_path / "one.tape")
    assert str(loaded) == str(tape)
    with torch.no_grad():
        for _ in range(3):
            x = torch.randn(5, 3)
            assert same(loaded(x), made(x))
    assert [t.requires_grad for t in loaded.captured] == [True] * 6
    assert not (tmp_path / "one.tape.partial").exists()


def test_through_streams_and_traces() -> None:
    made = model()
    traced = jit.trace(made, torch.ones(5, 3))
    stream = io.BytesIO()
    jit.save(traced, stream)
    stream.seek(0)
    loaded = jit.load(stream)
    x = torch.randn(5, 3)
    assert same(loaded(x), made(x))
    loaded(x).sum().backward()
    assert loaded.captured[0].grad is not None


def test_the_file_is_one_of_safetensors(tmp_path: Path) -> None:
    made, tape = taped()
    path = tmp_path / "one.safetensors"
    tape.save(str(path))
    tensors = safetensors.load_file(path)
    weights = {name: t.detach() for name, t in made.state_dict().items()}
    assert len(tensors) == len(weights)
    assert all(any(same(t, w) for t in tensors.values()) for w in weights.values())


@pytest.mark.parametrize("value", [0.1, float("inf"), float("nan"), -0.0, 1e300, 3, True])
def test_numbers_come_back_bit_by_bit(value: Any) -> None:
    tape = jit.record(lambda x: x * value + torch.full((2,), value, dtype=torch.float64), torch.ones(2))
    loaded = jit.load(io.BytesIO(tape.to_bytes()))
    assert same(loaded(torch.ones(2)), tape(torch.ones(2)))
    assert str(loaded) == str(tape)


def test_layouts_and_dtypes_come_back() -> None:
    kept = [
        torch.arange(6.0).reshape(2, 3).t(),
        torch.tensor([True, False]),
        torch.ones(2, dtype=torch.bfloat16),
        torch.ones(2, dtype=torch.complex64),
        torch.tensor(3),
        torch.ones(0, 4),
    ]
    tape = jit.record(lambda x: (*[k * 1 for k in kept], x), torch.ones(1))
    loaded = jit.load(io.BytesIO(tape.to_bytes()))
    for got, wanted in zip(loaded(torch.ones(1)), tape(torch.ones(1)), strict=True):
        assert got.stride() == wanted.stride()
        assert got.tolist() == wanted.tolist()


def test_what_cannot_be_saved(tmp_path: Path) -> None:
    first, second = torch.ones(4).split(2)
    with pytest.raises(RuntimeError, match="share memory"):
        jit.record(lambda x: x + first + second, torch.ones(2)).to_bytes()
    generator = torch.Generator()
    with pytest.raises(RuntimeError, match="a generator of its own"):
        jit.record(lambda x: x + torch.rand(2, generator=generator), torch.ones(2)).to_bytes()
    with pytest.raises(RuntimeError, match="cannot write"):
        taped()[1].save(str(tmp_path / "no" / "folder"))
    with pytest.raises(RuntimeError, match="cannot read"):
        jit.load(tmp_path / "none")
    with pytest.raises(TypeError, match="can be saved"):
        jit.save(3, tmp_path / "x")  # type: ignore[arg-type]
    traced = jit.trace(lambda x: x + 1, torch.ones(2), on_change="record")
    traced(torch.ones(3))
    with pytest.raises(RuntimeError, match="there are 2"):
        jit.save(traced, tmp_path / "x")


# ---- damaged files ----


def rebuilt(data: bytes, change: Any) -> bytes:
    """The file with its header changed."""
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    program = json.loads(header["__metadata__"]["program"])
    change(header, program)
    header["__metadata__"]["program"] = json.dumps(program)
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data[8 + length :]


def set_at(path: list[Any], value: Any) -> Any:
    def change(header: Any, program: Any) -> None:
        at = program if path[0] != "header" else header
        keys = path if path[0] != "header" else path[1:]
        for key in keys[:-1]:
            at = at[key]
        at[keys[-1]] = value

    return change


@pytest.mark.parametrize(
    "change",
    [
        set_at(["header", "__metadata__", "version"], "2"),
        set_at(["header", "__metadata__", "format"], "other"),
        set_at(["inputs"], [999]),
        set_at(["inputs"], [-1]),
        set_at(["outputs"], [10**12]),
        set_at(["code", 0, "op"], "system"),
        set_at(["code", 0, "arguments"], []),
        set_at(["code", 0, "arguments", 0], ["int", 3]),
        set_at(["code", 0, "arguments", 0], ["tensor", -1]),
        set_at(["code", 0, "arguments", 0], ["tensor", 10**6]),
        set_at(["code", 0, "arguments", 0], "text"),
        set_at(["code", 0, "results"], []),
        set_at(["code", 0, "results"], [-7]),
        set_at(["code", 0, "writes"], [99999]),
        set_at(["code", 1], {}),
        set_at(["slots", 0, "sizes"], [-1, 3]),
        set_at(["slots", 0, "sizes"], [2**62, 2**62]),
        set_at(["slots", 0, "memory"], -5),
        set_at(["slots", 0, "dtype"], "float31"),
        set_at(["slots", 1, "strides"], [2**61, 1]),
        set_at(["slots", 1, "origin"], "input"),
        set_at(["gradients"], [[0]]),
        set_at(["header", "1", "data_offsets"], [0, 10**9]),
        set_at(["header", "1", "data_offsets"], [40, 0]),
        set_at(["header", "1", "dtype"], "F64"),
        set_at(["header", "1", "shape"], [1]),
    ],
)
def test_files_that_say_the_wrong_thing(change: Any) -> None:
    data = rebuilt(taped()[1].to_bytes(), change)
    with pytest.raises(ValueError, match="^Tape: "):
        jit.load(io.BytesIO(data))


def test_sizes_that_are_not_so() -> None:
    """What only a run finds."""
    data = taped()[1].to_bytes()
    found: list[int] = []
    rebuilt(data, lambda _, program: found.extend(n for one in program["code"] for n in one["results"]))
    for number in found:
        changed = rebuilt(data, lambda _, program, n=number: program["slots"][n].update(sizes=[1], strides=[1]))
        loaded = jit.load(io.BytesIO(changed))
        for _ in range(2):
            with torch.no_grad(), pytest.raises(RuntimeError, match="^Tape: "):
                loaded(torch.ones(5, 3))


@pytest.mark.parametrize("seed", range(8))
def test_fuzz(seed: int) -> None:
    """Cut off, or with bytes changed: an exception of one class, or a tape that runs or fails in order."""
    data = taped()[1].to_bytes()
    source = random.Random(seed)
    for _ in range(150):
        changed = bytearray(data)
        for _ in range(source.randint(1, 4)):
            changed[source.randrange(len(changed))] = source.choice(b'0123456789"[]{},-truefalsn\x00\xff')
        if source.random() < 0.3:
            del changed[source.randrange(len(changed)) :]
        try:
            loaded = jit.load(io.BytesIO(bytes(changed)))
        except ValueError:
            continue
        try:
            with torch.no_grad():
                for _ in range(2):
                    loaded(torch.ones(5, 3))
        except (RuntimeError, ValueError, IndexError, TypeError, NotImplementedError):
            continue


# ---- C ----


@pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler")
def test_from_c(tmp_path: Path) -> None:
    made = nn.Linear(3, 2)
    with torch.no_grad():
        tape = jit.record(lambda x: made(x).tanh(), torch.ones(3))
        tape.save(str(tmp_path / "one.tape"))
        expected = made(torch.tensor([0.5, -1.0, 2.0])).tanh()
    library = Path(torch.__file__).parent / "lib"
    program = tmp_path / "run"
    subprocess.run(
        ["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'native'}",
         ROOT / "tests/python/support/run_tape.c", "-o", program, f"-L{library}", "-lonetape", f"-Wl,-rpath,{library}"],
        check=True,
    )  # fmt: skip
    done = subprocess.run(
        [program, tmp_path / "one.tape", "0.5", "-1", "2"], capture_output=True, text=True, check=True
    )
    version, *lines = done.stdout.splitlines()
    assert version == torch.__version__
    assert lines[:-2] == str(tape).splitlines()
    assert [float(line) for line in lines[-2:]] == pytest.approx(expected.tolist(), rel=1e-7)
    failed = subprocess.run([program, tmp_path / "none"], capture_output=True, text=True)
    assert failed.returncode == 1
    assert "cannot read" in failed.stderr


def test_a_file_of_version_1() -> None:
    """What was once saved is read for good."""
    folder = ROOT / "tests" / "golden" / "tapes"
    known = json.loads((folder / "version1.json").read_text(encoding="utf-8"))
    tape = jit.load(folder / "version1.tape")
    assert str(tape) == known["text"]
    with torch.no_grad():
        for _ in range(2):
            output = tape(torch.tensor(known["input"]).reshape(5, 3))
            assert output.flatten().tolist() == pytest.approx(known["output"], rel=1e-6)
