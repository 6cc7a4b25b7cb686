"""Modules that hold other modules, or parameters, in a row or by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from operator import index
from typing import Any, TypeVar

from onetape.nn.modules.module import Module, _indented

__all__ = ["ModuleDict", "ModuleList", "Sequential"]

L = TypeVar("L", bound="_Row")


def _check_iterable(value: Any, method: str) -> None:
    if not isinstance(value, Iterable):
        raise TypeError(f"{method} should be called with an iterable, but got {type(value).__name__}")


class _Row(Module):
    """Modules in a row: what Sequential and ModuleList share."""

    def _items(self) -> list[Module]:
        return list(self._modules.values())

    def _refill(self, modules: Iterable[Module]) -> None:
        self._modules.clear()
        for i, module in enumerate(modules):
            self.add_module(str(i), module)

    def _key(self, position: Any) -> str:
        at = index(position)
        if not -len(self) <= at < len(self):
            raise IndexError(f"index {at} is out of range")
        return list(self._modules)[at]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def __getitem__(self, position: int | slice) -> Any:
        if isinstance(position, slice):
            return self._slice(position)
        return self._modules[self._key(position)]

    def _slice(self: L, position: slice) -> L:
        return type(self)(self._items()[position])

    def __setitem__(self, position: int, module: Module) -> None:
        setattr(self, self._key(position), module)

    def __delitem__(self, position: int | slice) -> None:
        if isinstance(position, slice):
            for key in list(self._modules)[position]:
                delattr(self, key)
        else:
            delattr(self, self._key(position))
        self._refill(self._items())

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if not name.isdigit()]

    def append(self: L, module: Module) -> L:
        """Adds a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def pop(self, key: int | slice) -> Any:
        """Takes a module out."""
        taken = self[key]
        del self[key]
        return taken

    def extend(self: L, modules: Iterable[Module]) -> L:
        """Adds modules at the end."""
        _check_iterable(modules, f"{type(self).__name__}.extend")
        for module in modules:
            self.append(module)
        return self


class Sequential(_Row):
    """Calls its modules one after the other, each with the result of the one before.

    The modules are given one by one, or by name in a dict.
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], Mapping):
            for name, module in args[0].items():
                self.add_module(name, module)
        else:
            self._refill(args)

    def _slice(self, position: slice) -> Sequential:
        part = type(self)()
        for name in list(self._modules)[position]:
            part.add_module(name, self._modules[name])
        return part

    def __delitem__(self, position: int | slice) -> None:
        numbered = all(name == str(i) for i, name in enumerate(self._modules))
        if numbered:
            super().__delitem__(position)
            return
        names = list(self._modules)
        for name in names[position] if isinstance(position, slice) else [self._key(position)]:
            delattr(self, name)

    def forward(self, input: Any) -> Any:
        """The result of the last module."""
        for module in self._modules.values():
            input = module(input)
        return input

    def insert(self, index: int, module: Module) -> Sequential:
        """Puts a module before position index."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        if not -len(self) <= index <= len(self):
            raise IndexError(f"Index out of range: {index}")
        modules = self._items()
        modules.insert(index, module)
        self._refill(modules)
        return self

    def __add__(self, other: Sequential) -> Sequential:
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")
        return Sequential(*self, *other)

    def __iadd__(self, other: Sequential) -> Sequential:
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")
        return self.extend(list(other))

    def __mul__(self, times: int) -> Sequential:
        if not isinstance(times, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(times)}")
        if times <= 0:
            raise ValueError(f"Non-positive multiplication factor {times} for {type(self)}")
        return Sequential(*(self._items() * times))

    __rmul__ = __mul__

    def __imul__(self, times: int) -> Sequential:
        if not isinstance(times, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(times)}")
        if times <= 0:
            raise ValueError(f"Non-positive multiplication factor {times} for {type(self)}")
        return self.extend(self._items() * (times - 1))


class ModuleList(_Row):
    """A list whose modules belong to the module that has it."""

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def insert(self, index: int, module: Module) -> None:
        """Puts a module before position index."""
        modules = self._items()
        modules.insert(index, module)
        self._refill(modules)

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList([*self, *other])

    def __iadd__(self, other: Iterable[Module]) -> ModuleList:
        return self.extend(other)

    def _child_lines(self) -> Iterator[str]:
        """Equal neighbours are shown once, with their number."""
        texts = [repr(module) for module in self]
        start = 0
        for i in range(1, len(texts) + 1):
            if i < len(texts) and texts[i] == texts[start]:
                continue
            label = f"({start})" if i - start == 1 else f"({start}-{i - 1})"
            times = "" if i - start == 1 else f"{i - start} x "
            yield f"{label}: {times}{_indented(texts[start])}"
            start = i


class ModuleDict(Module):
    """A dict whose modules belong to the module that has it."""

    def __init__(self, modules: Mapping[str, Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: object) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Takes all modules out."""
        self._modules.clear()

    def pop(self, key: str) -> Any:
        """Takes a module out."""
        return self._modules.pop(key)

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._modules.keys()

    def items(self) -> Iterable[tuple[str, Any]]:
        """The names and modules."""
        return self._modules.items()

    def values(self) -> Iterable[Any]:
        """The modules."""
        return self._modules.values()

    def update(self, modules: Any) -> None:
        """Adds the modules of a dict, or of a list of names and modules, in their order."""
        if not isinstance(modules, Iterable):
            raise TypeError(
                "ModuleDict.update should be called with an iterable of key/value pairs, "
                f"but got {type(modules).__name__}"
            )
        if isinstance(modules, (Mapping, ModuleDict)):
            for key, module in modules.items():
                self[key] = module
            return
        for i, pair in enumerate(modules):
            if not isinstance(pair, Iterable):
                raise TypeError(f"ModuleDict update sequence element #{i} should be Iterable; is{type(pair).__name__}")
            entry = tuple(pair)
            if len(entry) != 2:
                raise ValueError(f"ModuleDict update sequence element #{i} has length {len(entry)}; 2 is required")
            self[entry[0]] = entry[1]
