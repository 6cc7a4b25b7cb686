"""NumPy's files of one array (npy) and of several (npz), without NumPy."""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from onetape import _C
from onetape._C import Tensor
from onetape.io._dtypes import NUMPY, numpy_name, swapped
from onetape.io._files import bytes_of, reading, writing
from onetape.io._zip import Archive, ArchiveError, ArchiveWriter

__all__ = ["load_npy", "load_npz", "save_npy", "save_npz"]

_MAGIC = b"\x93NUMPY"
_MOST_HEADER = 1 << 20
_ENTRY = re.compile(
    r"\s*(?:'(descr)'\s*:\s*'([^']*)'|'(fortran_order)'\s*:\s*(True|False)|'(shape)'\s*:\s*\(([0-9L,\s]*)\))\s*"
)


# ---- writing ----


def save_npy(file: Any, tensor: Tensor) -> None:
    """Saves a tensor as NumPy's ``save`` does; a file is replaced as a whole.

    Raises TypeError: NumPy has no such dtype (bfloat16). OSError: the disk is full, or the file may not be written.
    """
    header, memory = _encoded(tensor)
    with writing(file) as output:
        output.write(header)
        output.write(memory)


def save_npz(file: Any, tensors: Mapping[str, Tensor]) -> None:
    """Saves tensors under names as NumPy's ``savez`` does; a file is replaced as a whole.

    Raises TypeError: NumPy has no such dtype (bfloat16). OSError: the disk is full, or the file may not be written.
    """
    for tensor in tensors.values():
        _header(tensor)
    with writing(file) as output:
        archive = ArchiveWriter(output, "")
        for name, tensor in tensors.items():
            header, memory = _encoded(tensor)
            archive.write(f"{name}.npy", header + memory)
        archive.close()


def _header(tensor: Tensor) -> bytes:
    if not isinstance(tensor, Tensor):
        raise TypeError(f"save_npy: a tensor is needed, not {type(tensor).__name__}")
    code = numpy_name(tensor.dtype)
    if code is None:
        raise TypeError(f"save_npy: NumPy has no dtype {str(tensor.dtype).removeprefix('torch.')}")
    order = "|" if tensor.itemsize == 1 else "<"
    shape = "".join(f"{n}, " for n in tensor.shape).removesuffix(" " if tensor.dim() == 1 else ", ")
    text = f"{{'descr': '{order}{code}', 'fortran_order': False, 'shape': ({shape}), }}".encode()
    text += b" " * (-(len(text) + 11) % 64) + b"\n"
    return _MAGIC + b"\1\0" + struct.pack("<H", len(text)) + text


def _encoded(tensor: Tensor) -> tuple[bytes, memoryview]:
    header = _header(tensor)
    plain = tensor.detach().contiguous()
    start = plain.storage_offset() * plain.itemsize
    return header, bytes_of(plain)[start : start + plain.nbytes]


# ---- reading ----


def load_npy(file: Any, *, mmap: bool = False) -> Tensor:
    """The tensor of an npy file; arrays in Fortran's order and of the other byte order, too.

    mmap: elements come from the disk when they are first used; changes of the tensor do not change the file.

    Raises ValueError: the file is damaged, or holds objects. TypeError: the dtype has no tensor.
    """
    with reading(file, mmap) as source:
        head = _Head(source.read(0, min(source.size, 12)))
        head.parse(source.read(head.start, min(head.length, max(0, source.size - head.start))))
        head.check(source.size - head.data)
        return head.tensor(source.storage(head.data, head.nbytes, head.dtype.itemsize))


def load_npz(file: Any, *, mmap: bool = False) -> dict[str, Tensor]:
    """The tensors of an npz file under their names; compressed ones, too, which are not mapped.

    Raises ValueError: the file is damaged, or holds objects. TypeError: a dtype has no tensor.
    """
    with reading(file, mmap) as source:
        try:
            archive = Archive(source)
            found = {}
            for name, record in archive.records.items():
                head = _Head(archive.head(record, 12))
                head.parse(archive.head(record, min(head.start + head.length, _MOST_HEADER + 12))[head.start :])
                head.check(record.size - head.data)
                memory = archive.storage(record, head.data, head.dtype.itemsize)
                found[name.removesuffix(".npy")] = head.tensor(memory)
            return found
        except ArchiveError as error:
            raise ValueError(f"load_npz: {error}") from None


