"""Checkpoints: PyTorch's files are read, ours are PyTorch's byte for byte, and training goes on from them."""

from __future__ import annotations

import io
import json
import mmap as memory_maps
import os
import pickle
import shutil
import subprocess
import zipfile
import zlib
from collections import Counter, OrderedDict
from pathlib import Path
from typing import Any

import pytest

import onetape as torch
from tests.golden.checkpoints import objects
from tests.python.support.archives import Repacked, without_identity

GOLDEN = Path(__file__).parents[1] / "golden" / "checkpoints"
PEER = os.environ.get("ONETAPE_PEER_PYTHON", "")
"""A Python that has PyTorch, see scripts/peers.sh."""


def same(a: Any, b: Any, seen: dict[int, int] | None = None) -> bool:
    """Are two objects equal, with the dtypes, strides and attributes of tensors?"""
    seen = {} if seen is None else seen
    if id(a) in seen:
        return seen[id(a)] == id(b)
    seen[id(a)] = id(b)
    if type(a) is not type(b) and not (isinstance(a, OrderedDict) and isinstance(b, OrderedDict)):
        return False
    if isinstance(a, torch.Tensor):
        looks = [(t.dtype, t.shape, t.stride(), t.storage_offset(), t.requires_grad, vars(t)) for t in (a, b)]
        return (
            looks[0] == looks[1] and a.untyped_storage().nbytes() == b.untyped_storage().nbytes() and torch.equal(a, b)
        )
    if isinstance(a, torch.storage.UntypedStorage):
        return a.tolist() == b.tolist()
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[k], b[k], seen) for k in a) and same_attributes(a, b, seen)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(same(x, y, seen) for x, y in zip(a, b))
    return bool(a == b) and str(a) == str(b)


def same_attributes(a: Any, b: Any, seen: dict[int, int]) -> bool:
    return not isinstance(a, OrderedDict) or same(a.__dict__, b.__dict__, seen)


@pytest.mark.parametrize("mmap", [False, True])
@pytest.mark.parametrize("name", objects.OBJECTS)
def test_files_of_pytorch_are_read(name: str, mmap: bool) -> None:
    assert same(objects.OBJECTS[name](torch), torch.load(GOLDEN / f"{name}.pt", mmap=mmap))


@pytest.mark.parametrize("name", objects.OBJECTS)
def test_files_are_those_of_pytorch_byte_for_byte(name: str, tmp_path: Path) -> None:
    torch.save(objects.OBJECTS[name](torch), tmp_path / f"{name}.pt")
    ours, theirs = ((folder / f"{name}.pt").read_bytes() for folder in (tmp_path, GOLDEN))
    assert without_identity(ours) == without_identity(theirs)


@pytest.mark.skipif(not PEER, reason="ONETAPE_PEER_PYTHON does not tell where PyTorch is")
def test_pytorch_loads_our_files(tmp_path: Path) -> None:
    for name, make in objects.OBJECTS.items():
        torch.save(make(torch), tmp_path / f"{name}.pt")
    program = (
        "import sys, torch; sys.path.insert(0, sys.argv[1]); import objects\n"
        "for name, make in objects.OBJECTS.items():\n"
        "    for mmap in (False, True):\n"
        "        got, want = torch.load(f'{sys.argv[2]}/{name}.pt', weights_only=True, mmap=mmap), make(torch)\n"
        "        assert list(map(str, got)) == list(map(str, want))\n"
        "        if name == 'plain': continue\n"
        "        assert all(str(got[part]) == str(want[part]) for part in want if part != 'storage')\n"
        "        if name == 'tensors':\n"
        "            places = [got[part].untyped_storage().data_ptr() for part in ('x', 'rows', 'expanded')]\n"
        "            assert len(set(places)) == 1 and got['transposed'].stride() == (1, 4)\n"
        "print('loaded')"
    )
    done = subprocess.run(
        [PEER, "-c", program, str(GOLDEN), str(tmp_path)], capture_output=True, text=True, timeout=200
    )
    assert done.stdout == "loaded\n", done.stderr


@pytest.mark.parametrize("mmap", [False, True])
def test_memory_is_shared_as_before(mmap: bool, tmp_path: Path) -> None:
    x = torch.arange(6.0)
    torch.save([x, x[2:4], x.reshape(2, 3).t()], tmp_path / "x.pt")
    whole, part, turned = torch.load(tmp_path / "x.pt", mmap=mmap)
    part.fill_(-1)
    assert whole.tolist() == [0, 1, -1, -1, 4, 5] and turned.tolist() == [[0, -1], [1, 4], [-1, 5]]
    again = torch.load(tmp_path / "x.pt", mmap=mmap)[0]
    assert again.tolist() == [0, 1, 2, 3, 4, 5]  # the file is as it was


