"""Reads pickles of tensors and plain objects, and runs nothing that a file brings.

The pickle machine has a stack, no recursion: every opcode is one of the functions below, and what a pickle may call is
one of the functions of ``_rebuild``, found by its name in a table and never by an import.
"""

from __future__ import annotations

import struct
from collections import Counter, OrderedDict
from collections.abc import Callable
from pickle import UnpicklingError
from typing import Any

from onetape.io._rebuild import CALLS, VALUES, Global, called

__all__ = ["PickleReader"]

_MODULES = {"__builtin__": "builtins"}
_BLOCKED = ("sys", "os", "posix", "nt")
_KEYS = 1000
"""The most parts of a key; tuples in tuples could else take ages to hash."""


class PickleReader:
    """Reads one pickle.

    data: the pickle.
    storage: gives the storage that a key stands for; it gets the name of the storage's class, the key, the place it was
        in, and the number of elements.
    """

    def __init__(self, data: bytes, storage: Callable[[str, str, str, int], Any]) -> None:
        self._data = data
        self._at = 0
        self._storage = storage
        self._memo: dict[int, Any] = {}
        self._stack: list[Any] = []
        self._marks: list[list[Any]] = []

    def read(self) -> Any:
        """The object.

        Raises UnpicklingError: the pickle is damaged, or holds what is not allowed.
        """
        while True:
            code = self._take(1)[0]
            if code == 0x2E:
                return self._pop()
            step = _STEPS.get(code)
            if step is None:
                raise UnpicklingError(f"Unsupported operand {code}")
            step(self)

    # ---- bytes ----

    def _take(self, count: int) -> bytes:
        end = self._at + count
        if end > len(self._data):
            raise UnpicklingError("pickle data was truncated")
        taken = self._data[self._at : end]
        self._at = end
        return taken

    def _number(self, form: str) -> Any:
        return struct.unpack(form, self._take(struct.calcsize(form)))[0]

    def _line(self) -> str:
        end = self._data.find(b"\n", self._at)
        if end < 0:
            raise UnpicklingError("pickle data was truncated")
        line = self._data[self._at : end]
        self._at = end + 1
        return line.decode("utf-8", "replace")

    # ---- stack ----

    def _pop(self) -> Any:
        if not self._stack:
            raise UnpicklingError("unexpected MARK found" if self._marks else "pop from an empty stack")
        return self._stack.pop()

    def _top(self) -> Any:
        if not self._stack:
            raise UnpicklingError("unexpected MARK found" if self._marks else "nothing on the stack")
        return self._stack[-1]

    def _drop(self) -> None:
        self._pop()

    def _drop_to_mark(self) -> None:
        self._from_mark()

    def _push(self, value: Any) -> None:
        self._stack.append(value)

    def _from_mark(self) -> list[Any]:
        if not self._marks:
            raise UnpicklingError("could not find MARK")
        items = self._stack
        self._stack = self._marks.pop()
        return items

    # ---- opcodes ----

    def _protocol(self) -> None:
        number = self._take(1)[0]
        if number != 2:
            raise UnpicklingError(f"pickle protocol {number} is not supported: the file must be saved with protocol 2")

    def _mark(self) -> None:
        self._marks.append(self._stack)
        self._stack = []

    def _find(self) -> None:
        module, name = self._line(), self._line()
        path = f"{_MODULES.get(module, module)}.{name}"
        if path in VALUES:
            self._push(VALUES[path])
        elif path in CALLS:
            self._push(Global(path))
        elif module.partition(".")[0] in _BLOCKED:
            raise UnpicklingError(f"Trying to load unsupported GLOBAL {path} whose module {module} is blocked.")
        else:
            raise UnpicklingError(f"Unsupported global: GLOBAL {path} was not an allowed global by default.")

    def _call(self) -> None:
        arguments, function = self._pop(), self._pop()
        if not isinstance(function, Global):
            raise UnpicklingError(f"Trying to call reduce for unrecognized function {type(function).__name__}")
        if type(arguments) is not tuple:
            raise UnpicklingError(f"the arguments of {function.path} are no tuple")
        self._push(called(function.path, _fitting(function.path, arguments)))

    def _build(self) -> None:
        state, value = self._pop(), self._top()
        if type(value) is not OrderedDict:
            raise UnpicklingError(
                f"Can only build Tensor, Parameter, OrderedDict or types allowlisted via `add_safe_globals`, but got "
                f"{type(value)}"
            )
        if type(state) is not dict or any(type(key) is not str or hasattr(value, key) for key in state):
            raise UnpicklingError("the attributes of an OrderedDict are not what attributes can be")
        value.__dict__.update(state)

    def _append(self) -> None:
        self._extend([self._pop()])

    def _appends(self) -> None:
        self._extend(self._from_mark())

    def _extend(self, items: list[Any]) -> None:
        target = self._top()
        if type(target) is not list:
            raise UnpicklingError(f"Can only append to lists, but got {type(target)}")
        target.extend(items)

    def _set_item(self) -> None:
        value, key = self._pop(), self._pop()
        self._set_pairs([key, value])

    def _set_items(self) -> None:
        self._set_pairs(self._from_mark())

    def _set_pairs(self, items: list[Any]) -> None:
        target = self._top()
        if type(target) not in (dict, OrderedDict, Counter):
            raise UnpicklingError(f"Can only set items of dicts, but got {type(target)}")
        if len(items) % 2:
            raise UnpicklingError("a key without a value")
        for i in range(0, len(items), 2):
            check_key(items[i])
            target[items[i]] = items[i + 1]

    def _tuple(self) -> None:
        self._push(tuple(self._from_mark()))

    def _tuple_of(self, count: int) -> None:
        items = [self._pop() for _ in range(count)]
        self._push(tuple(reversed(items)))

    def _text(self) -> None:
        try:
            self._push(str(self._take(self._number("<I")), "utf-8", "surrogatepass"))
        except UnicodeDecodeError:
            raise UnpicklingError("a text is no text in UTF-8") from None

    def _long(self) -> None:
        self._push(int.from_bytes(self._take(self._take(1)[0]), "little", signed=True))

    def _persistent(self) -> None:
        key = self._pop()
        if type(key) is not tuple or not key or key[0] != "storage":
            kind = type(key[0]) if type(key) is tuple and key else type(key)
            raise UnpicklingError(f"Only persistent_load of storage is allowed, but got {kind}")
        if len(key) != 5:
            raise UnpicklingError(f"the key of a storage has {len(key)} parts instead of 5")
        _, kind, name, place, count = key
        right = isinstance(kind, Global) and type(name) is str and type(place) is str and type(count) is int
        if not right or count < 0:
            raise UnpicklingError("the key of a storage is not one")
        self._push(self._storage(kind.path, name, place, count))

    def _recall(self, at: int) -> None:
        if at not in self._memo:
            raise UnpicklingError(f"Memo value not found at index {at}")
        self._push(self._memo[at])

    def _remember(self, at: int) -> None:
        self._memo[at] = self._top()


