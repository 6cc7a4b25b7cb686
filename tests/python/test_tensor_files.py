"""Safetensors, npy and npz: files of the usual libraries are read, ours are theirs, and damaged ones refused."""

from __future__ import annotations

import io
import json
import struct
from pathlib import Path
from typing import Any

import pytest

import onetape as torch
from onetape.io import load_npy, load_npz, safetensors, save_npy, save_npz
from tests.golden.checkpoints import objects

GOLDEN = Path(__file__).parents[1] / "golden" / "checkpoints"


def equal(got: dict[str, torch.Tensor], want: dict[str, torch.Tensor]) -> bool:
    return got.keys() == want.keys() and all(
        got[name].dtype == want[name].dtype and torch.equal(got[name], want[name]) for name in want
    )


def without(name: str) -> dict[str, torch.Tensor]:
    return {kind: made for kind, made in objects.dtypes(torch).items() if kind != name}


# ---- safetensors ----


@pytest.mark.parametrize("mmap", [False, True])
def test_safetensors_are_read(mmap: bool) -> None:
    assert equal(safetensors.load_file(GOLDEN / "dtypes.safetensors", mmap=mmap), without("complex128"))
    assert equal(safetensors.load((GOLDEN / "dtypes.safetensors").read_bytes()), without("complex128"))
    with safetensors.safe_open(GOLDEN / "dtypes.safetensors", framework="pt", mmap=mmap) as file:
        assert file.metadata() == {"made by": "safetensors"}
        assert set(file.keys()) == set(without("complex128"))
        assert torch.equal(file.get_tensor("int16"), objects.numbers(torch, "int16"))
        with pytest.raises(safetensors.SafetensorError, match="File does not contain tensor nothing"):
            file.get_tensor("nothing")


def test_safetensors_are_written_as_the_library_does(tmp_path: Path) -> None:
    made = without("complex128")
    safetensors.save_file(made, tmp_path / "x.safetensors", {"made by": "safetensors"})
    want = (GOLDEN / "dtypes.safetensors").read_bytes()
    assert (tmp_path / "x.safetensors").read_bytes() == want
    assert safetensors.save(made, {"made by": "safetensors"}) == want


def test_what_safetensors_cannot_hold() -> None:
    x = torch.ones(2, 3)
    for tensors, error, words in [
        ({"x": x.t()}, ValueError, "You are trying to save a non contiguous tensor: `x` which is not allowed"),
        ({"x": x, "y": x[:1]}, RuntimeError, r"Some tensors share memory, this will lead to.*\[\['x', 'y'\]\]"),
        ({"x": x.to(torch.complex128)}, TypeError, "no dtype torch.complex128"),
        ({"x": 1}, ValueError, "Key `x` is invalid, expected torch.Tensor but received"),
        ({1: x}, ValueError, "Key `1` is invalid, expected a str"),
        ([x], ValueError, "Expected a dict of"),
    ]:
        with pytest.raises(error, match=words):
            safetensors.save(tensors)  # type: ignore[arg-type]


def header(entries: Any, data: bytes = b"") -> bytes:
    text = entries if isinstance(entries, bytes) else json.dumps(entries).encode()
    return struct.pack("<Q", len(text)) + text + data


def entry(shape: Any, offsets: Any, dtype: Any = "U8") -> Any:
    return {"dtype": dtype, "shape": shape, "data_offsets": offsets}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "header too small"),
        (struct.pack("<Q", 1 << 40), "header too large"),
        (struct.pack("<Q", 100), "invalid header length"),
        (header(b"[]"), "invalid header start"),
        (header(b"{"), "invalid JSON in header"),
        (header(b'{"x":' * 20_000), "invalid JSON in header"),
        (header(b'{"\xff":1}'), "invalid UTF-8 in header"),
        (header(b'{"x":1,"x":2}'), "duplicate keys"),
        (header({"x": 1}), "invalid JSON in header: tensor `x`"),
        (header({"x": entry([2], [0, 2], "F8_E4M3")}, bytes(2)), "dtype 'F8_E4M3' is not supported"),
        (header({"x": entry([3], [0, 2])}, bytes(2)), r"InvalidOffset\(`x`\)"),
        (header({"x": entry([1 << 62, 1 << 62], [0, 2])}, bytes(2)), "tensor `x`: the sizes are too large"),
        (header({"x": entry([-1], [0, 2])}, bytes(2)), "tensor `x`"),
        (header({"x": entry([2], [2, 0])}, bytes(2)), r"InvalidOffset\(`x`\)"),
        (
            header({"x": entry([2], [0, 2]), "y": entry([2], [0, 2])}, bytes(2)),
            r"InvalidOffset\(`y`\): tensors overlap",
        ),
        (header({"x": entry([2], [1, 3])}, bytes(3)), r"InvalidOffset\(`x`\): tensors overlap, or there is a gap"),
        (header({"x": entry([2], [0, 2])}, bytes(3)), "file not fully covered"),
        (header({"x": entry([2], [0, 2])}, bytes(1)), "file not fully covered"),
        (header({"x": entry([0] * 70, [0, 0])}), "70 dimensions"),
        (header({"x": entry([0, 1 << 62, 1 << 62], [0, 0])}), "tensor `x`"),
        (header({"__metadata__": {"a": 1}}), "the metadata are no texts"),
    ],
)
def test_safetensors_that_are_none(data: bytes, words: str) -> None:
    with pytest.raises(safetensors.SafetensorError, match="Error while deserializing header: .*" + words):
        safetensors.load(data)