def test_a_file_object_serves_as_a_file() -> None:
    file = io.BytesIO()
    torch.save({"x": torch.ones(2)}, file)
    file.seek(0)
    assert torch.load(file)["x"].tolist() == [1, 1]
    assert same(torch.load(io.BytesIO((GOLDEN / "dtypes.pt").read_bytes())), objects.dtypes(torch))


def test_files_made_elsewhere_are_read() -> None:
    want = [[0, 1, 2], [3, 4, 5]]
    assert torch.load(GOLDEN / "big_endian.pt")["x"].tolist() == want
    assert torch.load(GOLDEN / "deflated.pt")["x"].tolist() == want
    assert torch.load(GOLDEN / "deflated.pt", mmap=True)["x"].tolist() == want


def test_records_begin_at_multiples_of_64_bytes(tmp_path: Path) -> None:
    torch.save([torch.ones(n) for n in range(1, 20)], tmp_path / "x.pt")
    data = (tmp_path / "x.pt").read_bytes()
    with zipfile.ZipFile(tmp_path / "x.pt") as archive:
        assert archive.testzip() is None
        for record in archive.infolist():
            at = record.header_offset
            start = at + 30 + sum(int.from_bytes(data[at + k : at + k + 2], "little") for k in (26, 28))
            assert start % 64 == 0


# ---- training ----


def test_training_goes_on_from_a_file(tmp_path: Path) -> None:
    parts = objects.training(torch)
    objects.train(torch, parts, 5)
    torch.save(objects.state(torch, parts), tmp_path / "state.pt")
    want = objects.train(torch, parts, 5)
    fresh = objects.training(torch)
    objects.restore(torch, fresh, torch.load(tmp_path / "state.pt"))
    assert objects.train(torch, fresh, 5) == want


def test_training_goes_on_from_a_file_of_pytorch() -> None:
    losses = json.loads((GOLDEN / "training.json").read_text())["losses"]
    parts = objects.training(torch)
    objects.restore(torch, parts, torch.load(GOLDEN / "training.pt"))
    assert objects.train(torch, parts, 5) == pytest.approx(losses[5:], rel=1e-6)


@pytest.mark.parametrize(
    "make",
    [
        lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9),
        lambda p: torch.optim.Adam(p, lr=0.1),
        lambda p: torch.optim.AdamW([{"params": p[:1], "lr": 0.1}, {"params": p[1:]}]),
    ],
)
def test_state_of_optimizers(make: Any, tmp_path: Path) -> None:
    model = torch.nn.Linear(2, 2)
    optimizer = make(list(model.parameters()))
    model(torch.ones(2)).sum().backward()
    optimizer.step()
    torch.save(optimizer.state_dict(), tmp_path / "o.pt")
    assert same(torch.load(tmp_path / "o.pt"), optimizer.state_dict())


def test_state_of_learning_rate_schedules(tmp_path: Path) -> None:
    schedules = torch.optim.lr_scheduler
    for make in (
        lambda o: schedules.StepLR(o, 2),
        lambda o: schedules.MultiStepLR(o, [1, 3, 3]),
        lambda o: schedules.CosineAnnealingLR(o, 5),
    ):
        schedule = make(torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=1.0))
        torch.save(schedule.state_dict(), tmp_path / "s.pt")
        assert same(torch.load(tmp_path / "s.pt"), schedule.state_dict())


def test_state_of_generators(tmp_path: Path) -> None:
    generator = torch.Generator().manual_seed(5)
    torch.rand(7, generator=generator)
    torch.randn(3, generator=generator)
    torch.save(generator.get_state(), tmp_path / "g.pt")
    want = torch.randn(20, generator=generator)
    other = torch.Generator()
    other.set_state(torch.load(tmp_path / "g.pt"))
    assert torch.equal(torch.randn(20, generator=other), want)


# ---- what goes wrong ----


class Anything:
    pass


@pytest.mark.parametrize(
    "value", [Anything(), torch.nn.Linear(1, 1), lambda: 1, frozenset([1]), range(3), [[Anything]]]
)
def test_what_files_cannot_hold_is_refused(value: Any, tmp_path: Path) -> None:
    (tmp_path / "x.pt").write_bytes(b"old")
    with pytest.raises(TypeError, match="save: cannot save an object of type"):
        torch.save(value, tmp_path / "x.pt")
    assert (tmp_path / "x.pt").read_bytes() == b"old" and len(list(tmp_path.iterdir())) == 1


def test_nesting_has_an_end(tmp_path: Path) -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(RecursionError):
        torch.save(deep, tmp_path / "x.pt")


