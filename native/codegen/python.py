"""The operators of the Python face: one C++ source a family with methods, functions and their argument parsers."""

from __future__ import annotations

from dataclasses import dataclass

from native.codegen.cpp import cpp_default
from native.codegen.python_docs import docstring
from native.codegen.python_slots import slots_source
from native.codegen.tables import Op, Param

__all__ = ["generate"]

# Type in a table -> (Kind of arguments.h, how the call reads argument %d).
READERS = {
    "Tensor": ("Tensor", "call.tensor(%d)"),
    "Tensor?": ("Tensor", "call.tensor_or_none(%d)"),
    "Tensor[]": ("Tensors", "call.tensors(%d)"),
    "Tensor?[]": ("OptionalTensors", "call.optional_tensors(%d)"),
    "Tensor|Scalar": ("TensorOrNumber", "call.tensor_or_number(%d)"),
    "Scalar": ("Number", "call.number(%d)"),
    "int": ("Int", "call.integer(%d)"),
    "int[]": ("Ints", "call.ints(%d)"),
    "int...": ("IntVarargs", "call.ints(%d)"),
    "float": ("Float", "call.real(%d)"),
    "bool": ("Bool", "call.boolean(%d)"),
    "str": ("Text", "call.text(%d)"),
    "DType": ("DType", "call.dtype(%d)"),
    "Generator?": ("Generator", "call.generator(%d)"),
}
OPTIONALS = {
    "Scalar": "Scalar",
    "int": "int64_t",
    "float": "double",
    "bool": "bool",
    "str": "std::string_view",
    "DType": "DType",
}
# Functions that take their tensors one after the other, or as a list.
VARIADIC = {
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "block_diag",
    "broadcast_tensors",
    "cartesian_prod",
    "einsum",
    "meshgrid",
}
OTHER_NAMES = {"dim": "axis", "keepdim": "keepdims", "input": "x", "other": "x2"}
CPP_WORDS = {
    "default",
    "register",
    "union",
    "new",
    "delete",
    "this",
    "and",
    "or",
    "not",
    "xor",
    "call",
    "float",
    "double",
    "int",
}


@dataclass(frozen=True)
class PyParam:
    """A parameter as Python sees it, and the table's parameter it comes from."""

    name: str
    kind: str
    default: str | None  # as Python text
    takes_none: bool
    keyword_only: bool
    hidden: bool = False
    source: Param | None = None


def python_params(op: Op, out: bool) -> list[PyParam]:
    """The parameters of an operator's Python function; Options become five, and out= is added where there is one."""
    params: list[PyParam] = []
    for p in op.params:
        if p.type == "Options":
            params += [
                PyParam("dtype", "DType", "None", True, True, source=p),
                PyParam("layout", "Layout", "torch.strided", True, True),
                PyParam("device", "Device", "None", True, True),
                PyParam("pin_memory", "Bool", "False", True, True),
                PyParam("requires_grad", "Bool", "False", True, True),
            ]
            if op.self_param:
                params.append(
                    PyParam("memory_format", "MemoryFormat", "torch.preserve_format", True, True, hidden=True)
                )
            continue
        base = p.type[:-1] if p.type.endswith("?") and p.type not in READERS else p.type
        name = "input" if p.name == "self" else p.name
        kind = "TensorVarargs" if op.name in VARIADIC and base == "Tensor[]" else READERS[base][0]
        takes_none = p.type.endswith("?") or p.default == "None"
        params.append(PyParam(name, kind, p.shown_default, takes_none, p.keyword_only, source=p))
    if op.name in ("clone", "contiguous"):
        params.append(PyParam("memory_format", "MemoryFormat", "torch.preserve_format", True, True, hidden=True))
    if out:
        params.append(PyParam("out", "Tensor", "None", True, True))
    return params


def parameter_text(p: PyParam) -> str:
    fields = [f'"{p.name}"', f"Kind::{p.kind}"]
    if p.default is not None:
        fields.append('.fallback = "' + p.default.replace('"', "'") + '"')
    fields += [f".{flag} = true" for flag in ("takes_none", "keyword_only", "hidden") if getattr(p, flag)]
    if p.name in OTHER_NAMES:
        fields.append(f'.other_name = "{OTHER_NAMES[p.name]}"')
    if len(fields) > 2:
        fields[0] = f".name = {fields[0]}"
        fields[1] = f".kind = {fields[1]}"
    return "{" + ", ".join(fields) + "}"


