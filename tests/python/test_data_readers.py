"""Readers of files: what they read, and that broken files are plain errors."""

from __future__ import annotations

import gzip
import io
import math
import os
import random
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import onetape as torch
from onetape.utils.data import MNIST, DataLoader, decode_image, read_csv, read_idx, read_image


def idx(code: int, sizes: tuple[int, ...], elements: bytes) -> bytes:
    return struct.pack(f">HBB{len(sizes)}I", 0, code, len(sizes), *sizes) + elements


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
@pytest.mark.parametrize("code, kind", [(8, ">u1"), (9, ">i1"), (11, ">i2"), (12, ">i4"), (13, ">f4"), (14, ">f8")])
def test_idx_of_every_type(tmp_path: Path, code: int, kind: str, pack: Any) -> None:
    values = np.arange(-12, 12).reshape(2, 3, 4).astype(kind)
    (tmp_path / "x").write_bytes(pack(idx(code, values.shape, values.tobytes())))
    got = read_idx(tmp_path / "x")
    assert got.numpy().dtype == values.dtype.newbyteorder("=")
    assert np.array_equal(got.numpy(), values)
    got.zero_()


def test_idx_without_elements(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(idx(8, (0, 3), b""))
    assert read_idx(str(tmp_path / "x")).shape == (0, 3)
    (tmp_path / "x").write_bytes(idx(9, (), b"\xff"))
    assert read_idx(tmp_path / "x").item() == -1


GOOD = idx(8, (2, 2), b"\1\2\3\4")


@pytest.mark.parametrize(
    "data, what",
    [
        *[(GOOD[:length], "truncated") for length in range(len(GOOD))],
        (GOOD + b"\0", r"there is more than the elements of sizes \[2, 2\]"),
        (idx(7, (1,), b"\0"), "unknown type of elements: 0x07"),
        (b"hello", "not an IDX file"),
        (idx(8, (2**32 - 1,) * 3, b"1234"), "truncated"),
        (idx(8, (1,) * 65, b"1"), "too many dimensions: 65"),
        (gzip.compress(GOOD)[:-9], "truncated"),
        (b"\x1f\x8b" + b"\xff" * 20, ""),
    ],
)
def test_broken_idx(tmp_path: Path, data: bytes, what: str) -> None:
    (tmp_path / "x").write_bytes(data)
    with pytest.raises(ValueError, match=f"^read_idx: .*x: .*{what}"):
        read_idx(tmp_path / "x")


@pytest.mark.parametrize("data", [GOOD, gzip.compress(GOOD)], ids=["plain", "gzip"])
def test_idx_with_changed_bytes(tmp_path: Path, data: bytes) -> None:
    numbers = random.Random(1)
    for _ in range(500):
        changed = bytearray(data)
        changed[numbers.randrange(len(changed))] = numbers.randrange(256)
        (tmp_path / "x").write_bytes(changed)
        try:
            read_idx(tmp_path / "x")
        except ValueError as error:
            assert str(error).startswith("read_idx: ")


def test_missing_files() -> None:
    for reader in (read_idx, read_csv, read_image):
        with pytest.raises(FileNotFoundError):
            reader("/no/such/file")


@pytest.mark.parametrize("read", [read_idx, read_csv])
def test_a_descriptor_is_no_path(tmp_path: Path, read: Any) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"1,2\n")
    descriptor = os.open(file, os.O_RDONLY)
    try:
        with pytest.raises(TypeError, match="not int"):
            read(descriptor)
        os.fstat(descriptor)  # still open
    finally:
        os.close(descriptor)


