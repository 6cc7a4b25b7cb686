"""Writes objects as pickles that PyTorch's torch.load(weights_only=True) reads, with the bytes torch.save() gives."""

from __future__ import annotations

import struct
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable
from typing import Any

from onetape import _C
from onetape._C import Tensor
from onetape.io._dtypes import storage_name
from onetape.nn.parameter import Parameter
from onetape.storage import TypedStorage, UntypedStorage, _Storage

__all__ = ["PickleWriter"]

_BATCH = 1000


def _unknown(kind: type) -> TypeError:
    return TypeError(
        f"save: cannot save an object of type {kind.__module__}.{kind.__qualname__}: files hold tensors, numbers, "
        "strings, lists, tuples, sets and dicts of these; of a module or an optimizer, save its state_dict()"
    )


class PickleWriter:
    """Writes one object. Storages are left out: the pickle has their keys, `storages` the storages."""

    def __init__(self) -> None:
        self._out = bytearray()
        self._memo: dict[Any, int] = {}
        self._kept: list[Any] = []  # what the memo knows by its identity must stay alive
        self.storages: list[Tensor] = []
        """The memory of every storage, in the order of their keys."""
        self._keys: dict[tuple[int, int], tuple[str, str]] = {}

    def write(self, value: Any) -> bytes:
        """The pickle of a value.

        Raises TypeError: something in it is no tensor, number, string, … RecursionError: it is nested too deeply.
        """
        self._out += b"\x80\2"
        self._save(value)
        self._out += b"."
        return bytes(self._out)

    # ---- parts ----

    def _save(self, value: Any) -> None:
        at = self._memo.get(id(value))
        if at is not None:
            self._get(at)
            return
        kind = type(value)
        save = _SAVERS.get(kind)
        if save is not None:
            save(self, value)
        elif isinstance(value, OrderedDict):
            self._ordered_dict(value)
        elif isinstance(value, Tensor) and kind in (Tensor, Parameter):
            self._tensor(value)
        elif kind.__module__ == "numpy" and hasattr(value, "item") and getattr(value, "ndim", 1) == 0:
            number = value.item()
            if type(number) is kind:
                raise _unknown(kind)
            self._save(number)
        else:
            raise _unknown(kind)

    def _put(self, value: Any) -> None:
        self._memo[id(value)] = at = len(self._memo)
        self._kept.append(value)
        self._out += b"q" + bytes((at,)) if at < 256 else b"r" + struct.pack("<I", at)

    def _get(self, at: int) -> None:
        self._out += b"h" + bytes((at,)) if at < 256 else b"j" + struct.pack("<I", at)

    def _global(self, module: str, name: str) -> None:
        at = self._memo.get((module, name))
        if at is not None:
            self._get(at)
            return
        self._out += f"c{module}\n{name}\n".encode()
        self._memo[module, name] = at = len(self._memo)
        self._out += b"q" + bytes((at,)) if at < 256 else b"r" + struct.pack("<I", at)

    def _call(self, module: str, name: str, *arguments: Any) -> None:
        self._global(module, name)
        self._tuple(arguments)
        self._out += b"R"

    def _none(self, value: None) -> None:
        self._out += b"N"

    def _bool(self, value: bool) -> None:
        self._out += b"\x88" if value else b"\x89"

    def _int(self, value: int) -> None:
        if 0 <= value < 256:
            self._out += b"K" + bytes((value,))
        elif 0 <= value < 65536:
            self._out += b"M" + struct.pack("<H", value)
        elif -(1 << 31) <= value < 1 << 31:
            self._out += b"J" + struct.pack("<i", value)
        else:
            data = value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True)
            if value < 0 and len(data) > 1 and data[-1] == 255 and data[-2] >= 128:
                data = data[:-1]
            if len(data) > 255:
                raise OverflowError("save: an integer has more than 255 bytes, which PyTorch would not load")
            self._out += b"\x8a" + bytes((len(data),)) + data

    def _float(self, value: float) -> None:
        self._out += b"G" + struct.pack(">d", value)

    def _str(self, value: str) -> None:
        data = value.encode("utf-8", "surrogatepass")
        if len(data) > 0xFFFFFFFF:
            raise OverflowError("save: a string has more than 4 GB")
        self._out += b"X" + struct.pack("<I", len(data)) + data
        self._put(value)

    def _bytes(self, value: bytes) -> None:
        self._call("_codecs", "encode", value.decode("latin1"), "latin1")
        self._put(value)

    def _bytearray(self, value: bytearray) -> None:
        self._call("__builtin__", "bytearray", *([bytes(value)] if value else []))
        self._put(value)

    def _complex(self, value: complex) -> None:
        self._call("__builtin__", "complex", value.real, value.imag)
        self._put(value)

    def _tuple(self, value: tuple[Any, ...]) -> None:
        if not value:
            self._out += b")"
            return
        if len(value) > 3:
            self._out += b"("
        for item in value:
            self._save(item)
        at = self._memo.get(id(value))
        if at is not None:  # it holds itself, by way of a list or a dict
            self._out += b"1" if len(value) > 3 else b"0" * len(value)
            self._get(at)
            return
        self._out += (b"\x85", b"\x86", b"\x87")[len(value) - 1] if len(value) <= 3 else b"t"
        self._put(value)

    def _list(self, value: list[Any]) -> None:
        self._out += b"]"
        self._put(value)
        self._batches([(item,) for item in value], b"a", b"e")

    def _dict(self, value: dict[Any, Any]) -> None:
        self._out += b"}"
        self._put(value)
        self._batches(value.items(), b"s", b"u")

    def _batches(self, items: Iterable[tuple[Any, ...]], one: bytes, many: bytes) -> None:
        rest = list(items)
        while rest:
            batch, rest = rest[:_BATCH], rest[_BATCH:]
            if len(batch) > 1:
                self._out += b"("
            for item in batch:
                for part in item:
                    self._save(part)
            self._out += many if len(batch) > 1 else one

    def _set(self, value: set[Any]) -> None:
        self._call("__builtin__", "set", list(value))
        self._put(value)

    def _ordered_dict(self, value: OrderedDict[Any, Any]) -> None:
        self._call("collections", "OrderedDict")
        self._put(value)
        self._batches(value.items(), b"s", b"u")
        if value.__dict__:
            self._save(dict(value.__dict__))
            self._out += b"b"

    def _counter(self, value: Counter[Any]) -> None:
        self._call("collections", "Counter", dict(value))
        self._put(value)

    def _size(self, value: Any) -> None:
        self._call("torch", "Size", tuple(value))
        self._put(value)

    def _dtype(self, value: Any) -> None:
        self._global("torch", str(value).removeprefix("torch."))

    def _device(self, value: Any) -> None:
        self._call("torch", "device", value.type, *([] if value.index is None else [value.index]))
        self._put(value)

    # ---- tensors ----

    def _storage(self, value: _Storage) -> None:
        untyped = isinstance(value, UntypedStorage)
        self._persistent(value._elements, "UntypedStorage" if untyped else storage_name(value._elements.dtype), value)

    def _persistent(self, elements: Tensor, name: str, owner: Any) -> None:
        memory = _C._storage_tensor(elements, _C.uint8)
        address = memory.data_ptr()
        place = (address, memory.numel()) if address else (-1, id(owner))
        if place not in self._keys:
            self._keys[place] = (str(len(self.storages)), name)
            self.storages.append(memory)
            self._kept.append(owner)
        key, first = self._keys[place]
        if first != name:
            raise RuntimeError("Cannot save multiple tensors or storages that view the same data as different types")
        count = memory.numel() if name == "UntypedStorage" else memory.numel() // elements.itemsize
        self._out += b"("
        self._save("storage")
        self._global("torch.storage" if name == "UntypedStorage" else "torch", name)
        self._save(key)
        self._save("cpu")
        self._save(count)
        self._out += b"t"
        self._put(object())
        self._out += b"Q"

    def _rebuilt(self, value: Tensor, requires_grad: bool) -> None:
        """What makes the plain tensor again."""
        if value.is_meta:
            self._global("torch._utils", "_rebuild_meta_tensor_no_storage")
            self._tuple((value.dtype, tuple(value.shape), value.stride(), requires_grad))
        else:
            self._global("torch._utils", "_rebuild_tensor_v2")
            self._tensor_arguments(value, requires_grad)
        self._out += b"R"

    def _tensor_arguments(self, value: Tensor, requires_grad: bool) -> None:
        self._out += b"("
        self._persistent(value, storage_name(value.dtype), value)
        self._save(value.storage_offset())
        self._tuple(tuple(value.shape))
        self._tuple(value.stride())
        self._save(requires_grad)
        self._ordered_dict(OrderedDict())
        self._out += b"t"
        self._put(object())

    def _tensor(self, value: Tensor) -> None:
        state = value.__dict__
        if isinstance(value, Parameter):
            self._global("torch._utils", "_rebuild_parameter_with_state" if state else "_rebuild_parameter")
            self._out += b"(" if state else b""
            self._rebuilt(value, False)
            self._put(object())
            self._save(value.requires_grad)
            self._ordered_dict(OrderedDict())
            if state:
                self._save(dict(state))
            self._out += b"t" if state else b"\x87"
            self._put(object())
        elif state:
            self._global("torch._tensor", "_rebuild_from_type_v2")
            self._out += b"("
            self._global("torch._utils", "_rebuild_tensor_v2")
            self._global("torch", "Tensor")
            self._tensor_arguments(value, value.requires_grad)
            self._save(dict(state))
            self._out += b"t"
            self._put(object())
        else:
            self._rebuilt(value, value.requires_grad)
            self._put(value)
            return
        self._out += b"R"
        self._put(value)


_SAVERS: dict[type, Callable[[PickleWriter, Any], None]] = {
    type(None): PickleWriter._none,
    bool: PickleWriter._bool,
    int: PickleWriter._int,
    float: PickleWriter._float,
    str: PickleWriter._str,
    bytes: PickleWriter._bytes,
    bytearray: PickleWriter._bytearray,
    complex: PickleWriter._complex,
    tuple: PickleWriter._tuple,
    list: PickleWriter._list,
    dict: PickleWriter._dict,
    set: PickleWriter._set,
    Counter: PickleWriter._counter,
    _C.Size: PickleWriter._size,
    _C.dtype: PickleWriter._dtype,
    _C.device: PickleWriter._device,
    UntypedStorage: PickleWriter._storage,
    TypedStorage: PickleWriter._storage,
}