def local_name(name: str) -> str:
    return f"{name}_" if name in CPP_WORDS else name


def read_argument(p: Param, index: int) -> str:
    """A line that declares the local variable of a parameter."""
    name = local_name(p.name)
    if p.type == "Options":
        return f"const Options {name} = call.options({index});"
    base = p.type[:-1] if p.type.endswith("?") and p.type not in READERS else p.type
    read = READERS[base][1] % index
    default = cpp_default(p)[3:] or None
    if p.type in ("Tensor", "Tensor?"):
        return f"const Tensor& {name} = {read};"
    if base in ("int[]", "int...") and p.default not in (None, "None", "[]"):
        return f"const IntsArgument {name} = call.has({index}) ? {read} : IntsArgument(Ints{{{p.default[1:-1]}}});"
    if base in ("int[]", "int..."):
        return f"const IntsArgument {name} = {read};"
    if base != p.type:
        return (
            f"const std::optional<{OPTIONALS[base]}> {name} = call.has({index}) ? std::optional({read}) : std::nullopt;"
        )
    if default is not None and p.type == "Scalar":
        return f"const Scalar {name} = call.has({index}) ? {read} : {default};"
    if default is not None and p.type in OPTIONALS:
        return f"const {OPTIONALS[p.type]} {name} = call.has({index}) ? {read} : {OPTIONALS[p.type]}({default});"
    if default is not None and p.type == "Tensor|Scalar":
        return f"const TensorOrNumber {name} = call.has({index}) ? {read} : TensorOrNumber({default});"
    if p.type == "Generator?":
        return f"Generator* {name} = {read};"
    return f"const auto {name} = {read};"


def pass_argument(p: Param) -> str:
    name = local_name(p.name)
    if p.type in ("int[]", "int..."):
        return f"{name}.span()"
    if p.type == "int[]?":
        return f"{name}.optional()"
    return name


def is_large(op: Op) -> str:
    """A C++ condition: does the call work on many elements?"""
    parts = [f"is_large({local_name(p.name)})" for p in op.params if p.type.startswith("Tensor")]
    if not parts:
        parts = [
            f"is_large({local_name(p.name)})" for p in op.params if p.name == "size" and p.type in ("int[]", "int...")
        ]
    return " || ".join(parts) or "false"


def call_function(op: Op, suffix: str, out: bool) -> str:
    """The C++ function that runs one signature: reads the arguments, calls the operator, wraps the result."""
    lines = [f"PyObject* {op.id}{suffix}_call([[maybe_unused]] const Arguments& call) {{"]
    params = python_params(op, out)
    for p in op.params:
        index = next(i for i, each in enumerate(params) if each.source is p)
        lines.append(f"  {read_argument(p, index)}")
    arguments = ", ".join(pass_argument(p) for p in op.params)
    if out:
        at = len(params) - 1
        lines.append(f"  if (call.has({at})) {{")
        lines.append(f"    const Tensor& out = call.tensor({at});")
        lines.append(f"    return wrap(run({is_large(op)}, [&] {{ return ops::{op.name}_out(out, {arguments}); }}));")
        lines.append("  }")
    result = f"run({is_large(op)}, [&] {{ return ops::{op.name}{suffix}({arguments}); }})"
    if len(op.results) > 1:
        fields = ", ".join(f'"{r.name}"' for r in op.results)
        lines.append(f'  static const ResultType type("{op.name}", {{{fields}}});')
        lines.append(f"  return wrap({result}, type);")
    else:
        lines.append(f"  return wrap({result});")
    lines.append("}")
    return "\n".join(lines) + "\n"


def parameter_array(op: Op, out: bool) -> str:
    rows = "".join(f"    {parameter_text(p)},\n" for p in python_params(op, out))
    if not rows:
        return ""
    return f"constexpr Parameter {op.id}{'_out' if out else ''}_parameters[] = {{\n{rows}}};\n"


