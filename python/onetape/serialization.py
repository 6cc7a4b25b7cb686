"""Saving and loading: PyTorch's own files of tensors and plain objects, which run no code when they are read."""

from __future__ import annotations

import os
from collections.abc import Callable
from pickle import UnpicklingError
from typing import Any

from onetape import _C
from onetape._C import Tensor
from onetape.io._dtypes import STORAGES, swapped
from onetape.io._files import Source, bytes_of, from_bytes, reading, writing
from onetape.io._pickle_reader import PickleReader
from onetape.io._pickle_writer import PickleWriter
from onetape.io._zip import Archive, ArchiveError, ArchiveWriter, Record
from onetape.storage import TypedStorage, UntypedStorage, _Storage

__all__ = ["load", "save"]

MapLocation = Any
"""None, the name of a device, a device, a dict from names to names, or a function of a storage and its place."""

_PICKLE_LIMIT = 1 << 30
_LEGACY = b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19."
_DAMAGED = (
    "there is a high likelihood that your checkpoint file is corrupted. This can happen if the checkpoint was not "
    "saved properly, was transferred incorrectly, or the file was modified after saving."
)


# ---- saving ----


def save(
    obj: Any,
    f: Any,
    pickle_module: Any = None,
    pickle_protocol: int = 2,
    _use_new_zipfile_serialization: bool = True,
) -> None:
    """Saves tensors, and dicts, lists, numbers, strings, … of them, as PyTorch does; PyTorch loads the file.

    f: a path, or an object with a method ``write``. A file is replaced as a whole when everything is on the disk: if
        that fails, or the process is killed, the old file is still there.

    Tensors keep their strides, the memory they share, and whether they require a gradient.

    Raises TypeError: there is an object that files cannot hold, such as a module. RuntimeError: the folder does not
    exist. OSError: the disk is full, or the file may not be written. NotImplementedError: another pickle module,
    protocol or format is asked for.
    """
    if pickle_module is not None or pickle_protocol != 2 or not _use_new_zipfile_serialization:
        raise NotImplementedError("save: there is one format only: a zip archive with a pickle of protocol 2")
    writer = PickleWriter()
    data = writer.write(obj)
    with writing(f) as output:
        archive = ArchiveWriter(output, _folder(f))
        archive.write("data.pkl", data)
        archive.write(".format_version", b"1")
        archive.write(".storage_alignment", b"64")
        archive.write("byteorder", b"little")
        for key, memory in enumerate(writer.storages):
            archive.write(f"data/{key}", bytes_of(memory))
        archive.write("version", b"3\n")
        archive.write(".data/serialization_id", _identity(archive.sums))
        archive.close()


def _folder(f: Any) -> str:
    """The name of the folder in the archive: that of the file, as in PyTorch."""
    if not isinstance(f, (str, os.PathLike)):
        return "archive"
    path = os.fspath(f)
    name = os.path.basename(path if isinstance(path, str) else os.fsdecode(path)).rpartition(".")
    stem = name[0] or name[2]
    return stem if stem.isascii() and stem else "archive"


def _identity(sums: list[int]) -> bytes:
    """Forty digits that follow from the contents."""
    mixed = 0
    for number in sums:
        mixed = (mixed * 0x9E3779B97F4A7C15 + number + 1) & ((1 << 128) - 1)
    return b"%020d%020d" % (mixed >> 64, mixed & ((1 << 64) - 1))


# ---- loading ----


def load(
    f: Any,
    map_location: MapLocation = None,
    pickle_module: Any = None,
    *,
    weights_only: bool = True,
    mmap: bool | None = None,
) -> Any:
    """What save() saved, here or in PyTorch.

    f: a path, or a file object that can seek.
    map_location: where storages of other devices go, such as ``"cpu"``; also a dict or a function, as in PyTorch.
    weights_only: nothing else is possible. No code runs: only tensors, storages, numbers, strings, bytes, lists,
        tuples, sets, dicts, sizes, dtypes and devices are made.
    mmap: maps the file instead of reading it; elements come from the disk when they are first used. Changes of the
        tensors do not change the file.

    Raises UnpicklingError: the file holds something else, or its pickle is damaged. RuntimeError: the archive is
    damaged, or a storage is on a device that there is not. EOFError: the file is empty. NotImplementedError:
    weights_only=False.
    """
    if not weights_only:
        raise NotImplementedError(
            "load: weights_only=False would run code that the file brings; only tensors and plain objects are loaded"
        )
    if pickle_module is not None:
        raise RuntimeError("Can not safely load weights when explicit pickle_module is specified")
    if isinstance(f, (str, os.PathLike)) and os.fsdecode(f).endswith(".safetensors"):
        return _load_safetensors(f, map_location, bool(mmap))
    with reading(f, bool(mmap)) as source:
        _check_kind(source)
        try:
            return _Loading(source, map_location).run()
        except ArchiveError as error:
            raise RuntimeError(f"PytorchStreamReader failed reading zip archive: {error}. T{_DAMAGED[1:]}") from None
        except UnpicklingError as error:
            raise UnpicklingError(f"Weights only load failed. {_advice(str(error))}") from None


def _load_safetensors(f: Any, map_location: MapLocation, mmap: bool) -> dict[str, Tensor]:
    from onetape.io.safetensors import load_file

    if isinstance(map_location, dict) or callable(map_location):
        kind = "dict" if isinstance(map_location, dict) else "callable"
        raise RuntimeError(
            f"Loading safetensors file with {kind} map_location is not supported. Use a device string or torch.device"
            " instead."
        )
    return load_file(f, "cpu" if map_location is None else map_location, mmap=mmap)