def test_csv(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('a,b\n1, 2.5\n\n"3",-4e2\r\n')
    assert read_csv(path, skip=1).tolist() == [[1, 2.5], [3, -400]]
    assert read_csv(path, skip=1).dtype == torch.float32
    assert read_csv(path, skip=1, dtype=torch.int64).tolist() == [[1, 2], [3, -400]]
    path.write_text("1;;inf\n;NaN;-inf\n")
    got = read_csv(path, delimiter=";", missing=-1).tolist()
    assert got[0] == [1, -1, math.inf] and math.isnan(got[1][1]) and got[1][::2] == [-1, -math.inf]
    path.write_text("")
    assert read_csv(path).shape == (0, 0)


@pytest.mark.parametrize(
    "text, what",
    [
        (b"a,b\n1,2\n", "line 1, column 1: 'a' is not a number"),
        (b"1,2\n3,\n", "line 2, column 2: '' is not a number"),
        (b"1,2\n\n3\n", "line 3: 1 columns, but there were 2 before"),
        (b"\xff\xfe\1", "can't decode"),
    ],
)
def test_broken_csv(tmp_path: Path, text: bytes, what: str) -> None:
    (tmp_path / "x").write_bytes(text)
    with pytest.raises(ValueError, match=f"^read_csv: .*x, .*{what}"):
        read_csv(tmp_path / "x")


def picture(mode: str, form: str = "PNG") -> bytes:
    image = pytest.importorskip("PIL.Image")
    channels = {"L": 1, "RGB": 3, "RGBA": 4, "LA": 2}[mode]
    pixels = np.arange(6 * channels, dtype=np.uint8).reshape(2, 3, channels) * 7
    buffer = io.BytesIO()
    image.fromarray(pixels[..., 0] if channels == 1 else pixels, mode=None).save(buffer, form)
    return buffer.getvalue()


@pytest.mark.parametrize("mode, channels", [("L", 1), ("RGB", 3), ("RGBA", 4), ("LA", 4)])
def test_pictures(tmp_path: Path, mode: str, channels: int) -> None:
    (tmp_path / "p.png").write_bytes(picture(mode))
    got = read_image(tmp_path / "p.png")
    assert got.dtype == torch.uint8 and got.shape == (channels, 2, 3) and got.is_contiguous()
    if mode != "LA":
        expected = np.arange(6 * channels, dtype=np.uint8).reshape(2, 3, channels) * 7
        assert np.array_equal(got.permute(1, 2, 0).numpy(), expected)


def test_other_kinds_of_pictures() -> None:
    image = pytest.importorskip("PIL.Image")

    def decoded(made: Any, form: str = "PNG") -> Any:
        buffer = io.BytesIO()
        made.save(buffer, form)
        return decode_image(buffer.getvalue())

    assert decoded(image.new("1", (2, 2), 1)).tolist() == [[[255, 255], [255, 255]]]
    assert decoded(image.new("P", (2, 2))).shape == (3, 2, 2)
    deep = image.fromarray(np.array([[0, 256], [32768, 65535]], dtype=np.uint16))
    assert decoded(deep).tolist() == [[[0, 1], [128, 255]]]
    assert decoded(image.new("RGB", (5, 4), (255, 0, 0)), "JPEG").shape == (3, 4, 5)
    assert decoded(image.new("CMYK", (5, 4)), "JPEG").shape == (3, 4, 5)


@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "BMP"])
def test_broken_pictures(form: str) -> None:
    data = picture("RGB", form)
    for length in range(0, len(data) // 2, 7):
        with pytest.raises(ValueError, match="^decode_image: "):
            decode_image(data[:length])
    numbers = random.Random(1)
    for _ in range(100):
        changed = bytearray(data)
        changed[numbers.randrange(len(changed))] = numbers.randrange(256)
        try:
            decode_image(bytes(changed))
        except ValueError as error:
            assert str(error).startswith("decode_image: ")


def test_no_picture(tmp_path: Path) -> None:
    pytest.importorskip("PIL")
    (tmp_path / "x.png").write_bytes(b"no picture")
    with pytest.raises(ValueError, match="^read_image: .*x.png: not a picture in a known format$"):
        read_image(tmp_path / "x.png")


def test_mnist(tmp_path: Path) -> None:
    pixels = np.zeros((5, 28, 28), dtype=np.uint8)
    pixels[:, 0, 0] = np.arange(5) * 51
    images, labels = idx(8, pixels.shape, pixels.tobytes()), idx(8, (5,), bytes(range(5)))
    (tmp_path / "train-images-idx3-ubyte").write_bytes(images)
    (tmp_path / "train-labels-idx1-ubyte").write_bytes(labels)
    (tmp_path / "t10k-images-idx3-ubyte.gz").write_bytes(gzip.compress(images))
    (tmp_path / "t10k-labels-idx1-ubyte.gz").write_bytes(gzip.compress(labels[:8] + bytes(range(4, -1, -1))))
    (batch,) = DataLoader(MNIST(tmp_path), 5)
    assert batch[0].shape == (5, 1, 28, 28) and batch[0][:, 0, 0, 0].tolist() == torch.arange(5).div(5).tolist()
    assert batch[1].tolist() == [0, 1, 2, 3, 4]
    testing = MNIST(tmp_path, train=False, transform=lambda image: image.sum().item())
    assert [target for _, target in testing] == [4, 3, 2, 1, 0] and testing[1][0] == pytest.approx(0.2)
    (tmp_path / "train-labels-idx1-ubyte").write_bytes(idx(8, (4,), bytes(4)))
    with pytest.raises(ValueError, match="^MNIST: 5 images, but 4 labels in "):
        MNIST(tmp_path)
    (tmp_path / "train-labels-idx1-ubyte").write_bytes(idx(9, (5,), bytes(5)))
    with pytest.raises(ValueError, match=r"^MNIST: .* holds torch.int8 of sizes \[5\]"):
        MNIST(tmp_path)
    with pytest.raises(FileNotFoundError):
        MNIST(tmp_path / "nowhere")