class FamilySource:
    """Collects the pieces of one family's source."""

    def __init__(self, family: str) -> None:
        self.family = family
        self.pieces: list[str] = []
        self.seen: set[str] = set()
        self.tables: dict[str, list[str]] = {"methods": [], "functions": [], "functional": []}

    def once(self, key: str, text: str) -> None:
        if key not in self.seen:
            self.seen.add(key)
            self.pieces.append(text)

    def add(self, table: str, name: str, overloads: list[Op], suffix: str) -> None:
        """One Python name: its parser, its entry, its line in the table."""
        method = table == "methods"
        signatures = []
        calls = []
        for op in overloads:
            out = not method and not suffix and "out" in op.forms
            self.once(f"p {op.id} {out}", parameter_array(op, out))
            self.once(f"c {op.id} {suffix} {out}", call_function(op, suffix, out) if not out else "")
            if out:
                self.once(f"o {op.id}", call_function(op, suffix, True).replace(f"{op.id}_call(", f"{op.id}_out_call("))
            empty = not python_params(op, out)
            signatures.append("{}" if empty else f"{{{op.id}{'_out' if out else ''}_parameters}}")
            calls.append(f"{op.id}{'_out' if out else suffix}_call")
        ident = f"{table}_{name}"
        self.pieces.append(
            f"constexpr Signature {ident}_signatures[] = {{{', '.join(signatures)}}};\n"
            f'constexpr Parser {ident}_parser = {{"{name}", {ident}_signatures, {str(method).lower()}}};\n'
        )
        doc = docstring(name, overloads, method=method, suffix=suffix)
        entry = f"entry<{ident}_parser, {', '.join(calls)}>"
        self.tables[table].append(f'    method_entry("{name}", {entry},\n        {doc}),\n')

    def text(self) -> str:
        body = f"// Written by native/codegen from native/ops/{self.family}.ops.\n\n"
        body += '#include "ops.h"\n#include "python/generated.h"\n\nnamespace onetape::python {\nnamespace {\n\n'
        body += "\n".join(piece for piece in self.pieces if piece)
        body += "\n}  // namespace\n\n"
        for table, rows in self.tables.items():
            body += f"extern PyMethodDef {self.family}_{table}[];\n"
            body += (
                f"PyMethodDef {self.family}_{table}[] = {{\n{''.join(rows)}    {{nullptr, nullptr, 0, nullptr}},\n}};\n"
            )
        return body + "\n}  // namespace onetape::python\n"


def with_form(ops: list[Op], form: str) -> list[Op]:
    return [op for op in ops if form in op.forms]


def family_source(family: str, names: dict[str, list[Op]]) -> str:
    """The source of the names that belong to a family."""
    source = FamilySource(family)
    for name, overloads in names.items():
        spellings = [name, *sorted({alias for op in overloads for alias in op.aliases})]
        for table, form in (("methods", "method"), ("functions", "function"), ("functional", "functional")):
            chosen = with_form(overloads, form)
            inplace = with_form(chosen if table != "methods" else overloads, "inplace")
            for each in spellings:
                if chosen:
                    source.add(table, each, chosen, "")
                if inplace and table != "functional":
                    source.add(table, f"{each}_", inplace, "_")
    return source.text()


def names_by_family(ops: list[Op]) -> dict[str, dict[str, list[Op]]]:
    """Family -> name -> overloads. A name whose overloads stand in several tables belongs to that of the plain one."""
    by_name: dict[str, list[Op]] = {}
    for op in ops:
        by_name.setdefault(op.name, []).append(op)
    families: dict[str, dict[str, list[Op]]] = {op.family: {} for op in ops}
    for name, overloads in by_name.items():
        overloads.sort(key=lambda op: bool(op.overload))
        families[overloads[0].family][name] = overloads
    return families


def tables_source(families: list[str], ops: list[Op]) -> str:
    body = "// Written by native/codegen from native/ops/*.ops.\n\n"
    body += '#include "ops.h"\n#include "python/generated.h"\n\nnamespace onetape::python {\n\n'
    for family in families:
        for table in ("methods", "functions", "functional"):
            body += f"extern PyMethodDef {family}_{table}[];\n"
    rows = "".join(f"    {{{f}_methods, {f}_functions, {f}_functional}},\n" for f in families)
    body += (
        f"\nnamespace {{\n\nconst OperatorTable tables[] = {{\n{rows}}};\n\n{slots_source(ops)}\n}}  // namespace\n\n"
    )
    body += "const std::span<const OperatorTable> operator_tables = tables;\n"
    body += "const std::span<const PyType_Slot> operator_slots = slots;\n"
    return body + "\n}  // namespace onetape::python\n"


def generate(ops: list[Op]) -> dict[str, str]:
    """File name -> text."""
    public = [op for op in ops if op.forms != ["engine"]]
    families = sorted(names_by_family(public).items())
    files = {f"cpp/python_{family}.cpp": family_source(family, names) for family, names in families}
    files["cpp/python_tables.cpp"] = tables_source([family for family, _ in families], public)
    return files
