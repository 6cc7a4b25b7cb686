"""Archives for tests: made again with other records, and compared but for what is drawn by lot."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path


class Repacked:
    """An archive of which one record is changed; None leaves it out."""

    def __init__(self, path: Path) -> None:
        with zipfile.ZipFile(path) as archive:
            self._all = {name: archive.read(name) for name in archive.namelist()}
        self.records = {name.partition("/")[2]: data for name, data in self._all.items()}

    def with_record(self, name: str, data: bytes | None, compression: int = zipfile.ZIP_STORED) -> io.BytesIO:
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", compression) as archive:
            for path, old in self._all.items():
                new = data if path.partition("/")[2] == name else old
                if new is not None:
                    archive.writestr(zipfile.ZipInfo(path), new, compression)
        out.seek(0)
        return out


def without_identity(data: bytes) -> bytes:
    """An archive without the forty digits that PyTorch hashes from the contents, and without their check sums."""
    at = data.index(b".data/serialization_id")
    digits = re.compile(rb"\d{40}PK\x07\x08....", re.DOTALL)
    found = digits.search(data, at)
    assert found
    entry = data.rindex(b"PK\1\2")
    return data[: found.start()] + data[found.end() : entry + 16] + data[entry + 20 :]
