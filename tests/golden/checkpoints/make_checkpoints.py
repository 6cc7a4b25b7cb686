"""Makes the files of this folder with PyTorch, NumPy and safetensors: run it in an environment that has them.

python tests/golden/checkpoints/make_checkpoints.py
"""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy
import objects
import safetensors.torch
import torch

HERE = Path(__file__).parent


def repacked(data: bytes, change: Any, compression: int = zipfile.ZIP_STORED) -> bytes:
    """An archive made again by Python's zipfile, with changed records."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", compression) as new:
        for name in old.namelist():
            new.writestr(zipfile.ZipInfo(name), change(name, old.read(name)), compression)
    return out.getvalue()


def big_endian(name: str, data: bytes) -> bytes:
    """What a machine of the other byte order would have written."""
    if name.endswith("byteorder"):
        return b"big"
    return numpy.frombuffer(data, "<f4").astype(">f4").tobytes() if "/data/" in name else data


def torch_files() -> None:
    for name, make in objects.OBJECTS.items():
        torch.save(make(torch), HERE / f"{name}.pt")
    torch.save({"x": torch.arange(6.0).reshape(2, 3)}, HERE / "big_endian.pt")
    data = (HERE / "big_endian.pt").read_bytes()
    (HERE / "deflated.pt").write_bytes(repacked(data, lambda _, part: part, zipfile.ZIP_DEFLATED))
    (HERE / "big_endian.pt").write_bytes(repacked(data, big_endian))
    torch.save(torch.arange(3.0), HERE / "legacy.pt", _use_new_zipfile_serialization=False)
    torch.save(torch.nn.Linear(1, 1), HERE / "module.pt")
    torch.jit.save(torch.jit.script(torch.nn.ReLU()), HERE / "script.pt")
    parts = objects.training(torch)
    losses = objects.train(torch, parts, 5)
    torch.save(objects.state(torch, parts), HERE / "training.pt")
    losses += objects.train(torch, parts, 5)
    (HERE / "training.json").write_text(json.dumps({"torch": torch.__version__, "losses": losses}) + "\n")


def other_files() -> None:
    kinds = {name: made for name, made in objects.dtypes(torch).items() if name != "complex128"}
    safetensors.torch.save_file(kinds, HERE / "dtypes.safetensors", {"made by": "safetensors"})
    arrays = {name: made.numpy() for name, made in objects.dtypes(torch).items() if name != "bfloat16"}
    numpy.savez(HERE / "dtypes.npz", **arrays)
    numpy.savez_compressed(HERE / "compressed.npz", **arrays)
    turned = {name: numpy.asfortranarray(array.astype(array.dtype.newbyteorder(">"))) for name, array in arrays.items()}
    numpy.savez(HERE / "turned.npz", **turned)
    numpy.save(HERE / "scalar.npy", numpy.float64(2.5))
    numpy.save(HERE / "empty.npy", numpy.zeros((0, 3), numpy.int16))
    numpy.save(HERE / "objects.npy", numpy.array([None], object), allow_pickle=True)


if __name__ == "__main__":
    torch_files()
    other_files()