def test_numbers_of_numpy_become_plain_ones(tmp_path: Path) -> None:
    numpy = pytest.importorskip("numpy")
    torch.save([numpy.float64(1.5), numpy.int32(3), numpy.bool_(True)], tmp_path / "x.pt")
    assert str(torch.load(tmp_path / "x.pt")) == "[1.5, 3, True]"
    with pytest.raises(TypeError, match="numpy.ndarray"):
        torch.save(numpy.ones(2), tmp_path / "x.pt")


def test_one_memory_has_one_dtype(tmp_path: Path) -> None:
    x = torch.ones(2)
    with pytest.raises(RuntimeError, match="Cannot save multiple tensors or storages that view the same data as"):
        torch.save([x, x.view(torch.int32)], tmp_path / "x.pt")


@pytest.mark.parametrize(
    ("name", "error", "words"),
    [
        (
            "module.pt",
            pickle.UnpicklingError,
            "Weights only load failed.*GLOBAL torch.nn.modules.linear.Linear was not",
        ),
        ("script.pt", RuntimeError, "Cannot use ``weights_only=True`` with TorchScript archives"),
        ("legacy.pt", pickle.UnpicklingError, "before version 1.6"),
        ("scalar.npy", pickle.UnpicklingError, "it is no zip archive"),
        ("missing.pt", FileNotFoundError, "No such file or directory"),
        ("", IsADirectoryError, "Is a directory"),
    ],
)
def test_files_that_are_none(name: str, error: type[Exception], words: str) -> None:
    for mmap in (False, True):
        with pytest.raises(error, match=words):
            torch.load(GOLDEN / name, mmap=mmap)


def test_code_is_never_run(tmp_path: Path) -> None:
    repacked = Repacked(GOLDEN / "big_endian.pt")
    mark = tmp_path / "ran"
    data = (
        b"\x80\2cposix\nsystem\nX" + len(f"touch {mark}").to_bytes(4, "little") + f"touch {mark}".encode() + b"\x85R."
    )
    with pytest.raises(
        pickle.UnpicklingError, match="Trying to load unsupported GLOBAL posix.system whose module posix"
    ):
        torch.load(repacked.with_record("data.pkl", data))
    assert not mark.exists()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\x80\2cbuiltins\neval\nX\1\0\0\0a\x85R.", "Unsupported global: GLOBAL builtins.eval was not an allowed"),
        (b"\x80\2\xff.", "Unsupported operand 255"),
        (b"\x80\4N.", "pickle protocol 4 is not supported"),
        (b"\x80\2N", "pickle data was truncated"),
        (b"\x80\2X\xff\xff\xff\xff.", "pickle data was truncated"),
        (b"\x80\2a.", "pop from an empty stack"),
        (b"\x80\2t.", "could not find MARK"),
        (b"\x80\2(a.", "unexpected MARK found"),
        (b"\x80\2h\1.", "Memo value not found at index 1"),
        (b"\x80\2}]Ns.", "an object of type list cannot be a key"),
        (b"\x80\2N\x85R.", "pop from an empty stack"),
        (b"\x80\2NN\x85R.", "Trying to call reduce for unrecognized function NoneType"),
        (b"\x80\2ctorch\nFloatStorage\n)R.", "a class of storages or tensors is called"),
        (b"\x80\2ctorch._utils\n_rebuild_tensor_v2\n)R.", "_rebuild_tensor_v2.*missing"),
        (b"\x80\2K\1Q.", "Only persistent_load of storage is allowed"),
        (b"\x80\2X\7\0\0\0storageNNNN(NNNNNtQ.", "Only persistent_load of storage is allowed"),
        (b"\x80\2]Nb.", "Can only build Tensor, Parameter, OrderedDict"),
        (b"\x80\2ccollections\nOrderedDict\n)R}X\5\0\0\0itemsNsb.", "attributes of an OrderedDict"),
        (b"\x80\2}(Nu.", "a key without a value"),
        (b"\x80\2NNa.", "Can only append to lists"),
        (b"\x80\2c_codecs\nencode\nX\2\0\0\0\xc4\x80X\6\0\0\0latin1\x86R.", "no text in latin1"),
        (b"\x80\2X\1\0\0\0\xff.", "is no text in UTF-8"),
    ],
)
def test_pickles_that_are_none(data: bytes, words: str) -> None:
    with pytest.raises(pickle.UnpicklingError, match="Weights only load failed.*" + words):
        torch.load(Repacked(GOLDEN / "big_endian.pt").with_record("data.pkl", data))


def test_keys_that_would_take_ages() -> None:
    data = b"\x80\2)" + b"q\0h\0\x86" * 100 + b"q\1}h\1Ns."
    with pytest.raises(pickle.UnpicklingError, match="cannot be a key"):
        torch.load(Repacked(GOLDEN / "big_endian.pt").with_record("data.pkl", data))


