"""Reads event files, bit by bit as they are documented: records with checksums that hold protocol buffers."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

Fields = dict[int, list[Any]]


def _masked(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def fields(data: bytes) -> Fields:
    """The values of a message by field: integers, floats, and bytes for texts, lists and messages."""
    found: Fields = {}
    place = 0

    def varint() -> int:
        nonlocal place
        value = shift = 0
        while True:
            byte = data[place]
            place += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def taken(count: int) -> bytes:
        nonlocal place
        place += count
        assert place <= len(data)
        return data[place - count : place]

    while place < len(data):
        key = varint()
        readers = {
            0: varint,
            1: lambda: struct.unpack("<d", taken(8))[0],
            2: lambda: taken(varint()),
            5: lambda: struct.unpack("<f", taken(4))[0],
        }
        found.setdefault(key >> 3, []).append(readers[key & 7]())
    return found


def events(folder: Path) -> list[Fields]:
    """The events of the one file in a folder, without the first one, which names the format."""
    (path,) = [path for path in folder.iterdir() if path.is_file()]
    assert path.name.startswith("events.out.tfevents.")
    data = path.read_bytes()
    found = []
    while data:
        length = struct.unpack("<Q", data[:8])[0]
        assert struct.unpack("<I", data[8:12])[0] == _masked(data[:8])
        body, data = data[12 : 12 + length], data[12 + length :]
        assert struct.unpack("<I", data[:4])[0] == _masked(body)
        data = data[4:]
        found.append(fields(body))
    assert found[0][3] == [b"brain.Event:2"]
    return found[1:]


def value(event: Fields) -> Fields:
    """The one value of an event."""
    (summary,) = event[5]
    (only,) = fields(summary)[1]
    return fields(only)


def doubles(data: bytes) -> list[float]:
    """A list of numbers."""
    return list(struct.unpack(f"<{len(data) // 8}d", data))