def _check_kind(source: Source) -> None:
    start = source.read(0, min(source.size, len(_LEGACY)))
    if not start:
        raise EOFError(f"Ran out of input: {source.name} is empty")
    if start == _LEGACY:
        raise UnpicklingError(
            f"Weights only load failed. {source.name} has the format that PyTorch wrote before version 1.6; load it "
            "there and save it again"
        )
    if not start.startswith(b"PK\3\4"):
        raise UnpicklingError(
            f"Weights only load failed. {source.name} is no file that save() wrote: it is no zip archive"
        )


def _advice(problem: str) -> str:
    if "Unsupported global" not in problem and "is blocked" not in problem:
        return f"WeightsUnpickler error: {problem}"
    return (
        f"WeightsUnpickler error: {problem} Nothing that a file brings is run: files may hold tensors, numbers, "
        "strings, bytes, lists, tuples, sets and dicts; of a module or an optimizer, save its state_dict()."
    )


class _Loading:
    """One call of load()."""

    def __init__(self, source: Source, map_location: MapLocation) -> None:
        self._source = source
        self._archive = Archive(source)
        self._records = self._archive.records
        self._place = _placing(map_location)
        self._storages: dict[str, Tensor] = {}
        self._typed: dict[tuple[str, str], _Storage] = {}
        self._folder = next(iter(self._records), "").partition("/")[0]
        self._swap = False

    def run(self) -> Any:
        if f"{self._folder}/constants.pkl" in self._records:
            raise RuntimeError(
                "Cannot use ``weights_only=True`` with TorchScript archives passed to ``torch.load``. It is a program; "
                "save the module's state_dict() instead."
            )
        self._small("version")
        if f"{self._folder}/byteorder" in self._records:
            order = self._small("byteorder")
            if order not in (b"little", b"big"):
                raise ValueError("Unknown endianness type: " + order[:20].decode("latin1"))
            self._swap = order == b"big"
        data = self._archive.read(self._record("data.pkl"), min(_PICKLE_LIMIT, self._source.size * 16))
        return PickleReader(data, self._storage).read()

    def _record(self, name: str) -> Record:
        record = self._records.get(f"{self._folder}/{name}")
        if record is None:
            raise RuntimeError(
                f"PytorchStreamReader failed locating file {name}: file not found. This is an internal miniz error. If "
                f"you are seeing this error, {_DAMAGED}"
            )
        return record

    def _small(self, name: str) -> bytes:
        return self._archive.read(self._record(name), 64)

    def _storage(self, kind: str, key: str, place: str, count: int) -> _Storage:
        """The storage of a key; kind: the path of its class."""
        found = self._typed.get((kind, key))
        if found is None:
            name = kind.rpartition(".")[2]
            dtype = STORAGES.get(name, _C.uint8)
            if name not in STORAGES and name != "UntypedStorage":
                raise UnpicklingError(f"a storage of class {kind}")
            memory = self._memory(key, dtype, count)
            made = UntypedStorage(memory) if name == "UntypedStorage" else TypedStorage(from_bytes(memory, dtype))
            found = self._typed[kind, key] = self._place(made, memory, place)
        return found

    def _memory(self, key: str, dtype: _C.dtype, count: int) -> Tensor:
        memory = self._storages.get(key)
        record = self._record(f"data/{key}")
        if record.size != count * dtype.itemsize:
            raise RuntimeError(
                f"record size ({record.size} bytes) does not match expected size ({count * dtype.itemsize} bytes = "
                f"{count} elements * {dtype.itemsize} bytes/element) for dtype {dtype}"
            )
        if memory is None:
            memory = self._archive.storage(record, alignment=dtype.itemsize)
            if self._swap:
                memory = swapped(memory, dtype)
            self._storages[key] = memory
        return memory


def _placing(where: MapLocation) -> Callable[[_Storage, Tensor, str], _Storage]:
    """What puts a storage, given with its bytes, where it belongs."""
    if where is None:
        return lambda made, memory, place: _restored(made, place)
    if isinstance(where, dict):
        return lambda made, memory, place: _restored(made, str(where.get(place, place)))
    if isinstance(where, (str, _C.device)):
        target = str(where)
        return lambda made, memory, place: _restored(made, target)
    if not callable(where):
        raise TypeError(f"'{type(where).__name__}' object is not callable")

    def placed(made: _Storage, memory: Tensor, place: str) -> _Storage:
        answer = where(UntypedStorage(memory), place)
        if answer is None:
            return _restored(made, place)
        if not isinstance(answer, _Storage):
            raise TypeError(f"map_location must return a storage, not {type(answer).__name__}")
        elements = _C._storage_tensor(answer._elements, made._elements.dtype)
        return type(made)(elements)

    return placed


def _restored(made: _Storage, place: str) -> _Storage:
    kind = place.partition(":")[0]
    if kind == "cpu":
        return made
    if kind == "meta":
        return type(made)(made._elements.to("meta"))
    if kind == "cuda":
        raise RuntimeError(
            "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If you are "
            "running on a CPU-only machine, please use torch.load with map_location=torch.device('cpu') to map your "
            "storages to the CPU."
        )
    raise RuntimeError(f"don't know how to restore data location of torch.storage.UntypedStorage (tagged with {place})")
