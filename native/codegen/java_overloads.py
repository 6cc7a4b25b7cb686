"""The Java overloads of an operator: which parameters are given, and how each is spelled."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from native.codegen.java_types import (
    STYLES,
    Spelling,
    default_native,
    number_spelling,
    operand_spellings,
    spelling,
)
from native.codegen.tables import Op, Param

# Operators that JavaCPP gives a memory format; on the CPU there is one order, so that it is taken and not used.
_WITH_MEMORY_FORMAT = {"empty", "clone", "contiguous"}


@dataclass(frozen=True)
class Overload:
    """One Java method: its parameters, and the arguments of the native that it calls."""

    params: tuple[tuple[str, str], ...]  # (type, name); the last may be an array to be written as varargs
    native: tuple[str, ...]
    names: tuple[str, ...]  # the table's parameters that are given

    @property
    def key(self) -> tuple[str, ...]:
        return tuple(kind for kind, _ in self.params)

    def declared(self) -> str:
        """The parameter list of the method."""
        parts = [f"{kind} {name}" for kind, name in self.params]
        if parts and self.params[-1][0] in ("long[]", "Tensor[]"):
            kind, name = self.params[-1]
            parts[-1] = f"{kind[:-2]}... {name}"
        return ", ".join(parts)

    def passed(self) -> str:
        """The arguments of a call with the same parameters."""
        return ", ".join(name for _, name in self.params)


def java_name(name: str) -> str:
    """A parameter name that is not a word of Java."""
    return name + "Value" if name in {"default", "double", "float", "int", "long", "boolean", "short"} else name


def _given_sets(params: list[Param]) -> Iterator[tuple[Param, ...]]:
    """The parameters that a caller may give: every prefix after the required ones, and those with options alone."""
    seen = set()
    required = [p for p in params if not p.optional]
    positional = [p for p in params if not p.keyword_only]
    options = [p for p in params if p.type == "Options"]
    candidates = [params[:n] for n in range(len(params), -1, -1)]
    candidates += [positional[:n] + options for n in range(len(positional), -1, -1)]
    for given in candidates:
        if all(p in given for p in required) and tuple(given) not in seen:
            seen.add(tuple(given))
            yield tuple(given)


def _choices(given: tuple[Param, ...], style: str) -> Iterator[dict[str, Spelling]]:
    """Spellings of the given parameters in one style; in the plain one, numbers may be ``double`` or ``long``, too."""
    operands = [p for p in given if p.type == "Tensor|Scalar"]
    numbers = [p for p in given if p.type in ("Scalar", "Scalar?") and not p.keyword_only]
    fixed = {p.name: spelling(p.type, style) for p in given if not p.type.endswith("Scalar") and p.type != "Scalar?"}
    fixed |= {p.name: number_spelling(p.type, style) for p in given if p.type in ("Scalar", "Scalar?")}
    either = operand_spellings()
    mixes = [
        dict(zip([p.name for p in operands], mix))
        for mix in itertools.product(("tensor", "object"), repeat=len(operands))
    ]
    mixes += [
        {name: kind if how == "object" else how for name, how in mix.items()}
        for mix in mixes
        if "object" in mix.values()
        for kind in ("double", "long")
        if style == "plain"
    ]
    for mix in mixes:
        yield fixed | {name: either[how] for name, how in mix.items()}
    if numbers and not operands and style == "plain":
        for kind in ("double", "long"):
            yield fixed | {p.name: number_spelling(p.type, kind) for p in numbers}


def _build(op: Op, params: list[Param], given: tuple[Param, ...], spelled: dict[str, Spelling]) -> Overload:
    java: list[tuple[str, str]] = []
    native: list[str] = []
    for p in params:
        if p not in given:
            native += default_native(op, p)
            continue
        name = java_name(p.name)
        chosen = spelled[p.name]
        java.append((chosen.type, name))
        native += [text.replace("{v}", name) for text in chosen.native]
    return Overload(tuple(java), tuple(native), tuple(p.name for p in given))


def overloads(op: Op, params: list[Param]) -> list[Overload]:
    """Every overload for these parameters of an operator, the fullest first."""
    found: dict[tuple[str, ...], Overload] = {}
    formatted = op.name in _WITH_MEMORY_FORMAT or op.name.endswith("_like")
    for given in _given_sets(params):
        for style in STYLES:
            for spelled in _choices(given, style):
                one = _build(op, params, given, spelled)
                if formatted and len(given) == len(params):
                    with_format = Overload(
                        (*one.params, ("MemoryFormatOptional", "memoryFormat")), one.native, one.names
                    )
                    found.setdefault(with_format.key, with_format)
                found.setdefault(one.key, one)
    return list(found.values())
