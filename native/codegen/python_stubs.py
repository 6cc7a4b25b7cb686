"""Stubs of the compiled module: the operators from the tables, the rest from ``python_stub.pyi.in`` beside this."""

from __future__ import annotations

import ast
from keyword import iskeyword
from pathlib import Path

from native.codegen.python import VARIADIC
from native.codegen.python_slots import BINARY, COMPARISONS, UNARY
from native.codegen.tables import Op, Param

__all__ = ["generate"]

HAND_WRITTEN = Path(__file__).with_name("python_stub.pyi.in")
DISTRIBUTED = Path(__file__).with_name("python_distributed.pyi.in")
REPLACED = {"tensordot"}
"""Functions for which the package has its own of the same name, which takes other arguments."""
TYPES = {
    "Tensor": "Tensor",
    "Tensor?": "Tensor | None",
    "Tensor[]": "Sequence[Tensor]",
    "Tensor?[]": "Sequence[Tensor | None]",
    "Tensor|Scalar": "Tensor | Number",
    "Scalar": "Number | Tensor",
    "Scalar?": "Number | Tensor | None",
    "int": "_Int",
    "int?": "_Int | None",
    "int[]": "_Int | Sequence[_Int]",
    "int[]?": "_Int | Sequence[_Int] | None",
    "float": "_Float",
    "float?": "_Float | None",
    "bool": "_Bool",
    "bool?": "_Bool | None",
    "str": "str",
    "str?": "str | None",
    "DType": "_DType",
    "DType?": "_DType | None",
    "Generator?": "Generator | None",
}
RESULTS = {
    "Tensor": "Tensor", "Tensor[]": "tuple[Tensor, ...]", "bool": "_Bool", "int": "_Int", "float": "_Float",
    "Scalar": "Number",
}  # fmt: skip
OPTIONS = [
    "dtype: _DType | None = None",
    "layout: _Layout = ...",
    "device: _Device | None = None",
    "pin_memory: _Bool = False",
    "requires_grad: _Bool = False",
]
FORMAT = "memory_format: memory_format = ..."


def default(p: Param) -> str:
    if p.default is None:
        return ""
    return f" = {'()' if p.default == '[]' else p.shown_default}"


def is_spread(op: Op, p: Param) -> bool:
    """May the list be given one by one?"""
    return p.type == "int..." or (p.type == "Tensor[]" and op.name in VARIADIC)


def parameters(op: Op, method: bool, suffix: str, spread: bool, overloaded: bool) -> str:
    """The parameter list; spread: sizes one after the other instead of as a list."""
    parts: list[str] = []
    star = False
    for p in op.params:
        if spread and is_spread(op, p):
            parts.append(f"*{p.name}: {'_Int' if p.type == 'int...' else 'Tensor'}")
            star = True
            continue
        if (p.keyword_only or p.type == "Options") and not star:
            parts.append("*")
            star = True
        if p.type == "Options":
            parts += OPTIONS + ([FORMAT] if op.self_param else [])
        elif method and p is op.self_param:
            parts.append("self")
        else:
            name = "input" if p.name == "self" else f"{p.name}_" if iskeyword(p.name) else p.name
            kind = "Sequence[_Int] | _Int" if p.type == "int..." else TYPES[p.type]
            if overloaded:  # a tensor that stands for a number would fit the other signature too
                kind = kind.replace("Number | Tensor", "Number")
            parts.append(f"{name}: {kind}{default(p)}")
    extra = [FORMAT] if op.name in ("clone", "contiguous") else []
    if not method and not suffix and "out" in op.forms:
        extra.append("out: Tensor | None = None")
    if extra and not star:
        parts.append("*")
    return ", ".join(parts + extra)


def result(op: Op) -> str:
    if len(op.results) > 1:
        return f"_{op.name}_result"
    return RESULTS[op.results[0].type]


