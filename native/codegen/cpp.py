"""Writes the C++ header of all operators: ops.h."""

from __future__ import annotations

from native.codegen.tables import Op, Param

CPP_TYPES = {
    "Tensor": "const Tensor&",
    "Tensor?": "const Tensor&",
    "Tensor[]": "std::span<const Tensor>",
    "Tensor?[]": "std::span<const Tensor>",
    "Tensor|Scalar": "const Tensor&",
    "Scalar": "const Scalar&",
    "Scalar?": "const std::optional<Scalar>&",
    "int": "int64_t",
    "int?": "std::optional<int64_t>",
    "int[]": "IntSpan",
    "int...": "IntSpan",
    "int[]?": "std::optional<IntSpan>",
    "float": "double",
    "float?": "std::optional<double>",
    "bool": "bool",
    "bool?": "std::optional<bool>",
    "str": "std::string_view",
    "str?": "std::optional<std::string_view>",
    "DType": "DType",
    "DType?": "std::optional<DType>",
    "Generator?": "Generator*",
    "Options": "const Options&",
}
CPP_RESULTS = {
    "Tensor": "Tensor",
    "Tensor[]": "std::vector<Tensor>",
    "bool": "bool",
    "int": "int64_t",
    "float": "double",
    "Scalar": "Scalar",
}

HEADER = """\
#pragma once

// Written by native/codegen from native/ops/*.ops. Every operator, differentiable, in the spelling of its table.
// impl:: holds what a family's source defines for operators that can write into a given place, ops:: with a Body
// what it defines for the others. taped:: calls them where calls are observed: while a tape or
// a profile is made, and once there are tensors of another device than the CPU.

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/call_watcher.h"
#include "core/generator.h"
#include "core/tensor.h"
#include "ops/target.h"

"""


def result_type(op: Op) -> str:
    if len(op.results) > 1:
        return "std::tuple<" + ", ".join(CPP_RESULTS[r.type] for r in op.results) + ">"
    return CPP_RESULTS[op.results[0].type]


def cpp_default(param: Param) -> str:
    """The default as C++ text, with ` = `; empty where there is none."""
    if param.type == "Options":
        return " = {}"
    text = param.default
    if text is None:
        return ""
    if text == "None":
        return " = nullptr" if param.type == "Generator?" else " = {}"
    if text in ("True", "False"):
        return f" = {text.lower()}"
    if text.startswith(("'", '"')):
        return f' = "{text[1:-1]}"'
    if text == "[]":
        return " = {}"
    if param.type in ("Tensor|Scalar", "Scalar", "Scalar?"):
        return f" = Scalar({text})"
    if text.startswith("["):
        inner = text[1:-1]
        return f" = std::array<int64_t, {inner.count(',') + 1}>{{{inner}}}"
    return f" = {text}"


def parameters(op: Op, defaults: bool) -> str:
    return ", ".join(f"{CPP_TYPES[p.type]} {p.name}{cpp_default(p) if defaults else ''}" for p in op.params)


def arguments(op: Op) -> str:
    return ", ".join(p.name for p in op.params)


def scalar_overloads(op: Op, name: str, returns: str) -> str:
    """Where a number may stand for a tensor, C++ callers may write the number."""
    places = [i for i, p in enumerate(op.params) if p.type == "Tensor|Scalar"]
    if len(places) != 1:
        return ""
    params = []
    call = []
    for i, p in enumerate(op.params):
        number = i == places[0]
        params.append(f"{'const Scalar&' if number else CPP_TYPES[p.type]} {p.name}{cpp_default(p)}")
        call.append(f"wrapped_number({p.name})" if number else p.name)
    return f"inline {returns} {name}({', '.join(params)}) {{ return {name}({', '.join(call)}); }}\n"


def forms_of(op: Op) -> list[tuple[str, str, str]]:
    """Each form an operator can be called in: (C++ name, what is done, further first parameter)."""
    if not op.takes_target:
        return [(op.name, f"ops::{op.name}({', '.join(['Body{}', *(p.name for p in op.params)])})", "")]
    call = f"impl::{op.name}(Target::%s, {arguments(op)})"
    forms = [(op.name, call % "fresh()", "")]
    if "inplace" in op.forms:
        forms.append((f"{op.name}_", call % "in_place(self)", ""))
    if "out" in op.forms:
        made = call % f'out(out, "{op.name}")'
        forms.append((f"{op.name}_out", f"until_it_fits([&] {{ return {made}; }})", "const Tensor& out"))
    return forms


def joined(*parts: str) -> str:
    return ", ".join(part for part in parts if part)


def declare(op: Op) -> tuple[str, str, str]:
    """(declaration of what the family defines, declarations in taped, declarations in ops)"""
    where = f"  // {op.file}:{op.line}"
    returns = result_type(op)
    first = "Target to" if op.takes_target else "Body"
    own = f"ONETAPE_API {returns} {op.name}({joined(first, parameters(op, False))});{where}\n"
    taped = ""
    public = ""
    for name, call, out in forms_of(op):
        taped += f"ONETAPE_API {returns} {name}({joined(out, parameters(op, False))});\n"
        passed = joined("out" if out else "", arguments(op))
        public += f"inline {returns} {name}({joined(out, parameters(op, True))}) {{\n"
        public += f"  if (calls_observed()) [[unlikely]] return taped::{name}({passed});\n"
        public += f"  return {call};\n}}\n"
        if not out:
            public += scalar_overloads(op, name, returns)
    return own, taped, public


def generate(ops: list[Op]) -> dict[str, str]:
    """File name -> text."""
    own: dict[bool, list[str]] = {True: [], False: []}
    taped = []
    public = []
    for op in ops:
        declared, noticed, called = declare(op)
        own[op.takes_target].append(declared)
        taped.append(noticed)
        public.append(called)
    body = HEADER
    body += "namespace onetape {\n\nnamespace impl {\n" + "".join(own[True]) + "}  // namespace impl\n\n"
    body += "namespace taped {\n" + "".join(taped) + "}  // namespace taped\n\n"
    body += "namespace ops {\n" + "".join(own[False]) + "".join(public)
    body += "}  // namespace ops\n\n}  // namespace onetape\n"
    return {"cpp/ops.h": body}
