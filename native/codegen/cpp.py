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
// impl:: holds what a family's source defines for operators that can write into a given place.

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

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


def declare(op: Op) -> tuple[str, str]:
    """(declaration in impl, declarations in ops)"""
    where = f"  // {op.file}:{op.line}"
    returns = result_type(op)
    if not op.takes_target:
        text = f"ONETAPE_API {returns} {op.name}({parameters(op, True)});{where}\n"
        return "", text + scalar_overloads(op, op.name, returns)
    params = "".join(", " + p for p in parameters(op, False).split(", ") if p)
    impl = f"ONETAPE_API Tensor {op.name}(Target to{params});{where}\n"
    call = f"impl::{op.name}(Target::%s, {arguments(op)})"
    text = f"inline Tensor {op.name}({parameters(op, True)}) {{ return {call % 'fresh()'}; }}\n"
    text += scalar_overloads(op, op.name, "Tensor")
    if "inplace" in op.forms:
        text += f"inline Tensor {op.name}_({parameters(op, True)}) {{ return {call % 'in_place(self)'}; }}\n"
        text += scalar_overloads(op, f"{op.name}_", "Tensor")
    if "out" in op.forms:
        body = f"return until_it_fits([&] {{ return {call % f'out(out, {chr(34)}{op.name}{chr(34)})'}; }})"
        text += f"inline Tensor {op.name}_out(const Tensor& out, {parameters(op, True)}) {{ {body}; }}\n"
    return impl, text


def generate(ops: list[Op]) -> dict[str, str]:
    """File name -> text."""
    impl = []
    public = []
    for op in ops:
        inner, outer = declare(op)
        impl.append(inner)
        public.append(outer)
    body = HEADER
    body += "namespace onetape {\n\nnamespace impl {\n" + "".join(impl) + "}  // namespace impl\n\n"
    body += "namespace ops {\n" + "".join(public) + "}  // namespace ops\n\n}  // namespace onetape\n"
    return {"cpp/ops.h": body}
