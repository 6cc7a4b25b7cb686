"""Files as tensors: IDX (as MNIST's), CSV, pictures.

A file that is truncated or holds something else is a ValueError that names it.
"""

from __future__ import annotations

import csv
import gzip
import io
import math
import os
import sys
import warnings
import zlib
from array import array
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import onetape._C as _C
from onetape._C import Tensor, dtype
from onetape.utils.data.dataset import Dataset

__all__ = ["MNIST", "decode_image", "read_csv", "read_idx", "read_image"]

_Path = str | os.PathLike[str]

_IDX_TYPES: dict[int, tuple[dtype, str]] = {
    0x08: (_C.uint8, "B"),
    0x09: (_C.int8, "b"),
    0x0B: (_C.int16, "h"),
    0x0C: (_C.int32, "i"),
    0x0D: (_C.float32, "f"),
    0x0E: (_C.float64, "d"),
}
"""Code of the file -> dtype, and the type of Python's arrays."""
_MOST_DIMS = 64
_PORTION = 1 << 20


def _exactly(file: io.BufferedIOBase, count: int) -> bytearray:
    """So many bytes, read by and by, so that a false size takes no more memory than the file has."""
    data = bytearray()
    while len(data) < count:
        part = file.read(min(_PORTION, count - len(data)))
        if not part:
            raise ValueError("the file is truncated")
        data += part
    return data


def _idx(file: io.BufferedIOBase) -> Tensor:
    zeros, code, dims = int.from_bytes(_exactly(file, 2), "big"), *_exactly(file, 2)
    if zeros:
        raise ValueError("not an IDX file")
    if code not in _IDX_TYPES:
        raise ValueError(f"unknown type of elements: 0x{code:02x}")
    if dims > _MOST_DIMS:
        raise ValueError(f"too many dimensions: {dims}")
    sizes = [int.from_bytes(_exactly(file, 4), "big") for _ in range(dims)]
    kind, letter = _IDX_TYPES[code]
    elements = array(letter)
    elements.frombytes(_exactly(file, math.prod(sizes) * elements.itemsize))
    if file.read(1):
        raise ValueError(f"there is more than the elements of sizes {sizes}")
    if sys.byteorder == "little":
        elements.byteswap()
    if not elements:
        return _C.empty(sizes, dtype=kind)
    return _C.frombuffer(elements, dtype=kind).view(sizes)


def read_idx(path: _Path) -> Tensor:
    """A file in the IDX format, such as those of MNIST, also if compressed with gzip.

    Returns a tensor of the file's sizes and dtype.
    Raises ValueError: the file is truncated or something else. OSError: it cannot be read.
    """
    place = os.fspath(path)  # no descriptor, which would be closed under its owner
    try:
        with open(place, "rb") as raw:
            compressed = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            if not compressed:
                return _idx(raw)
            with gzip.open(raw) as file:
                return _idx(file)
    except (EOFError, zlib.error, gzip.BadGzipFile, ValueError) as error:
        text = "the file is truncated" if isinstance(error, EOFError) else error
        raise ValueError(f"read_idx: {os.fsdecode(place)}: {text}") from error


def _numbers(rows: Iterator[list[str]], skip: int, missing: float | None) -> Iterator[list[float]]:
    width = None
    for line, row in enumerate(rows, 1):
        if line <= skip or not any(cell.strip() for cell in row) and len(row) <= 1:
            continue
        if width is not None and len(row) != width:
            raise ValueError(f"line {line}: {len(row)} columns, but there were {width} before")
        width = len(row)
        numbers = []
        for column, cell in enumerate(row, 1):
            text = cell.strip()
            try:
                numbers.append(missing if not text and missing is not None else float(text))
            except ValueError:
                raise ValueError(f"line {line}, column {column}: {text!r} is not a number") from None
        yield numbers


