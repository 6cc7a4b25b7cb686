"""Reads the operator tables (native/ops/*.ops).

A table is a list of blocks. A block starts in the first column with the operator's signature and goes on with indented
fields, one a line; a field's text may continue on lines that are indented further::

    op mul(Tensor self, Tensor|Scalar other) -> Tensor
        as        method, function, inplace
        alias     multiply
        slots     __mul__, __rmul__, __imul__
        doc       Product of self and other, element by element.
        raises    RuntimeError: the shapes do not broadcast.
        sample    real(2, 3), real(3)

Several blocks may share a name if each adds an overload name: ``op max.dim(...)``. The reader is strict: a field, type
or word that it does not know is an error that names the file and the line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

TYPES = {
    "Tensor", "Tensor?", "Tensor[]", "Tensor?[]", "Tensor|Scalar",
    "Scalar", "Scalar?", "int", "int?", "int[]", "int[]?", "int...", "float", "float?", "bool", "bool?",
    "str", "str?", "DType", "DType?", "Generator?", "Options",
}  # fmt: skip
RETURNS = {"Tensor", "Tensor[]", "bool", "int", "float", "Scalar"}
FORMS = {
    "method": "Tensor.name(...)",
    "function": "torch.name(...)",
    "inplace": "Tensor.name_(...), and torch.name_(...) where function is given",
    "out": "torch.name(..., out=tensor)",
    "functional": "torch.nn.functional.name(...)",
    "engine": "C++ only",
}
SLOTS = {
    "__add__", "__radd__", "__iadd__", "__sub__", "__rsub__", "__isub__", "__mul__", "__rmul__", "__imul__",
    "__truediv__", "__rtruediv__", "__itruediv__", "__floordiv__", "__rfloordiv__", "__ifloordiv__",
    "__mod__", "__rmod__", "__imod__", "__pow__", "__rpow__", "__ipow__", "__matmul__", "__rmatmul__", "__imatmul__",
    "__neg__", "__abs__", "__invert__", "__and__", "__rand__", "__iand__", "__or__", "__ror__", "__ior__",
    "__xor__", "__rxor__", "__ixor__",
    "__lshift__", "__rlshift__", "__ilshift__", "__rshift__", "__rrshift__", "__irshift__",
    "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__",
}  # fmt: skip
DTYPE_SETS = {
    "bool": ["bool"],
    "integral": ["uint8", "int8", "int16", "int32", "int64"],
    "floating": ["float16", "bfloat16", "float32", "float64"],
    "complex": ["complex64", "complex128"],
}
FIELDS = {
    "as", "alias", "slots", "dtypes", "gradient", "doc", "raises", "sample", "tolerance", "java", "example", "args",
    "tape", "elsewhere",
}  # fmt: skip


class TableError(Exception):
    """A mistake in a table; the text starts with file:line."""


@dataclass(frozen=True)
class Param:
    """One parameter of an operator. ``default`` is the text in the table, or None where there is no default."""

    type: str
    name: str
    default: str | None
    keyword_only: bool

    @property
    def optional(self) -> bool:
        return self.default is not None or self.type == "Options"

    @property
    def shown_default(self) -> str | None:
        """The default as Python shows it: a list of one number as the number."""
        inner = self.default[1:-1] if self.default and self.default.startswith("[") else ""
        return inner if inner and "," not in inner else self.default


@dataclass(frozen=True)
class Result:
    """One result: its type, and its name where the table gives one (several results always have names)."""

    type: str
    name: str | None


@dataclass
class Op:
    """One block of a table."""

    name: str
    overload: str
    params: list[Param]
    results: list[Result]
    file: str
    line: int
    forms: list[str] = field(default_factory=list)
    aliases: list[str] = field(default_factory=list)
    slots: list[str] = field(default_factory=list)
    dtypes: list[str] = field(default_factory=list)
    gradient: str = "yes"  # or "none: <reason>"
    doc: str = ""
    args: dict[str, str] = field(default_factory=dict)
    raises: list[str] = field(default_factory=list)
    samples: list[str] = field(default_factory=list)
    tolerance: str = ""
    java: list[str] = field(default_factory=list)
    tape: str = ""  # why a tape cannot have it: "none: <reason>", or "no masks: <reason>" for its indices
    elsewhere: list[str] = field(default_factory=list)  # operands that may stand on another device than the rest
    example: str = ""
    heading: str = ""  # of the table: the sentence at its top

    @property
    def id(self) -> str:
        """Unique name: ``max_dim`` of ``max.dim``."""
        return f"{self.name}_{self.overload}" if self.overload else self.name

    @property
    def family(self) -> str:
        return Path(self.file).stem

    @property
    def differentiable(self) -> bool:
        return not self.gradient.startswith("none")

    @property
    def takes_target(self) -> bool:
        """Is its C++ function given the place of its result (see native/ops/target.h)?"""
        return "inplace" in self.forms or "out" in self.forms

    @property
    def tolerances(self) -> dict[str, float]:
        """dtype -> relative error that the tests allow, where it is not the usual one."""
        pairs = [pair.split() for pair in self.tolerance.split(",")] if self.tolerance else []
        return {dtype: float(bound) for bound, dtype in pairs}

    @property
    def self_param(self) -> Param | None:
        return self.params[0] if self.params and self.params[0].name == "self" else None


_SIGNATURE = re.compile(r"op\s+([a-z_][a-z0-9_]*)(?:\.([a-z0-9_]+))?\((.*)\)\s*->\s*(.+?)\s*$", re.IGNORECASE)
_PARAM = re.compile(r"([A-Za-z|\[\]?]+(?:\.\.\.)?)\s+([a-z_][a-z0-9_]*)(?:\s*=\s*(.+))?$")


def _split(text: str) -> list[str]:
    """Splits at commas that stand outside brackets and quotes."""
    parts: list[str] = []
    depth = 0
    quote = ""
    start = 0
    for i, c in enumerate(text):
        if quote:
            quote = "" if c == quote else quote
        elif c in "'\"":
            quote = c
        elif c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
        elif c == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    rest = text[start:].strip()
    return [*parts, rest] if rest else parts


def _parse_signature(text: str, file: str, line: int) -> Op:
    match = _SIGNATURE.match(text)
    if not match:
        raise TableError(f"{file}:{line}: not a signature: {text!r}")
    name, overload, inside, returned = match.groups()
    params: list[Param] = []
    keyword_only = False
    for part in _split(inside):
        if part == "*":
            keyword_only = True
            continue
        if part == "Options options":
            params.append(Param("Options", "options", None, True))
            continue
        found = _PARAM.match(part)
        if not found or found.group(1) not in TYPES:
            raise TableError(f"{file}:{line}: unknown parameter {part!r} of {name}")
        params.append(Param(found.group(1), found.group(2), found.group(3), keyword_only))
    results: list[Result] = []
    inner = returned[1:-1] if returned.startswith("(") else returned
    for part in _split(inner):
        kind, _, label = part.partition(" ")
        if kind not in RETURNS:
            raise TableError(f"{file}:{line}: unknown result {part!r} of {name}")
        results.append(Result(kind, label or None))
    if len(results) > 1 and any(r.type != "Tensor" or not r.name for r in results):
        raise TableError(f"{file}:{line}: several results of {name} must be named tensors")
    return Op(name, overload or "", params, results, file, line)


def _words(text: str) -> list[str]:
    return [word for word in re.split(r"[,\s]+", text) if word]


def _set_field(op: Op, key: str, text: str, where: str) -> None:
    def known(words: list[str], allowed: set[str]) -> list[str]:
        for word in words:
            if word not in allowed:
                raise TableError(f"{where}: {word!r} is not known for {key} of {op.name}")
        return words

    if key == "as":
        op.forms = known(_words(text), set(FORMS))
    elif key == "alias":
        op.aliases = _words(text)
    elif key == "slots":
        op.slots = known(_words(text), SLOTS)
    elif key == "dtypes":
        names = known(_words(text), set(DTYPE_SETS) | {d for ds in DTYPE_SETS.values() for d in ds})
        op.dtypes = [d for name in names for d in DTYPE_SETS.get(name, [name])]
    elif key == "gradient":
        if text != "yes" and not re.match(r"none: \S", text):
            raise TableError(f"{where}: gradient is 'yes' or 'none: <reason>'")
        op.gradient = text
    elif key == "args":
        arg, _, meaning = text.partition(": ")
        if arg not in {p.name for p in op.params} or not meaning:
            raise TableError(f"{where}: args names a parameter and its meaning, got {text!r}")
        op.args[arg] = meaning
    elif key == "elsewhere":
        op.elsewhere = known(_words(text), {p.name for p in op.params})
    elif key == "tape":
        if not re.match(r"(none|no masks): \S", text):
            raise TableError(f"{where}: tape is 'none: <reason>' or 'no masks: <reason>', got {text!r}")
        op.tape = text
    elif key == "raises":
        if not re.match(r"(RuntimeError|IndexError|ValueError|TypeError|NotImplementedError): \S", text):
            raise TableError(f"{where}: raises starts with the name of an exception, got {text!r}")
        op.raises.append(text)
    elif key == "sample":
        op.samples.append(text)
    elif key == "tolerance":
        if not re.fullmatch(r"\de-\d+ (b?float\d\d)(, \de-\d+ (b?float\d\d))*", text):
            raise TableError(f"{where}: tolerance is a list like '1e-9 float64, 1e-5 float32', got {text!r}")
        op.tolerance = text
    elif key == "java":
        op.java.append(text)
    else:
        setattr(op, key, text)


def _check(op: Op) -> None:
    where = f"{op.file}:{op.line}"
    if not op.forms:
        raise TableError(f"{where}: {op.name} has no 'as'")
    public = op.forms != ["engine"]
    if public and not op.doc:
        raise TableError(f"{where}: {op.name} has no 'doc'")
    if public and not op.samples:
        raise TableError(f"{where}: {op.name} has no 'sample'")
    if public and not op.dtypes:
        raise TableError(f"{where}: {op.name} has no 'dtypes'")
    if ({"method", "inplace"} & set(op.forms)) and not op.self_param:
        raise TableError(f"{where}: {op.name} is a method but has no parameter self")
    if op.takes_target and [r.type for r in op.results] != ["Tensor"]:
        raise TableError(f"{where}: {op.name} has an in-place or out form but not one tensor as result")


def parse_text(text: str, file: str) -> list[Op]:
    """The blocks of one table."""
    ops: list[Op] = []
    key = ""
    value: list[str] = []
    start = 0

    def finish() -> None:
        if key:
            joiner = "\n" if key == "example" else " "
            _set_field(ops[-1], key, joiner.join(value).strip(), f"{file}:{start}")

    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.rstrip()
        if not line.strip() or line.lstrip().startswith("# ") or line.strip() == "#":
            continue
        indent = len(line) - len(line.lstrip())
        if indent == 0:
            finish()
            key = ""
            ops.append(_parse_signature(line, file, number))
        elif indent == 4:
            finish()
            if not ops:
                raise TableError(f"{file}:{number}: a field before any operator")
            key, _, first = line.strip().partition(" ")
            if key not in FIELDS:
                raise TableError(f"{file}:{number}: unknown field {key!r}; known are {', '.join(sorted(FIELDS))}")
            value, start = [first.strip()], number
        elif indent > 4 and key:
            value.append(line.strip() if key != "example" else line[8:])
        else:
            raise TableError(f"{file}:{number}: fields are indented by 4 spaces, their continuation by more")
    finish()
    heading = text.partition("\n")[0]
    for op in ops:
        op.heading = heading.removeprefix("# ") if heading.startswith("# ") else ""
        _check(op)
    return ops


def load(folder: Path) -> list[Op]:
    """All operators of a folder's tables, sorted by file and then in the order written."""
    ops: list[Op] = []
    for path in sorted(folder.glob("*.ops")):
        ops.extend(parse_text(path.read_text(encoding="utf-8"), path.name))
    homes: dict[str, Op] = {}
    for op in ops:
        home = homes.setdefault(op.name, op)
        if home.file != op.file:
            raise TableError(f"{op.file}:{op.line}: overloads of {op.name} stand in {home.file}; keep them together")
    seen: dict[str, Op] = {}
    for op in ops:
        other = seen.setdefault(op.id, op)
        if other is not op:
            raise TableError(f"{op.file}:{op.line}: {op.id} also stands at {other.file}:{other.line}")
    return ops
