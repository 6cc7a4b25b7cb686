"""Damaged files: every cut of small ones, and some seconds of random damage. `make fuzz` tries other seeds."""

from __future__ import annotations

import io
import struct
import zipfile
from pathlib import Path

import pytest

import onetape as torch
from onetape.io import load_npz
from tests.fuzz import files
from tests.fuzz.__main__ import main

SMALL = ("big_endian.pt", "deflated.pt", "dtypes.safetensors", "scalar.npy", "empty.npy", "compressed.npz")


@pytest.mark.parametrize("name", SMALL)
def test_every_cut_of_a_file_is_an_error(name: str) -> None:
    data = (files.GOLDEN / name).read_bytes()
    for size in range(len(data)):
        if name != "empty.npy" or size < len(data):
            assert files.read(name, data[:size], None) != "read", size


@pytest.mark.parametrize("face", ["python-files", "java-files"])
def test_damaged_files_end_in_tensors_or_promised_errors(face: str) -> None:
    assert main(["--face", face, "--seconds", "6"]) == 0


def bomb(size: int) -> io.BytesIO:
    """A deflated record that stands for a thousand times as many zeros."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x/data.pkl", bytes(size))
        archive.writestr("x/version", b"3\n")
    return out


def test_bombs_do_not_go_off(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="record 'x/data.pkl' is too large: 50000000 bytes"):
        torch.load(bomb(50_000_000))
    data = bytearray(bomb(1000).getvalue())
    entry = data.index(b"PK\1\2")
    for size, words in ((0x7FFFFFFF, "has an impossible size"), (2000, "does not have the size it is said to have")):
        struct.pack_into("<I", data, entry + 24, size)
        with pytest.raises(RuntimeError, match=words):
            torch.load(io.BytesIO(data))


def test_records_may_not_overlap() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a.npy", bytes(100))
        archive.writestr("b.npy", bytes(100))
    data = bytearray(out.getvalue())
    second = data.rindex(b"PK\1\2")
    for place in (0, 20):
        struct.pack_into("<I", data, second + 42, place)
        with pytest.raises(ValueError, match="reaches into what follows it"):
            load_npz(bytes(data))