def definitions(name: str, ops: list[Op], method: bool, suffix: str) -> list[str]:
    """The lines that define one name; @overload where there are several ways to call it."""
    signatures = []
    for op in ops:
        spreads = [False, True] if any(is_spread(op, p) for p in op.params) else [False]
        for spread in spreads:
            inner = parameters(op, method, suffix, spread, len(ops) > 1)
            signatures.append(f"def {name}({inner}) -> {result(op)}: ...")
    unique = list(dict.fromkeys(signatures))
    if len(unique) == 1:
        return unique
    return [line for signature in unique for line in ("@overload", signature)]


def names_of(ops: list[Op]) -> dict[str, list[Op]]:
    """Every spelling with its overloads, in the order of the tables."""
    names: dict[str, list[Op]] = {}
    for op in ops:
        for name in (op.name, *op.aliases):
            names.setdefault(name, []).append(op)
    return names


def members(ops: list[Op], form: str) -> list[str]:
    method = form == "method"
    lines: list[str] = []
    for name, overloads in sorted(names_of(ops).items()):
        chosen = [op for op in overloads if form in op.forms]
        inplace = [op for op in (overloads if method else chosen) if "inplace" in op.forms and form != "functional"]
        if chosen:
            lines += definitions(name, chosen, method, "")
        if inplace:
            lines += definitions(f"{name}_", inplace, method, "_")
    return lines


def slots(ops: list[Op]) -> list[str]:
    by_slot = {slot: op for op in ops for slot in op.slots}
    lines = []
    for word in BINARY:
        for name in (f"__{word}__", f"__r{word}__", f"__i{word}__"):
            if name in by_slot:
                lines.append(f"def {name}(self, other: Any) -> Tensor: ...")
    for word in UNARY:
        if f"__{word}__" in by_slot:
            lines.append(f"def __{word}__(self) -> Tensor: ...")
    for word in COMPARISONS:
        if f"__{word}__" in by_slot:
            ignored = "  # type: ignore[override]" if word in ("eq", "ne") else ""
            lines.append(f"def __{word}__(self, other: Any) -> Tensor: ...{ignored}")
    return lines


def result_classes(ops: list[Op]) -> str:
    text = ""
    for name, op in sorted({op.name: op for op in ops if len(op.results) > 1}.items()):
        text += f"class _{name}_result(NamedTuple):\n" + "".join(f"    {r.name}: Tensor\n" for r in op.results) + "\n"
    return text


def exported(text: str) -> str:
    """The ``__all__`` of a stub: what ``from onetape._C import *`` brings to a type checker."""
    names = set()
    for node in ast.parse(text).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    public = sorted(name for name in names - REPLACED if not name.startswith("_"))
    return "\n__all__ = [\n" + "".join(f'    "{name}",\n' for name in public) + "]\n"


def generate(ops: list[Op]) -> dict[str, str]:
    """File name -> text."""
    public = [op for op in ops if op.forms != ["engine"]]
    methods = "".join(f"    {line}\n" for line in [*slots(public), *members(public, "method")])
    functions = "".join(f"{line}\n" for line in members(public, "function"))
    text = HAND_WRITTEN.read_text(encoding="utf-8")
    for mark, part in (("methods", methods), ("functions", functions), ("results", result_classes(public))):
        text = text.replace(f"# <{mark} of the tables>\n", part)
    functional = "from collections.abc import Sequence\nfrom typing import Any, overload\n\n"
    functional += "from onetape._C import Generator, Number, Tensor, _Bool, _DType, _Float, _Int\n"
    results = sorted({op.name for op in public if len(op.results) > 1})
    functional += "".join(f"from onetape._C import _{name}_result\n" for name in results) + "\n"
    functional += "".join(f"{line}\n" for line in members(public, "functional"))
    return {
        "python/onetape/_C/__init__.pyi": text + exported(text),
        "python/onetape/_C/_nn.pyi": functional,
        "python/onetape/_C/_distributed.pyi": DISTRIBUTED.read_text(encoding="utf-8"),
    }