def read_csv(
    path: _Path,
    *,
    delimiter: str = ",",
    skip: int = 0,
    missing: float | None = None,
    dtype: dtype | None = None,
) -> Tensor:
    """The numbers of a text with a line for each row; cells may stand in double quotes.

    skip: the first lines, such as headings, that hold no numbers
    missing: what an empty cell stands for; without it, there must be none
    dtype: of the result; the default dtype if not given

    Returns a tensor of shape (rows, columns).
    Raises ValueError: a cell is no number, or rows differ in length. OSError: the file cannot be read.
    """
    place = os.fspath(path)
    numbers = array("d")
    rows = 0
    try:
        with open(place, newline="", encoding="utf-8") as file:
            for row in _numbers(csv.reader(file, delimiter=delimiter), skip, missing):
                numbers.extend(row)
                rows += 1
    except (ValueError, csv.Error) as error:  # UnicodeDecodeError is a ValueError
        raise ValueError(f"read_csv: {os.fsdecode(place)}, {error}") from error
    kind = dtype or _C.get_default_dtype()
    if not rows:
        return _C.empty((0, 0), dtype=kind)
    return _C.frombuffer(numbers, dtype=_C.float64).view(rows, -1).to(kind)


# ---- pictures ----


def _opened(data: bytes) -> Any:
    """The picture, decoded; in one of the modes L, RGB and RGBA."""
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError as error:
        raise ImportError("reading pictures needs Pillow: pip install pillow") from error

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)
        try:
            image: Any = Image.open(io.BytesIO(data))
            image.load()
        except UnidentifiedImageError:
            raise ValueError("not a picture in a known format") from None
        except Exception as error:  # decoders raise many kinds on broken files
            raise ValueError(f"the picture is broken: {error}") from error
    if image.mode.startswith("I"):  # 16 bits a pixel
        return image.convert("I").point(lambda value: value * (1 / 256)).convert("L")
    if image.mode == "1":
        return image.convert("L")
    if "A" in image.mode or "transparency" in image.info:
        return image.convert("RGBA")
    return image if image.mode == "L" else image.convert("RGB")


def _pixels(data: bytes) -> Tensor:
    image = _opened(data)
    channels = len(image.getbands())
    flat = _C.frombuffer(bytearray(image.tobytes()), dtype=_C.uint8)
    return flat.view(image.height, image.width, channels).permute(2, 0, 1).contiguous()


def decode_image(data: bytes) -> Tensor:
    """The picture in the bytes of a file; see read_image."""
    try:
        return _pixels(data)
    except ValueError as error:
        raise ValueError(f"decode_image: {error}") from error


def read_image(path: _Path) -> Tensor:
    """The picture in a file, decoded by Pillow.

    Returns uint8 of shape (channels, height, width): one channel if it is grey, four if it is partly transparent, else
    three.
    Raises ValueError: the file is truncated or no picture. OSError: it cannot be read. ImportError: there is no Pillow.
    """
    data = Path(path).read_bytes()
    try:
        return _pixels(data)
    except ValueError as error:
        raise ValueError(f"read_image: {os.fspath(path)}: {error}") from error


# ---- MNIST ----


class MNIST(Dataset[Any]):
    """The handwritten digits of MNIST, from its IDX files in a folder, also if compressed with gzip.

    train: the digits for training, else those for testing
    transform: what becomes of an image; floats from 0 to 1 of shape (1, 28, 28) if not given

    A sample is the image and its digit.
    Raises ValueError: a file is broken. FileNotFoundError: one is missing.
    """

    def __init__(self, root: _Path, train: bool = True, transform: Callable[[Tensor], Any] | None = None) -> None:
        name = "train" if train else "t10k"
        self.data = self._read(root, f"{name}-images-idx3-ubyte", 3)
        self.targets = self._read(root, f"{name}-labels-idx1-ubyte", 1).to(_C.int64)
        if len(self.data) != len(self.targets):
            raise ValueError(f"MNIST: {len(self.data)} images, but {len(self.targets)} labels in {os.fspath(root)}")
        self.train = train
        self.transform = transform

    @staticmethod
    def _read(root: _Path, name: str, dims: int) -> Tensor:
        path = Path(root) / name
        if not path.exists() and path.with_name(f"{name}.gz").exists():
            path = path.with_name(f"{name}.gz")
        found = read_idx(path)
        if found.dim() != dims or found.dtype != _C.uint8:
            raise ValueError(f"MNIST: {path} holds {found.dtype} of sizes {list(found.shape)}")
        return found

    def _image(self, raw: Tensor) -> Any:
        image = raw.unsqueeze(-3).to(_C.float32) / 255
        return image if self.transform is None else self.transform(image)

    def __getitem__(self, index: int) -> tuple[Any, int]:
        return self._image(self.data[index]), int(self.targets[index].item())

    def __len__(self) -> int:
        return len(self.data)
