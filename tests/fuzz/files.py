"""Damaged files for the readers: what comes out is a tensor or one of the errors that the readers promise."""

from __future__ import annotations

import faulthandler
import io
import os
import random
import sys
import tempfile
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import onetape as torch
from onetape.io import load_npy, load_npz, safetensors

GOLDEN = Path(__file__).parents[1] / "golden" / "checkpoints"
ERRORS = (RuntimeError, ValueError, TypeError, UnpicklingError, EOFError, safetensors.SafetensorError)
NOT_THESE = (UnicodeError, RecursionError, NotImplementedError)
"""Subclasses of those that would be accidents."""
READERS: dict[str, tuple[Callable[..., Any], Callable[[bytes], Any]]] = {
    ".pt": (torch.load, lambda data: torch.load(io.BytesIO(data))),
    ".safetensors": (safetensors.load_file, safetensors.load),
    ".npy": (load_npy, load_npy),
    ".npz": (load_npz, load_npz),
}
NUMBERS = (0, 1, 0x7F, 0x80, 0xFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, 1 << 40, (1 << 63) - 1, (1 << 64) - 1)
PARTS = (
    b"\x80\2",
    b"(",
    b"t",
    b"R",
    b"b",
    b"Q",
    b"u",
    b"s",
    b"e",
    b"a",
    b"]",
    b"}",
    b")",
    b"N",
    b".",
    b"0",
    b"1",
    b"h\0",
)


def originals() -> dict[str, bytes]:
    """The files that are damaged."""
    names = [path.name for path in GOLDEN.iterdir() if path.suffix in READERS and path.name != "plain.pt"]
    return {name: (GOLDEN / name).read_bytes() for name in sorted(names)}


def damaged(rng: random.Random, data: bytes) -> bytes:
    """The data with some of it changed."""
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        at = rng.randrange(len(changed) + 1)
        kind = rng.randrange(7)
        if kind == 0:
            del changed[at:]
        elif kind == 1:
            changed[at : at + 1] = bytes((rng.randrange(256),))
        elif kind == 2:
            size = rng.choice((1, 2, 4, 8))
            number = rng.choice(NUMBERS) & ((1 << 8 * size) - 1)
            changed[at : at + size] = number.to_bytes(size, rng.choice(("little", "big")))  # type: ignore[arg-type]
        elif kind == 3:
            del changed[at : at + rng.randrange(1, 20)]
        elif kind == 4:
            start = rng.randrange(len(changed) + 1)
            changed[at:at] = changed[start : start + rng.randrange(1, 40)]
        elif kind == 5:
            changed[at:at] = rng.choice(PARTS) * rng.choice((1, 1, 2, 100))
        elif at < len(changed):
            changed[at] ^= 1 << rng.randrange(8)
    return bytes(changed)


def inside(rng: random.Random, data: bytes) -> bytes:
    """An archive of which one record is damaged, and all else right."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        names = old.namelist()
        chosen = next((name for name in names if name.endswith("data.pkl") and rng.random() < 0.8), rng.choice(names))
        for name in names:
            part = old.read(name)
            new.writestr(zipfile.ZipInfo(name), damaged(rng, part) if name == chosen else part)
    return out.getvalue()


def used(value: Any, seen: set[int]) -> None:
    """Reads every element of the tensors."""
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, torch.Tensor):
        if value.numel() < 10**6:
            value.detach().to(torch.complex128).sum().item()
    elif isinstance(value, dict):
        used(list(value.values()), seen)
    elif isinstance(value, (list, tuple)) and len(seen) < 10**4:
        for item in value:
            used(item, seen)


def read(name: str, data: bytes, mmap: bool | None) -> str:
    """What comes of reading: "read", or the class of a promised error; mmap: None for bytes in memory."""
    suffix = Path(name).suffix
    from_file, from_bytes = READERS[suffix]
    try:
        if mmap is None:
            used(from_bytes(data), set())
        else:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / f"x{suffix}"
                path.write_bytes(data)
                used(from_file(path, mmap=mmap), set())
    except ERRORS as error:
        if isinstance(error, NOT_THESE) or not str(error):
            raise
        return type(error).__name__
    return "read"


def run(seed: int, files: dict[str, bytes]) -> str:
    """One damaged file."""
    rng = random.Random(seed)
    name = rng.choice(list(files))
    is_archive = name.endswith((".pt", ".npz")) and name not in ("legacy.pt",)
    change = inside if is_archive and rng.random() < 0.7 else damaged
    return read(name, change(rng, files[name]), rng.choice((None, False, True)))


def main() -> None:
    faulthandler.enable()
    warnings.simplefilter("ignore")
    first, count, progress = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    files = originals()
    at = os.open(progress, os.O_WRONLY | os.O_CREAT)
    for seed in range(first, first + count):
        os.pwrite(at, b"%20d" % seed, 0)
        answer = run(seed, files)
        if "--show" in sys.argv:
            print(seed, answer, flush=True)
    os.pwrite(at, b"%20d" % -1, 0)


if __name__ == "__main__":
    main()