def test_elements_at_odd_places_are_copied() -> None:
    data = header(
        b'{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"b":{"dtype":"F32","shape":[1],"data_offsets":[1,5]}}'
    )
    got = safetensors.load(data + b"\7" + struct.pack("<f", 2.5))
    assert got["a"].item() == 7 and got["b"].item() == 2.5


# ---- npy and npz ----


@pytest.mark.parametrize("mmap", [False, True])
@pytest.mark.parametrize("name", ["dtypes", "compressed", "turned"])
def test_npz_is_read(name: str, mmap: bool) -> None:
    got = load_npz(GOLDEN / f"{name}.npz", mmap=mmap)
    assert equal(got, without("bfloat16"))
    if name == "turned":
        assert got["float32"].stride() == (1, 2)


def test_npy_is_read() -> None:
    assert load_npy(GOLDEN / "scalar.npy").shape == () and load_npy(GOLDEN / "scalar.npy").item() == 2.5
    assert load_npy(GOLDEN / "empty.npy").shape == (0, 3)
    assert load_npy(GOLDEN / "empty.npy", mmap=True).dtype == torch.int16


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0,), (1, 0, 2), (4, 1, 2)])
def test_npy_is_written_as_numpy_does(shape: tuple[int, ...], tmp_path: Path) -> None:
    numpy = pytest.importorskip("numpy")
    for dtype, made in without("bfloat16").items():
        tensor = torch.ones(shape).to(made.dtype)
        save_npy(tmp_path / "x.npy", tensor)
        want = io.BytesIO()
        numpy.save(want, tensor.numpy())
        assert (tmp_path / "x.npy").read_bytes() == want.getvalue(), dtype
        assert torch.equal(load_npy(tmp_path / "x.npy"), tensor)


def test_npz_is_written(tmp_path: Path) -> None:
    made = {
        **without("bfloat16"),
        "turned": torch.arange(6).reshape(2, 3).t(),
        "tracked": torch.ones(2, requires_grad=True),
    }
    save_npz(tmp_path / "x.npz", made)
    assert equal(load_npz(tmp_path / "x.npz"), made)
    numpy = pytest.importorskip("numpy")
    with numpy.load(tmp_path / "x.npz") as theirs:
        assert set(theirs) == set(made) and (theirs["turned"] == made["turned"].numpy()).all()


def npy(text: bytes, data: bytes = b"", version: int = 1) -> bytes:
    length = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes((version, 0)) + length + text + data


@pytest.mark.parametrize(
    ("data", "error", "words"),
    [
        (b"", ValueError, "the magic string is not correct"),
        (
            npy(b"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", bytes(7)),
            ValueError,
            "cannot read 8 bytes",
        ),
        (
            npy(b"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }"),
            ValueError,
            "Object arrays cannot be loaded when",
        ),
        (npy(b"{'descr': '<u4', 'fortran_order': False, 'shape': (1,), }"), TypeError, "dtype '<u4' has no tensor"),
        (npy(b"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }"), TypeError, "array of records"),
        (npy(b"{'descr': '<f4', 'fortran_order': False, }"), ValueError, "Cannot parse header"),
        (npy(b"__import__('os').system('true')"), ValueError, "Cannot parse header"),
        (npy(b"{'descr': '<f4', 'fortran_order': False, 'shape': (9 9,), }"), ValueError, "shape is not valid"),
        (
            npy(b"{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }" % (1 << 70)),
            ValueError,
            "shape is not valid",
        ),
        (
            npy(b"{'descr': '<f4', 'fortran_order': False, 'shape': (0, %d, %d), }" % (1 << 60, 1 << 60)),
            ValueError,
            "shape is not valid",
        ),
        (npy(b"", version=9), ValueError, "we only support format version"),
        (b"\x93NUMPY\2\0\xff\xff\xff\xff", ValueError, "which is too large"),
        (b"\x93NUMPY\1\0\xff\x00{'descr'", ValueError, "EOF: reading array header, expected 255 bytes got 8"),
    ],
)
def test_npy_that_is_none(data: bytes, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        load_npy(data)


def test_objects_of_numpy_are_refused() -> None:
    with pytest.raises(ValueError, match="Object arrays cannot be loaded when allow_pickle=False"):
        load_npy(GOLDEN / "objects.npy")
    with pytest.raises(TypeError, match="NumPy has no dtype bfloat16"):
        save_npy(io.BytesIO(), torch.ones(1, dtype=torch.bfloat16))
    with pytest.raises(ValueError, match="load_npz: failed finding central directory"):
        load_npz(GOLDEN / "scalar.npy")


def test_headers_of_other_versions() -> None:
    text = b"{'shape': (2L,), 'fortran_order': True, 'descr': '>i2'}"
    for version in (1, 2, 3):
        assert load_npy(npy(text, b"\0\1\0\2", version)).tolist() == [1, 2]