@dataclass(init=False)
class _Head:
    """What stands before the elements."""

    start: int
    length: int
    data: int
    dtype: _C.dtype
    shape: list[int]
    fortran: bool
    foreign: bool
    nbytes: int

    def __init__(self, first: bytes) -> None:
        if len(first) < 12 or not first.startswith(_MAGIC):
            raise ValueError(f"the magic string is not correct; expected {_MAGIC!r}, got {first[:6]!r}")
        if first[6] not in (1, 2, 3):
            raise ValueError(f"we only support format version (1,0), (2,0), and (3,0), not {tuple(first[6:8])}")
        short = first[6] == 1
        self.start = 10 if short else 12
        self.length = struct.unpack("<H", first[8:10])[0] if short else struct.unpack("<I", first[8:12])[0]
        if self.length > _MOST_HEADER:
            raise ValueError(f"the header has {self.length} bytes, which is too large")
        self.data = self.start + self.length

    def parse(self, header: bytes) -> None:
        """Reads the dict that tells dtype, order and shape."""
        if len(header) != self.length:
            raise ValueError(f"EOF: reading array header, expected {self.length} bytes got {len(header)}")
        text = header.decode("latin1").strip()
        found: dict[str, str] = {}
        at = 1
        while text.startswith("{") and (entry := _ENTRY.match(text, at)):
            key, value = (part for part in entry.groups() if part is not None)
            found[key] = value
            at = entry.end()
            if text[at : at + 1] != ",":
                break
            at += 1
        if set(found) != {"descr", "fortran_order", "shape"} or text[at:].strip() != "}":
            if "'descr': [" in text:
                raise TypeError("an array of records has no tensor")
            raise ValueError(f"Cannot parse header: {text[:200]!r}")
        self._set_dtype(found["descr"])
        self.fortran = found["fortran_order"] == "True"
        try:
            self.shape = [int(n.rstrip("L")) for n in found["shape"].split(",") if n.strip()]
        except ValueError:
            raise ValueError(f"shape is not valid: ({found['shape'][:100]})") from None
        self.nbytes, reach = self.dtype.itemsize, self.dtype.itemsize
        for n in self.shape[:64]:
            self.nbytes *= n
            reach *= max(1, n)
        if len(self.shape) > 64 or reach >= 1 << 63:
            raise ValueError(f"shape is not valid: ({found['shape'][:100]})")

    def _set_dtype(self, code: str) -> None:
        if code[1:] in ("O", "O8", "O4") or code == "O":
            raise ValueError("Object arrays cannot be loaded when allow_pickle=False")
        if code[:1] not in "<>|=" or code[1:] not in NUMPY:
            raise TypeError(f"an array of dtype {code!r} has no tensor; there are those of {', '.join(sorted(NUMPY))}")
        self.dtype = NUMPY[code[1:]]
        self.foreign = code[0] == ">"

    def check(self, there: int) -> None:
        """Compares the size with the bytes that there are."""
        if there < self.nbytes:
            raise ValueError(f"cannot read {self.nbytes} bytes of elements: the file has only {max(there, 0)}")

    def tensor(self, memory: Tensor) -> Tensor:
        """The tensor of the elements' bytes."""
        if self.foreign:
            memory = swapped(memory[: self.nbytes], self.dtype)
        order = range(len(self.shape)) if self.fortran else reversed(range(len(self.shape)))
        stride, step = [1] * len(self.shape), 1
        for d in order:
            stride[d] = step
            step *= max(1, self.shape[d])
        return _C._placed(_C._storage_tensor(memory, self.dtype), self.shape, stride, 0)
