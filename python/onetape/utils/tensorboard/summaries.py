"""What is shown, as messages: numbers, distributions, pictures, texts."""

from __future__ import annotations

import math
import struct
import zlib
from bisect import bisect_left, bisect_right
from itertools import pairwise
from typing import Any

import onetape._C as _C
from onetape._C import Tensor
from onetape.utils.tensorboard.records import Message

__all__ = ["histogram", "image", "image_grid", "pixels", "scalar", "text"]

_FLOAT, _DOUBLE, _STRING = 1, 2, 7
"""Types of TensorFlow's tensors."""


def _summary(tag: str, field: int, content: Message, plugin: str | None = None, display: str = "") -> Message:
    value = Message().data(1, tag).data(field, content)
    if plugin is not None:
        metadata = Message().data(1, Message().data(1, plugin))
        value.data(9, metadata.data(2, display) if display else metadata)
    return Message().data(1, value)


def number(value: Any) -> float:
    """A number, or the only element of a tensor or array."""
    return float(value.item() if hasattr(value, "item") else value)


def scalar(tag: str, value: Any, new_style: bool = False, double_precision: bool = False) -> Message:
    """A number of a curve."""
    if not new_style and not double_precision:
        return Message().data(1, Message().data(1, tag).float32(2, _as_float(number(value))))
    tensor = Message().integer(1, _DOUBLE if double_precision else _FLOAT).data(2, Message())
    tensor = tensor.float64(6, number(value)) if double_precision else tensor.float32(5, _as_float(number(value)))
    return _summary(tag, 8, tensor, "scalars")


def _as_float(value: float) -> float:
    """The number, or an infinity where no float of 32 bits is so large."""
    largest = 3.4028235677973366e38
    return math.copysign(math.inf, value) if abs(value) >= largest and not math.isnan(value) else value


# ---- distributions ----


def _tensorflow_edges() -> list[float]:
    """The edges that TensorBoard expects: each 10 % from the next."""
    edges = []
    edge = 1e-12
    while edge < 1e20:
        edges.append(edge)
        edge *= 1.1
    return [-edge for edge in reversed(edges)] + [0.0] + edges


_EDGES = _tensorflow_edges()


def _edges(values: list[float], bins: Any, max_bins: int | None) -> list[float]:
    if bins == "tensorflow":
        edges = _EDGES
    elif isinstance(bins, int):
        low, high = values[0], values[-1]
        if low == high:
            low, high = low - 0.5, high + 0.5
        edges = [low + (high - low) * i / bins for i in range(bins + 1)]
    elif isinstance(bins, str):
        raise ValueError(f"add_histogram: bins must be 'tensorflow', a number or edges, but is {bins!r}")
    else:
        edges = [float(edge) for edge in bins]
    if max_bins is not None and len(edges) - 1 > max_bins:
        step = (len(edges) - 1) // max_bins
        edges = [*edges[: len(edges) - 1 : step], edges[-1]]
    return edges


def histogram(tag: str, values: Any, bins: Any = "tensorflow", max_bins: int | None = None) -> Message:
    """A distribution. Numbers that are not finite are left out; if nothing else is there, ValueError."""
    flat = sorted(_C.as_tensor(values).detach().to(_C.float64).reshape(-1).tolist(), key=lambda v: (v != v, v))
    finite = [value for value in flat if math.isfinite(value)]
    if not finite:
        raise ValueError("The input has no finite element." if flat else "The input has no element.")
    edges = _edges(finite, bins, max_bins)
    # The last bucket holds its upper edge, as NumPy counts.
    places = [bisect_left(finite, edge) for edge in edges[:-1]] + [bisect_right(finite, edges[-1])]
    counts = [after - before for before, after in pairwise(places)]
    used = [i for i, count in enumerate(counts) if count]
    if not used:
        raise ValueError("The histogram is empty: no element lies between the edges.")
    first, last = used[0], used[-1]
    # One empty bucket stays before the first one that is used.
    limits = edges[first : last + 2]
    shown = [counts[first - 1] if first else 0, *counts[first : last + 1]]
    content = Message().float64(1, finite[0]).float64(2, finite[-1]).float64(3, float(len(finite)))
    content.float64(4, math.fsum(finite)).float64(5, math.fsum(value * value for value in finite))
    return _summary(tag, 5, content.float64s(6, limits).float64s(7, shown))


# ---- pictures ----


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _png(data: bytes, height: int, width: int, channels: int) -> bytes:
    """Bytes of (height, width, channels) in the PNG format."""
    colour = {1: 0, 2: 4, 3: 2, 4: 6}[channels]
    stride = width * channels
    rows = b"".join(b"\0" + data[i * stride : (i + 1) * stride] for i in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, 0)
    body = _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(rows)) + _chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def pixels(picture: Any, dataformats: str) -> Tensor:
    """The picture as bytes of shape (H, W, C); numbers with a point go from 0 to 1.

    dataformats: what the dimensions are, such as "CHW"

    Raises ValueError: it has other dimensions than said, or no 1 to 4 channels.
    """
    tensor = _C.as_tensor(picture).detach()
    formats = dataformats.upper()
    if sorted(formats) not in (["C", "H", "W"], ["H", "W"]) or tensor.dim() != len(formats):
        raise ValueError(
            f"size of input tensor and input format are different. tensor shape: {tuple(tensor.shape)}, "
            f"input_format: {dataformats}"
        )
    if "C" not in formats:
        formats, tensor = formats + "C", tensor.unsqueeze(-1)
    tensor = tensor.permute([formats.index(name) for name in "HWC"])
    if not 1 <= tensor.size(2) <= 4:
        raise ValueError(f"a picture has 1 to 4 channels, but there are {tensor.size(2)}")
    if tensor.dtype == _C.uint8:
        return tensor.contiguous()
    if tensor.is_floating_point():
        tensor = tensor.to(_C.float32).mul(255)
    return tensor.clamp(0, 255).to(_C.uint8).contiguous()


def image_grid(pictures: Any, dataformats: str) -> Tensor:
    """Several pictures in rows of eight, as bytes of shape (H, W, C)."""
    tensor = _C.as_tensor(pictures).detach()
    formats = dataformats.upper()
    if sorted(formats) != ["C", "H", "N", "W"] or tensor.dim() != 4:
        raise ValueError(
            f"size of input tensor and input format are different. tensor shape: {tuple(tensor.shape)}, "
            f"input_format: {dataformats}"
        )
    tensor = tensor.permute([formats.index(name) for name in "NCHW"])
    count, channels, height, width = tensor.shape
    columns = min(8, count)
    rows = -(-count // columns) if count else 0
    grid = _C.zeros(channels, rows * height, columns * width, dtype=tensor.dtype)
    for i in range(count):
        y, x = i // columns * height, i % columns * width
        grid[:, y : y + height, x : x + width] = tensor[i]
    return pixels(grid, "CHW")


def image(tag: str, picture: Tensor) -> Message:
    """A picture of bytes (H, W, C)."""
    height, width, channels = picture.shape
    data = _png(picture._to_bytes(), height, width, channels)
    content = Message().integer(1, height).integer(2, width).integer(3, channels).data(4, data)
    return _summary(tag, 4, content)


def text(tag: str, content: str) -> Message:
    """A text, which TensorBoard reads as Markdown."""
    tensor = Message().integer(1, _STRING).data(2, Message().data(2, Message().integer(1, 1)))
    return _summary(f"{tag}/text_summary", 8, tensor.data(8, content), "text")
