"""ZIP archives of records that are stored one after the other: what .pt and .npz files are made of."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from onetape import _C
from onetape._C import Tensor
from onetape.io._files import Output, Source, bytes_of

__all__ = ["Archive", "ArchiveError", "ArchiveWriter", "Record"]

_LOCAL = struct.Struct("<4s5HIIIHH")
_CENTRAL = struct.Struct("<4s6HIII5HII")
_END = struct.Struct("<4s4HIIH")
_END64 = struct.Struct("<4sQHHIIQQQQ")
_LOCATOR = struct.Struct("<4sIQI")
_DEFLATED = 8
_MOST = 0xFFFFFFFF
_RATIO = 1032
"""No deflated byte stands for more bytes than that."""


class ArchiveError(Exception):
    """What is wrong with an archive."""


# ---- writing ----


class ArchiveWriter:
    """Writes records whose data begins at multiples of 64 bytes, byte by byte as PyTorch's own writer does.

    Sizes beyond 4 GB get the fields of ZIP64. The check sums follow the data, so that nothing is read twice.
    """

    def __init__(self, output: Output, folder: str) -> None:
        self._output = output
        self._folder = folder
        self._place = 0
        self._central = bytearray()
        self._count = 0
        self.sums: list[int] = []
        """The check sums of the records so far."""

    def _put(self, data: Any) -> None:
        self._output.write(data)
        self._place += memoryview(data).nbytes

    def write(self, name: str, data: Any) -> None:
        """Writes a record; data: bytes, or memory of a tensor."""
        memory = memoryview(data)
        size = memory.nbytes
        path = f"{self._folder}/{name}".encode() if self._folder else name.encode()
        start = self._place
        extra = b""
        if size >= _MOST or start >= _MOST:
            fields = ([size, size] if size >= _MOST else []) + ([start] if start >= _MOST else [])
            extra = struct.pack(f"<HH{len(fields)}Q", 1, 8 * len(fields), *fields)
        before = start + _LOCAL.size + len(path) + len(extra) + 4
        filling = b"Z" * (-before % 64)
        padding = struct.pack("<2sH", b"FB", len(filling)) + filling
        flags = 0x0808 if size else 0x0800
        room = len(extra) + len(padding)
        self._put(_LOCAL.pack(b"PK\3\4", 0, flags, 0, 0, 0, 0, 0, 0, len(path), room) + path + extra + padding)
        if size:
            self._put(memory)
        check = zlib.crc32(memory)
        if size:
            self._put(struct.pack("<4sIQQ" if extra else "<4sIII", b"PK\7\10", check, size, size))
        short = min(size, _MOST)
        self._central += _CENTRAL.pack(
            b"PK\1\2", 0, 0, flags, 0, 0, 0, check, short, short, len(path), len(extra), 0, 0, 0, 0, min(start, _MOST)
        )
        self._central += path + extra
        self._count += 1
        self.sums.append(check)

    def close(self) -> None:
        """Writes the directory at the end."""
        start, size, count = self._place, len(self._central), self._count
        self._put(bytes(self._central))
        end = self._place
        self._put(_END64.pack(b"PK\6\6", _END64.size - 12, 0x031E, 45, 0, 0, count, count, size, start))
        self._put(_LOCATOR.pack(b"PK\6\7", 0, end, 1))
        few = min(count, 0xFFFF)
        self._put(_END.pack(b"PK\5\6", 0, 0, few, few, min(size, _MOST), min(start, _MOST), 0))


# ---- reading ----


@dataclass
class Record:
    """One record of an archive."""

    name: str
    size: int
    packed: int
    method: int
    start: int
    """Where its header is."""
    room: int
    """The bytes from its header to that of the next record."""


class Archive:
    """Reads archives. Nothing in them is trusted: sizes are compared with the file's, and records may not overlap."""

    def __init__(self, source: Source) -> None:
        self._source = source
        start, size, count = self._directory()
        self.records = {record.name: record for record in self._listed(start, size, count)}
        if len(self.records) != count:
            raise ArchiveError("two records have the same name")
        limit = start
        for record in sorted(self.records.values(), key=lambda record: record.start, reverse=True):
            record.room = limit - record.start
            if record.room < _LOCAL.size + record.packed:
                raise ArchiveError(f"record '{record.name}' reaches into what follows it")
            limit = record.start

    def _directory(self) -> tuple[int, int, int]:
        """Where the directory is, its size, and the number of records."""
        source = self._source
        tail = min(source.size, 0xFFFF + _END.size)
        data = source.read(source.size - tail, tail)
        at = data.rfind(b"PK\5\6", 0, max(0, tail - _END.size + 4))
        if at < 0:
            raise ArchiveError("failed finding central directory")
        _, _, _, _, count, size, start, _ = _END.unpack_from(data, at)
        place = source.size - tail + at
        if (
            count == 0xFFFF
            or size == _MOST
            or start == _MOST
            or (place >= _LOCATOR.size and source.read(place - _LOCATOR.size, 4) == b"PK\6\7")
        ):
            place, count, size, start = self._directory64(place - _LOCATOR.size)
        if start + size > place or count * _CENTRAL.size > size:
            raise ArchiveError("failed finding central directory")
        return start, size, count

    def _directory64(self, place: int) -> tuple[int, int, int, int]:
        source = self._source
        if place < _END64.size:
            raise ArchiveError("failed finding central directory")
        mark, _, at, _ = _LOCATOR.unpack(source.read(place, _LOCATOR.size))
        if mark != b"PK\6\7" or at > place - _END64.size:
            raise ArchiveError("failed finding central directory")
        mark, *_, count, size, start = _END64.unpack(source.read(at, _END64.size))
        if mark != b"PK\6\6":
            raise ArchiveError("failed finding central directory")
        return at, count, size, start

    def _listed(self, start: int, size: int, count: int) -> Iterator[Record]:
        data = self._source.read(start, size)
        at = 0
        for _ in range(count):
            if at + _CENTRAL.size > size:
                raise ArchiveError("the central directory ends early")
            mark, _, _, flags, method, _, _, _, packed, full, name_size, extra_size, note_size, *_, offset = (
                _CENTRAL.unpack_from(data, at)
            )
            at += _CENTRAL.size
            end = at + name_size + extra_size + note_size
            if mark != b"PK\1\2" or end > size:
                raise ArchiveError("the central directory is damaged")
            name = data[at : at + name_size].decode("utf-8", "replace")
            extra = data[at + name_size : at + name_size + extra_size]
            full, packed, offset = _widened(extra, full, packed, offset)
            if flags & 1:
                raise ArchiveError(f"record '{name}' is encrypted")
            if method not in (0, _DEFLATED):
                raise ArchiveError(f"record '{name}' is compressed in a way that is not supported")
            if (method == 0 and full != packed) or full > packed * _RATIO or offset + packed > start:
                raise ArchiveError(f"record '{name}' has an impossible size")
            at = end
            yield Record(name, full, packed, method, offset, 0)

    def _data(self, record: Record) -> int:
        """Where the data of a record begins."""
        header = self._source.read(record.start, _LOCAL.size)
        mark, *_, name_size, extra_size = _LOCAL.unpack(header)
        head = _LOCAL.size + name_size + extra_size
        if mark != b"PK\3\4" or head + record.packed > record.room:
            raise ArchiveError(f"the header of record '{record.name}' is damaged")
        return record.start + int(head)

    def read(self, record: Record, most: int) -> bytes:
        """The data of a record that is expected to be small."""
        if record.size > most:
            raise ArchiveError(f"record '{record.name}' is too large: {record.size} bytes")
        if record.method == 0:
            return self._source.read(self._data(record), record.size)
        data = bytearray(record.size)
        self._inflate(record, memoryview(data))
        return bytes(data)

    def head(self, record: Record, count: int) -> bytes:
        """The first bytes of a record, as many as there are."""
        count = min(count, record.size)
        if record.method == 0:
            return self._source.read(self._data(record), count)
        packed = self._source.read(self._data(record), min(record.packed, count + 1024))
        try:
            return zlib.decompressobj(-15).decompress(packed, count)
        except zlib.error as error:
            raise ArchiveError(f"record '{record.name}' is damaged: {error}") from None

    def storage(self, record: Record, skip: int = 0, alignment: int = 16) -> Tensor:
        """The data of a record, but for the first bytes, as a tensor that is all of its storage."""
        if record.method == 0:
            return self._source.storage(self._data(record) + skip, record.size - skip, alignment)
        made = _C.empty(record.size - skip, dtype=_C.uint8)
        self._inflate(record, bytes_of(made), skip)
        return made

    def _inflate(self, record: Record, memory: memoryview, skip: int = 0) -> None:
        """Unpacks a record into memory of exactly its size, apart from bytes that are skipped."""
        unpack = zlib.decompressobj(-15)
        place, end = self._data(record), 0
        end = place + record.packed
        at = -skip
        pending = b""
        try:
            while at < memory.nbytes and not unpack.eof:
                if not pending and place < end:
                    pending = self._source.read(place, min(1 << 20, end - place))
                    place += len(pending)
                piece = unpack.decompress(pending, 1 << 20)
                starved = not piece and not pending
                pending = unpack.unconsumed_tail
                part = piece[max(0, -at) :]
                if starved or max(at, 0) + len(part) > memory.nbytes:
                    break
                memory[max(at, 0) : max(at, 0) + len(part)] = part
                at += len(piece)
        except zlib.error as error:
            raise ArchiveError(f"record '{record.name}' is damaged: {error}") from None
        if at != memory.nbytes:
            raise ArchiveError(f"record '{record.name}' does not have the size it is said to have")


def _widened(extra: bytes, *short: int) -> list[int]:
    """Sizes and offset, with those that do not fit 32 bits taken from the ZIP64 field."""
    numbers = list(short)
    wanted = [i for i, number in enumerate(short) if number == _MOST]
    at = 0
    while wanted and at + 4 <= len(extra):
        kind, size = struct.unpack_from("<HH", extra, at)
        if kind == 1:
            if size < 8 * len(wanted) or at + 4 + size > len(extra):
                raise ArchiveError("the central directory is damaged")
            for i, place in enumerate(wanted):
                numbers[place] = struct.unpack_from("<Q", extra, at + 4 + 8 * i)[0]
            return numbers
        at += 4 + size
    return numbers
