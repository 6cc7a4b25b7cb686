"""Files that are replaced as a whole or not at all, and places that bytes of tensors are read from."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BytesIO, FileIO
from typing import Any, BinaryIO, Protocol

from onetape import _C
from onetape._C import Tensor

__all__ = ["Path", "Source", "bytes_of", "from_bytes", "opened", "reading", "replacing", "writing"]

Path = str | os.PathLike[str]


# ---- writing ----


class Output(Protocol):
    """What bytes are written to."""

    def write(self, data: Any, /) -> Any:
        """Writes all of the data."""


@contextmanager
def writing(target: Any) -> Iterator[Output]:
    """Something to write to: a file that is replaced as a whole, or an object with a method ``write``."""
    if isinstance(target, (str, os.PathLike)):
        with replacing(target) as file:
            yield file
    elif hasattr(target, "write"):
        yield _Whole(target)
    else:
        raise AttributeError("expected 'f' to be string, path, or a file-like object with a 'write' attribute")


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A new file that takes the place of another when the block ends, and is gone if the block fails.

    The bytes are on the disk before the name changes, so that after a crash there is either the old file or the new
    one. A link stays one: the file it leads to is replaced. What is no regular file, like a pipe, is written directly.

    Raises RuntimeError: the folder does not exist, or the path is a folder. OSError: a full disk, missing rights.
    """
    place = os.path.realpath(path)
    folder, name = os.path.split(place)
    if not os.path.isdir(folder):
        raise RuntimeError(f"Parent directory {os.path.dirname(os.fspath(path))} does not exist.")
    old = _status(place)
    if old is not None and stat.S_ISDIR(old.st_mode):
        raise RuntimeError(f"open file failed with strerror: Is a directory: '{os.fspath(path)}'")
    if old is not None and not stat.S_ISREG(old.st_mode):
        with open(place, "wb", buffering=0) as direct:
            yield _Whole(direct)  # type: ignore[misc]
        return
    handle, temporary = tempfile.mkstemp(prefix=f".{name[:200]}.", suffix=".tmp", dir=folder)
    try:
        with open(handle, "wb", buffering=0) as file:
            os.fchmod(handle, stat.S_IMODE(old.st_mode) if old else 0o666 & ~_umask())
            yield _Whole(file)  # type: ignore[misc]
            os.fsync(handle)
        os.replace(temporary, place)
    except BaseException as error:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        if isinstance(error, OSError) and error.filename is None and error.errno is not None:
            kept = "; the file there is unchanged" if old else ""
            raise OSError(error.errno, os.strerror(error.errno) + kept, os.fspath(path)) from error
        raise
    _sync_folder(folder)


class _Whole:
    """Writes all of what it is given; a file may take less at a time, and need not say how much."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def write(self, data: Any) -> None:
        rest = memoryview(data)
        while rest.nbytes:
            part = rest[: 1 << 30]
            written = self._file.write(part)
            rest = rest[part.nbytes if written is None else written :]


def _status(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _umask() -> int:
    """The process's mask, which can be asked for only by setting it; /proc tells without that."""
    with open("/proc/self/status", encoding="ascii") as lines:
        for line in lines:
            if line.startswith("Umask:"):
                return int(line.split()[1], 8)
    return 0o077


def _sync_folder(folder: str) -> None:
    """Has the new name on the disk; file systems that cannot say so are left alone."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):
            os.fsync(handle)
    finally:
        os.close(handle)


# ---- reading ----


def bytes_of(data: Tensor) -> memoryview:
    """The memory of all of a tensor's storage."""
    memory = _C._storage_tensor(data, _C.uint8)
    return memoryview(memory) if memory.numel() else memoryview(b"")  # type: ignore[arg-type]


def from_bytes(memory: Tensor, kind: _C.dtype) -> Tensor:
    """The elements that a storage of bytes holds, in their dtype."""
    return _C._storage_tensor(memory, kind)


class Source:
    """A file or another object with bytes, read from any place."""

    def __init__(self, file: Any, name: str) -> None:
        self.file = file
        self.name = name
        self.size: int = file.seek(0, os.SEEK_END)
        self.mapped: Tensor | None = None
        """All bytes, if the file is mapped."""

    def fill(self, offset: int, memory: memoryview) -> None:
        """Fills memory with the bytes from a place on.

        Raises RuntimeError: there are fewer bytes, as when the file has become shorter.
        """
        self.file.seek(offset)
        while memory.nbytes:
            count = self._some(memory)
            if not count:
                raise RuntimeError(f"{self.name} ended early: {memory.nbytes} bytes are missing")
            memory = memory[count:]

    def _some(self, memory: memoryview) -> int:
        if hasattr(self.file, "readinto"):
            return int(self.file.readinto(memory[: 1 << 30]) or 0)
        data = self.file.read(min(memory.nbytes, 1 << 24))
        memory[: len(data)] = data
        return len(data)

    def read(self, offset: int, count: int) -> bytes:
        """Bytes from a place on; the callers have compared the count with the size."""
        data = bytearray(count)
        self.fill(offset, memoryview(data))
        return bytes(data)

    def storage(self, offset: int, count: int, alignment: int) -> Tensor:
        """Bytes from a place on as a tensor that is all of its storage.

        They are those of the file, if it is mapped and elements may begin at that place; else they are copied.
        """
        if self.mapped is not None and count and offset % alignment == 0:
            return _C._storage_part(self.mapped, offset, count)
        made = _C.empty(count, dtype=_C.uint8)
        self.fill(offset, bytes_of(made))
        return made


@contextmanager
def opened(file: Any) -> Iterator[Source]:
    """What can be read from: a path, bytes, or a file object that can seek and read."""
    if isinstance(file, (bytes, bytearray, memoryview)):
        yield Source(BytesIO(file), "the data")
    elif isinstance(file, (str, os.PathLike)):
        with open(file, "rb", buffering=0) as raw:
            if not stat.S_ISREG(os.fstat(raw.fileno()).st_mode):
                yield Source(BytesIO(raw.read()), f"'{os.fspath(file)}'")  # a pipe cannot seek
            else:
                yield Source(raw, f"'{os.fspath(file)}'")
    else:
        for need in ("seek", "tell", "read"):
            if not hasattr(file, need):
                raise AttributeError(
                    f"'{type(file).__name__}' object has no attribute '{need}'. You can only torch.load from a file "
                    "that is seekable. Please pre-load the data into a buffer like io.BytesIO and try to load from it "
                    "instead."
                )
        yield Source(file, "the file")


@contextmanager
def reading(file: Any, mmap: bool) -> Iterator[Source]:
    """What can be read from, or mapped into memory if so said.

    Raises ValueError: what is to be mapped is no path.
    """
    if mmap and not isinstance(file, (str, os.PathLike)):
        raise ValueError("f must be a file path in order to use the mmap argument")
    with opened(file) as source:
        if mmap and isinstance(source.file, FileIO) and source.size:
            source.mapped = _C._map_file(source.file.fileno(), source.size)
        yield source
