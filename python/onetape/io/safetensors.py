"""Safetensors files: names and tensors, nothing that could run. The names are those of ``safetensors.torch``."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import Any

from onetape import _C
from onetape._C import Tensor
from onetape.io._dtypes import SAFETENSORS, safetensors_name
from onetape.io._files import Output, Path, Source, bytes_of, opened, reading, writing

__all__ = ["SafetensorError", "load", "load_file", "safe_open", "save", "save_file"]

_MOST_HEADER = 100_000_000


class SafetensorError(Exception):
    """What is wrong with a file."""


# ---- writing ----


def save_file(tensors: Mapping[str, Tensor], filename: Any, metadata: Mapping[str, str] | None = None) -> None:
    """Saves tensors under names; the file is replaced as a whole, and if that fails the old one is still there.

    metadata: texts under names.

    Raises ValueError: a tensor is not contiguous, or no tensor. RuntimeError: two tensors share memory. TypeError: the
    format has no such dtype. OSError: the disk is full, or the file may not be written.
    """
    header, order = _header(tensors, metadata)
    with writing(filename) as output:
        _write(output, header, order)


def save(tensors: Mapping[str, Tensor], metadata: Mapping[str, str] | None = None) -> bytes:
    """The bytes of the file that save_file() would write."""
    header, order = _header(tensors, metadata)
    parts = _Parts()
    _write(parts, header, order)
    return b"".join(parts.all)


class _Parts:
    def __init__(self) -> None:
        self.all: list[bytes] = []

    def write(self, data: Any) -> None:
        self.all.append(bytes(data))


def _write(output: Output, header: bytes, order: list[Tensor]) -> None:
    output.write(struct.pack("<Q", len(header)) + header)
    for tensor in order:
        start = tensor.storage_offset() * tensor.itemsize
        output.write(bytes_of(tensor)[start : start + tensor.nbytes])


def _header(tensors: Mapping[str, Tensor], metadata: Mapping[str, str] | None) -> tuple[bytes, list[Tensor]]:
    """The header, and the tensors in the order of their data: large elements first, so that all are aligned."""
    if not isinstance(tensors, Mapping):
        raise ValueError(f"Expected a dict of [str, torch.Tensor] but received {type(tensors)}")
    for name, tensor in tensors.items():
        _check(name, tensor)
    _check_shared(tensors)
    entries: dict[str, Any] = {}
    if metadata is not None:
        if any(type(text) is not str for pair in metadata.items() for text in pair):
            raise TypeError("metadata must be texts under texts")
        entries["__metadata__"] = dict(metadata)
    at = 0
    names = sorted(tensors, key=lambda name: (-_RANK[str(safetensors_name(tensors[name].dtype))], name))
    for name in names:
        tensor = tensors[name]
        kind = safetensors_name(tensor.dtype)
        entries[name] = {"dtype": kind, "shape": list(tensor.shape), "data_offsets": [at, at + tensor.nbytes]}
        at += tensor.nbytes
    text = json.dumps(entries, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    return text + b" " * (-len(text) % 8), [tensors[name] for name in names]


_RANK = {name: rank for rank, name in enumerate(
    ["BOOL", "U8", "I8", "I16", "F16", "BF16", "I32", "F32", "C64", "F64", "I64"]
)}  # fmt: skip
"""The order that the safetensors library gives tensors by their dtypes."""


def _check(name: Any, tensor: Any) -> None:
    if type(name) is not str or name == "__metadata__":
        raise ValueError(f"Key `{name}` is invalid, expected a str but received {type(name)}")
    if not isinstance(tensor, Tensor):
        raise ValueError(f"Key `{name}` is invalid, expected torch.Tensor but received {type(tensor)}")
    if safetensors_name(tensor.dtype) is None:
        raise TypeError(f"tensor `{name}`: safetensors files have no dtype {tensor.dtype}")
    if not tensor.is_contiguous():
        raise ValueError(
            f"You are trying to save a non contiguous tensor: `{name}` which is not allowed. It either means you are "
            "trying to save tensors which are reference of each other in which case it's recommended to save only the "
            "full tensors, and reslice at load time, or simply call `.contiguous()` on your tensor to pack it before "
            "saving."
        )


def _check_shared(tensors: Mapping[str, Tensor]) -> None:
    owners: dict[int, set[str]] = {}
    for name, tensor in tensors.items():
        address = _C._storage_tensor(tensor, _C.uint8).data_ptr()
        if tensor.numel():
            owners.setdefault(address, set()).add(name)
    failing = [names for names in owners.values() if len(names) > 1]
    if failing:
        raise RuntimeError(
            "Some tensors share memory, this will lead to duplicate memory on disk and potential differences when "
            f"loading them again: {[sorted(names) for names in failing]}. Save one of them, or clones."
        )


# ---- reading ----


def load_file(filename: Path, device: Any = "cpu", *, mmap: bool = True) -> dict[str, Tensor]:
    """The tensors of a file under their names.

    mmap: elements come from the disk when they are first used; changes of the tensors do not change the file.

    Raises SafetensorError: the file is damaged, or has a dtype that there is not.
    """
    with reading(filename, mmap) as source:
        return _on(device, _Header(source).tensors(source))


def load(data: bytes) -> dict[str, Tensor]:
    """The tensors that the bytes of a file hold."""
    with opened(data) as source:
        return _Header(source).tensors(source)


def _on(device: Any, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return tensors if str(device) == "cpu" else {name: tensor.to(device) for name, tensor in tensors.items()}


class _Entry:
    """One tensor of a header, checked."""

    def __init__(self, name: str, entry: Any) -> None:
        right = isinstance(entry, dict) and set(entry) == {"dtype", "shape", "data_offsets"}
        _need(right, f"invalid JSON in header: tensor `{name}`")
        kind, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
        numbers = all(
            isinstance(list_, list) and all(type(n) is int and 0 <= n < 1 << 63 for n in list_)
            for list_ in (shape, offsets)
        )
        _need(numbers and len(offsets) == 2, f"invalid JSON in header: tensor `{name}`")
        _need(isinstance(kind, str) and kind in SAFETENSORS, f"tensor `{name}`: dtype {kind!r} is not supported")
        _need(len(shape) <= 64, f"tensor `{name}`: {len(shape)} dimensions")
        self.name = name
        self.dtype = SAFETENSORS[kind]
        self.shape: list[int] = shape
        self.start, self.end = offsets
        size = reach = self.dtype.itemsize
        for n in shape:
            size *= n
            reach *= max(1, n)
        _need(reach < 1 << 63, f"tensor `{name}`: the sizes are too large")
        _need(size == self.end - self.start, f"InvalidOffset(`{name}`): the offsets do not fit the shape and dtype")


def _need(condition: bool, what: str) -> None:
    if not condition:
        raise SafetensorError(f"Error while deserializing header: {what}")


def _no_double(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    _need(len(found) == len(pairs), "invalid JSON in header: duplicate keys")
    return found


class _Header:
    """The header of a file, with nothing in it trusted: tensors fill the data without gaps and do not overlap."""

    def __init__(self, source: Source) -> None:
        _need(source.size >= 8, "header too small")
        (size,) = struct.unpack("<Q", source.read(0, 8))
        _need(size <= _MOST_HEADER, "header too large")
        _need(size <= source.size - 8, "invalid header length")
        text = source.read(8, size)
        _need(text.startswith(b"{"), "invalid header start")
        try:
            entries = json.loads(text.decode("utf-8"), object_pairs_hook=_no_double)
        except UnicodeDecodeError:
            raise SafetensorError("Error while deserializing header: invalid UTF-8 in header") from None
        except (ValueError, RecursionError) as error:
            raise SafetensorError(f"Error while deserializing header: invalid JSON in header: {error}") from None
        self.metadata: dict[str, str] | None = entries.pop("__metadata__", None)
        texts = self.metadata is None or (
            isinstance(self.metadata, dict) and all(type(text) is str for text in self.metadata.values())
        )
        _need(texts, "invalid JSON in header: the metadata are no texts")
        self.start = 8 + size
        self.entries = {name: _Entry(name, entry) for name, entry in entries.items()}
        at = 0
        for entry in sorted(self.entries.values(), key=lambda entry: (entry.start, entry.end)):
            _need(entry.start == at, f"InvalidOffset(`{entry.name}`): tensors overlap, or there is a gap")
            at = entry.end
        _need(at == source.size - self.start, "incomplete metadata, file not fully covered")

    def tensor(self, source: Source, name: str) -> Tensor:
        """One tensor."""
        entry = self.entries[name]
        item = entry.dtype.itemsize
        memory = source.storage(self.start + entry.start, entry.end - entry.start, item)
        stride = [1] * len(entry.shape)
        for d in range(len(stride) - 1, 0, -1):
            stride[d - 1] = stride[d] * max(1, entry.shape[d])
        return _C._placed(_C._storage_tensor(memory, entry.dtype), entry.shape, stride, 0)

    def tensors(self, source: Source) -> dict[str, Tensor]:
        """All tensors, in the order of their data."""
        order = sorted(self.entries.values(), key=lambda entry: (entry.start, entry.end))
        return {entry.name: self.tensor(source, entry.name) for entry in order}


class safe_open:
    """A file of which some tensors are wanted::

    with safe_open("model.safetensors", framework="pt") as f:
        weight = f.get_tensor("weight")
    """

    def __init__(self, filename: Path, framework: str = "pt", device: Any = "cpu", *, mmap: bool = True) -> None:
        if framework not in ("pt", "torch", "pytorch"):
            raise SafetensorError(f"framework {framework} is invalid: tensors are made, as with pt")
        self._reading = reading(filename, mmap)
        self._source = self._reading.__enter__()
        self._device = device
        try:
            self._header = _Header(self._source)
        except BaseException as error:
            self._reading.__exit__(type(error), error, None)
            raise

    def __enter__(self) -> safe_open:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._reading.__exit__(kind, error, trace)

    def keys(self) -> list[str]:
        """The names of the tensors."""
        return sorted(self._header.entries)

    def offset_keys(self) -> list[str]:
        """The names of the tensors in the order of their data."""
        return sorted(self._header.entries, key=lambda name: self._header.entries[name].start)

    def metadata(self) -> dict[str, str] | None:
        """The texts that were saved with the tensors."""
        return self._header.metadata

    def get_tensor(self, name: str) -> Tensor:
        """The tensor of a name.

        Raises SafetensorError: there is none.
        """
        if name not in self._header.entries:
            raise SafetensorError(f"File does not contain tensor {name}")
        return _on(self._device, {name: self._header.tensor(self._source, name)})[name]

    def get_tensors(self, names: Iterable[str]) -> dict[str, Tensor]:
        """The tensors of some names."""
        return {name: self.get_tensor(name) for name in names}