def check_key(key: Any) -> None:
    """Refuses keys that cannot be keys, and tuples whose hash would take long.

    Raises UnpicklingError: it is no number, string, …
    """
    waiting, seen = [key], 0
    while waiting:
        part = waiting.pop()
        seen += 1
        if type(part) is tuple and seen + len(part) <= _KEYS:
            waiting.extend(part)
        elif isinstance(part, (tuple, list, dict, set, bytearray, Global)) or seen > _KEYS:
            raise UnpicklingError(f"an object of type {type(part).__name__} cannot be a key")


def _fitting(path: str, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arguments with what has no place as a key refused, where a call makes keys of them."""
    if path in ("builtins.set", "collections.Counter", "collections.OrderedDict"):
        for items in arguments:
            if not isinstance(items, (list, tuple, dict)):
                raise UnpicklingError(f"{path} of an object of type {type(items).__name__}")
            for item in items:
                check_key(item)
    return arguments


def _constant(value: Any) -> Callable[[PickleReader], None]:
    return lambda reader: reader._push(value)


_STEPS: dict[int, Callable[[PickleReader], None]] = {
    0x80: PickleReader._protocol,
    ord("("): PickleReader._mark,
    ord("c"): PickleReader._find,
    ord("R"): PickleReader._call,
    0x81: PickleReader._call,
    ord("b"): PickleReader._build,
    ord("a"): PickleReader._append,
    ord("e"): PickleReader._appends,
    ord("s"): PickleReader._set_item,
    ord("u"): PickleReader._set_items,
    ord("t"): PickleReader._tuple,
    0x85: lambda reader: reader._tuple_of(1),
    0x86: lambda reader: reader._tuple_of(2),
    0x87: lambda reader: reader._tuple_of(3),
    ord("N"): _constant(None),
    0x88: _constant(True),
    0x89: _constant(False),
    ord(")"): _constant(()),
    ord("]"): lambda reader: reader._push([]),
    ord("}"): lambda reader: reader._push({}),
    ord("J"): lambda reader: reader._push(reader._number("<i")),
    ord("K"): lambda reader: reader._push(reader._number("<B")),
    ord("M"): lambda reader: reader._push(reader._number("<H")),
    ord("G"): lambda reader: reader._push(reader._number(">d")),
    ord("X"): PickleReader._text,
    0x8A: PickleReader._long,
    ord("Q"): PickleReader._persistent,
    ord("0"): PickleReader._drop,
    ord("1"): PickleReader._drop_to_mark,
    ord("h"): lambda reader: reader._recall(reader._number("<B")),
    ord("j"): lambda reader: reader._recall(reader._number("<I")),
    ord("q"): lambda reader: reader._remember(reader._number("<B")),
    ord("r"): lambda reader: reader._remember(reader._number("<I")),
}
