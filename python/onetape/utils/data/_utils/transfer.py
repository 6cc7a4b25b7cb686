"""Batches on their way from a worker process to the loader: large memory goes through a file, the rest in a message.

The files are in a folder of the loader, in memory where the system has such a place. The loader maps a file, removes
its name at once, and gives tensors on the mapped memory: nothing is copied, and the memory goes with the last tensor.
A full disk costs no more than time, since such a batch goes into the message.
"""

from __future__ import annotations

import io
import mmap
import os
import pickle
import tempfile
from contextlib import suppress
from typing import Any, SupportsIndex

import onetape._C as _C
from onetape._C import Tensor

__all__ = ["dump", "load", "make_folder"]

_IN_MESSAGE = 4096
"""Memory of fewer bytes goes into the message."""
_ALIGNED = 64
"""Where memory starts in the file: at multiples of this."""

_Message = tuple[bytes, "list[tuple[int, int]] | list[bytes]", "str | None"]


def make_folder() -> str | None:
    """A new folder for the files, or None where none can be made."""
    for parent in ("/dev/shm", None):
        if parent is None or os.path.isdir(parent):
            with suppress(OSError):
                return tempfile.mkdtemp(prefix=f"onetape-data-{os.getpid()}-", dir=parent)
    return None


def _tensor_from(kind: type[Tensor], memory: Any, dtype: Any, size: tuple[int, ...], requires_grad: bool) -> Tensor:
    if isinstance(memory, (bytes, bytearray)):
        made = _C._from_bytes(bytes(memory), dtype, size)
    else:
        made = _C.frombuffer(memory, dtype=_C.uint8).view(dtype).view(size)
    return Tensor._make_subclass(kind, made, requires_grad)


class _Pickler(pickle.Pickler):
    """Gives the memory of tensors out of band."""

    def reducer_override(self, value: Any) -> Any:
        if not isinstance(value, Tensor) or value.nbytes < _IN_MESSAGE or value.grad_fn is not None:
            return NotImplemented
        dense = value.detach().contiguous()
        start = dense.storage_offset() * dense.itemsize
        memory = _C._storage_tensor(dense, _C.uint8)[start : start + dense.nbytes]
        buffer = pickle.PickleBuffer(memoryview(memory))  # type: ignore[arg-type]
        arguments = (type(value), buffer, value.dtype, tuple(value.shape), value.requires_grad)
        return _tensor_from, arguments, value.__dict__ or None


def dump(value: Any, path: str | None) -> _Message:
    """What to send for a value; large memory is written to a new file at this path, if one is given."""
    buffers: list[pickle.PickleBuffer] = []

    def keep(buffer: pickle.PickleBuffer) -> bool:
        if buffer.raw().nbytes < _IN_MESSAGE:
            return True
        buffers.append(buffer)
        return False

    text = io.BytesIO()
    _Pickler(text, protocol=5, buffer_callback=keep).dump(value)
    if not buffers:
        return text.getvalue(), [], None
    views = [buffer.raw() for buffer in buffers]
    if path is not None:
        try:
            return text.getvalue(), _write(path, views), path
        except OSError:
            with suppress(OSError):
                os.unlink(path)
    return text.getvalue(), [bytes(view) for view in views], None


def _write(path: str, views: list[memoryview]) -> list[tuple[int, int]]:
    """Writes the memory to a new file; returns where each part begins and ends."""
    spans = []
    end = 0
    with open(path, "xb") as file:
        for view in views:
            start = -(-end // _ALIGNED) * _ALIGNED
            end = start + view.nbytes
            file.seek(start)
            file.write(view)
            spans.append((start, end))
    return spans


def _map(path: str, flags: SupportsIndex) -> mmap.mmap:
    file = os.open(path, os.O_RDWR)
    try:
        return mmap.mmap(file, 0, flags=int(flags))
    finally:
        os.close(file)


def load(message: _Message) -> Any:
    """The value of a message; the file's name is gone afterwards."""
    text, parts, path = message
    if path is None:
        return pickle.loads(text, buffers=parts)
    try:
        # The pages are there already: taking them all at once spares a fault for each.
        memory = memoryview(_map(path, mmap.MAP_SHARED | getattr(mmap, "MAP_POPULATE", 0)))
    finally:
        os.unlink(path)
    return pickle.loads(text, buffers=[memory[start:end] for start, end in parts])


def discard(message: _Message) -> None:
    """Removes the file of a message that nobody wants."""
    if message[2] is not None:
        with suppress(OSError):
            os.unlink(message[2])
