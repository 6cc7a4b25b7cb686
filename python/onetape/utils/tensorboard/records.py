"""The form of event files: records with checksums that hold messages of protocol buffers."""

from __future__ import annotations

import struct
from collections.abc import Iterable

__all__ = ["Message", "crc32c", "record"]


def _crc_table() -> list[int]:
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = (byte >> 1) ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


_TABLE = _crc_table()


def crc32c(data: bytes) -> int:
    """The Castagnoli checksum."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = _TABLE[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF


def _masked(data: bytes) -> bytes:
    """A checksum of data that may hold checksums."""
    crc = crc32c(data)
    return struct.pack("<I", (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF)


def record(data: bytes) -> bytes:
    """The data as one record: length and data, each with its checksum."""
    length = struct.pack("<Q", len(data))
    return length + _masked(length) + data + _masked(data)


def _varint(value: int) -> bytes:
    value &= 0xFFFFFFFFFFFFFFFF
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


class Message:
    """A message of protocol buffers, put together field by field; fields that are None are left out."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def _add(self, field: int, wire: int, data: bytes) -> Message:
        self._parts += (_varint(field << 3 | wire), data)
        return self

    def integer(self, field: int, value: int | None) -> Message:
        """An integer field."""
        return self if value is None else self._add(field, 0, _varint(value))

    def float64(self, field: int, value: float) -> Message:
        """A field of 64 bits."""
        return self._add(field, 1, struct.pack("<d", value))

    def float32(self, field: int, value: float) -> Message:
        """A field of 32 bits."""
        return self._add(field, 5, struct.pack("<f", value))

    def float64s(self, field: int, values: Iterable[float]) -> Message:
        """A field of many numbers of 64 bits."""
        return self.data(field, b"".join(struct.pack("<d", value) for value in values))

    def data(self, field: int, data: bytes | str | Message) -> Message:
        """A field of bytes, a text or another message."""
        raw = data.encode() if isinstance(data, str) else data.encoded() if isinstance(data, Message) else data
        return self._add(field, 2, _varint(len(raw)) + raw)

    def encoded(self) -> bytes:
        """The message as bytes."""
        return b"".join(self._parts)