def test_tensors_reach_no_further_than_their_storage() -> None:
    repacked = Repacked(GOLDEN / "big_endian.pt")
    size = b"K\2K\3\x86"
    assert repacked.records["data.pkl"].count(size) == 1
    far = repacked.records["data.pkl"].replace(size, b"K\2K\4\x86")
    with pytest.raises(
        RuntimeError, match=r"setStorage: sizes \[2, 4\], strides \[3, 1\], storage offset 0, and itemsize 4"
    ):
        torch.load(repacked.with_record("data.pkl", far))
    with pytest.raises(RuntimeError, match=r"record size \(8 bytes\) does not match expected size \(24 bytes"):
        torch.load(repacked.with_record("data/0", bytes(8)))
    for name in ("data.pkl", "data/0", "version"):
        with pytest.raises(RuntimeError, match=f"failed locating file {name}: file not found"):
            torch.load(repacked.with_record(name, None))


def test_devices(tmp_path: Path) -> None:
    repacked = Repacked(GOLDEN / "big_endian.pt")
    cuda = repacked.records["data.pkl"].replace(b"X\3\0\0\0cpu", b"X\6\0\0\0cuda:0")
    with pytest.raises(RuntimeError, match="Attempting to deserialize object on a CUDA device but"):
        torch.load(repacked.with_record("data.pkl", cuda))
    for place in ("cpu", torch.device("cpu"), {"cuda:0": "cpu"}, lambda storage, place: storage):
        got = torch.load(repacked.with_record("data.pkl", cuda), map_location=place)
        assert got["x"].tolist() == [[0, 1, 2], [3, 4, 5]]
    with pytest.raises(RuntimeError, match="don't know how to restore data location of torch.storage.UntypedStorage"):
        torch.load(GOLDEN / "dtypes.pt", map_location="foo")
    with pytest.raises(TypeError, match="'int' object is not callable"):
        torch.load(GOLDEN / "dtypes.pt", map_location=3)


def test_arguments(tmp_path: Path) -> None:
    with pytest.raises(NotImplementedError, match="weights_only=False would run code"):
        torch.load(GOLDEN / "dtypes.pt", weights_only=False)
    with pytest.raises(NotImplementedError, match="one format only"):
        torch.save(1, tmp_path / "x.pt", pickle_protocol=4)
    with pytest.raises(
        AttributeError, match="'int' object has no attribute 'seek'. You can only torch.load from a file"
    ):
        torch.load(3)
    with pytest.raises(AttributeError, match="expected 'f' to be string, path, or a file-like object with a 'write'"):
        torch.save(1, 3)
    with pytest.raises(ValueError, match="f must be a file path in order to use the mmap argument"):
        torch.load(io.BytesIO(), mmap=True)
    with pytest.raises(EOFError):
        torch.load(io.BytesIO())
    with pytest.raises(RuntimeError, match="Parent directory /nowhere/at/all does not exist."):
        torch.save(1, "/nowhere/at/all/x.pt")


def test_safetensors_are_loaded_too() -> None:
    want = objects.dtypes(torch)
    got = torch.load(GOLDEN / "dtypes.safetensors")
    assert set(got) == set(want) - {"complex128"} and all(same(got[name], want[name]) for name in got)


def test_a_counter_counts_on(tmp_path: Path) -> None:
    torch.save(Counter("aab"), tmp_path / "x.pt")
    assert torch.load(tmp_path / "x.pt").most_common() == [("a", 2), ("b", 1)]


def test_files_beyond_four_gigabytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.disk_usage(tmp_path).free < 12 << 30:
        pytest.skip("the disk is too small")
    from onetape.io._files import Source
    from onetape.io._zip import Archive, ArchiveWriter

    class Holes:
        """A file in which zeros take no room."""

        def __init__(self, file: Any) -> None:
            self.file = file

        def write(self, data: Any) -> None:
            if len(data) > 1 << 30:
                self.file.seek(len(data), io.SEEK_CUR)
            else:
                self.file.write(data)

    check = zlib.crc32
    monkeypatch.setattr(zlib, "crc32", lambda data: check(memoryview(data)[: 1 << 20]))  # the sum takes seconds
    with open(tmp_path / "big.pt", "wb") as file, memory_maps.mmap(-1, (1 << 32) + 5) as zeros:
        writer = ArchiveWriter(Holes(file), "big")
        for name, data in (("small", b"abc"), ("large", zeros), ("after", b"def"), ("none", b"")):
            writer.write(name, data)
        writer.close()
    with zipfile.ZipFile(tmp_path / "big.pt") as archive:
        assert archive.getinfo("big/large").file_size == (1 << 32) + 5
        assert archive.read("big/after") == b"def"
    with open(tmp_path / "big.pt", "rb") as file:
        ours = Archive(Source(file, "big.pt"))
        assert ours.records["big/large"].size == (1 << 32) + 5
        assert ours.read(ours.records["big/after"], 10) == b"def" and ours.records["big/none"].size == 0
