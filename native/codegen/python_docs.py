"""Docstrings of the Python operators."""

from __future__ import annotations

from native.codegen.tables import Op, Param

__all__ = ["docstring", "signature"]

PYTHON_TYPES = {
    "Tensor": "Tensor",
    "Tensor?": "Tensor | None",
    "Tensor[]": "Sequence[Tensor]",
    "Tensor?[]": "Sequence[Tensor | None]",
    "Tensor|Scalar": "Tensor | Number",
    "Scalar": "Number",
    "Scalar?": "Number | None",
    "int": "int",
    "int?": "int | None",
    "int[]": "int | Sequence[int]",
    "int[]?": "int | Sequence[int] | None",
    "int...": "int | Sequence[int]",
    "float": "float",
    "float?": "float | None",
    "bool": "bool",
    "bool?": "bool | None",
    "str": "str",
    "str?": "str | None",
    "DType": "dtype",
    "DType?": "dtype | None",
    "Generator?": "Generator | None",
}
OPTIONS = "dtype=None, layout=strided, device=None, pin_memory=False, requires_grad=False"


def parameter(p: Param, is_self: bool) -> str:
    if p.type == "Options":
        return OPTIONS
    name = "input" if is_self else p.name
    if p.type == "int...":
        name = f"*{name}"
    default = f" = {p.shown_default}" if p.default is not None else ""
    return f"{name}: {PYTHON_TYPES[p.type]}{default}"


def signature(name: str, op: Op, method: bool, suffix: str) -> str:
    """`mul(input: Tensor, other: Tensor | Number, *, out=None) -> Tensor`"""
    parts = []
    star = False
    for p in op.params:
        is_self = p is op.self_param
        if method and is_self:
            continue
        if p.keyword_only and not star and not any(q.type == "int..." for q in op.params):
            parts.append("*")
            star = True
        parts.append(parameter(p, p.name == "self"))
    if not method and not suffix and "out" in op.forms:
        parts += ["out=None"] if star else ["*", "out=None"]
    results = [{"Tensor[]": "tuple[Tensor, ...]", "Scalar": "Number"}.get(r.type, r.type) for r in op.results]
    result = results[0] if len(results) == 1 else "(" + ", ".join(f"{r.name}: Tensor" for r in op.results) + ")"
    return f"{name}({', '.join(parts)}) -> {result}"


def sentences(op: Op) -> str:
    text = op.doc
    for arg, meaning in op.args.items():
        text += f"\n    {arg}: {meaning}"
    for raised in op.raises:
        text += f"\nRaises {raised}"
    if not op.differentiable:
        text += f"\nNo gradient ({op.gradient.removeprefix('none: ')})."
    if op.example:
        text += f"\nExample:\n{op.example}"
    return text


def c_string(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def docstring(name: str, overloads: list[Op], *, method: bool, suffix: str) -> str:
    """A C++ string literal: every signature with what it does."""
    parts = []
    previous = None
    for op in overloads:
        head = signature(name, op, method, suffix)
        text = sentences(op)
        if suffix:
            text = f"In-place form of {op.name}: the result is put into self.\n{text}"
        parts.append(head if text == previous else f"{head}\n\n{text}")
        previous = text
    return c_string("\n\n".join(parts) + "\n")
