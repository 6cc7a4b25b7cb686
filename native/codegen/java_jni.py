"""The JNI functions of the operators (jni_<family>.cpp) and their declarations (Native.java)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from native.codegen.java_types import JNI, native_types
from native.codegen.tables import Op, Param

RESULTS = {  # result type -> Java type of the native
    "Tensor": "long",
    "Tensor[]": "long[]",
    "bool": "boolean",
    "int": "long",
    "float": "double",
    "Scalar": "long[]",
}

SOURCE = """\
// Written by native/codegen from native/ops/{family}.ops.

#include "java/arguments.h"
#include "ops.h"

namespace onetape::java {{
namespace {{

{functions}
const JNINativeMethod kNatives[] = {{
{entries}}};
const NativeGroup kGroup = natives("internal/Native", kNatives);

}}  // namespace
}}  // namespace onetape::java
"""

NATIVE_CLASS = """\
package org.onetape.internal;

/** The operators of the tables as native code offers them; see {@link Engine} for the conventions. */
public final class Native {
  private Native() {}

  static {
    Engine.load(); // the library binds these methods, too
  }

%s}
"""


@dataclass(frozen=True)
class Entry:
    """One native function: an operator or its in-place form."""

    op: Op
    in_place: bool

    @property
    def name(self) -> str:
        return self.op.id + ("_" if self.in_place else "")

    @property
    def cpp(self) -> str:
        return self.op.name + ("_" if self.in_place else "")

    @property
    def changes_self(self) -> bool:
        """Does it return its first tensor, changed?"""
        return self.in_place or self.op.name.endswith("_")

    @property
    def returns(self) -> str:
        if self.changes_self:
            return "void"
        return RESULTS[self.op.results[0].type] if len(self.op.results) == 1 else "long[]"


def entries(ops: list[Op]) -> Iterator[Entry]:
    """Every native function that Java needs."""
    for op in ops:
        if {"method", "function", "functional"} & set(op.forms):
            yield Entry(op, False)
        if "inplace" in op.forms:
            yield Entry(op, True)


def native_params(op: Op) -> list[tuple[str, str]]:
    """(Java type, name) of the native's parameters."""
    listed: list[tuple[str, str]] = []
    for p in op.params:
        suffixes = _suffixes(p)
        listed += [(kind, p.name + suffix) for kind, suffix in zip(native_types(p), suffixes)]
    return listed


def _suffixes(param: Param) -> tuple[str, ...]:
    return {
        "Tensor|Scalar": ("", "_bits", "_kind"),
        "Scalar": ("_bits", "_kind"),
        "Scalar?": ("_bits", "_kind"),
        "int?": ("", "_given"),
        "float?": ("", "_given"),
        "Options": ("_dtype", "_device", "_requires_grad"),
    }.get(param.type, ("",))


def _argument(p: Param) -> tuple[str, str]:
    """(declaration before the call, expression in the call) for one parameter."""
    n = f"j_{p.name}"
    simple = {
        "Scalar": f"number({n}_bits, {n}_kind)",
        "Scalar?": f"optional_number({n}_bits, {n}_kind)",
        "int": n,
        "int?": f"optional<int64_t>({n}, {n}_given)",
        "float": n,
        "float?": f"optional<double>({n}, {n}_given)",
        "bool": f"{n} != JNI_FALSE",
        "bool?": f"optional_bool({n})",
        "DType": f"dtype({n})",
        "DType?": f"optional_dtype({n})",
        "Options": f"options({n}_dtype, {n}_device, {n}_requires_grad)",
        "Tensor?": f"optional_tensor(env, {n})",
    }
    if p.type in simple:
        return "", simple[p.type]
    local = f"{p.name}_"
    declared = {
        "Tensor": f'const TensorArg {local}(env, {n}, "{p.name}");',
        "Tensor|Scalar": f'const OperandArg {local}(env, {n}, {n}_bits, {n}_kind, "{p.name}");',
        "Tensor[]": f'const std::vector<Tensor> {local} = tensor_list(env, {n}, "{p.name}");',
        "Tensor?[]": f"const std::vector<Tensor> {local} = optional_tensor_list(env, {n});",
        "int[]": f'const Ints {local} = ints(env, {n}, "{p.name}");',
        "int...": f'const Ints {local} = ints(env, {n}, "{p.name}");',
        "int[]?": f"const std::optional<Ints> {local} = optional_ints(env, {n});",
        "str": f'const std::string {local} = text(env, {n}, "{p.name}");',
        "str?": f"const std::optional<std::string> {local} = optional_text(env, {n});",
        "Generator?": f"const Ref<Generator> {local} = generator(env, {n});",
    }[p.type]
    passed = {
        "int[]?": f"{local} ? std::optional<IntSpan>(*{local}) : std::nullopt",
        "str?": f"{local} ? std::optional<std::string_view>(*{local}) : std::nullopt",
        "Generator?": f"{local}.get()",
    }.get(p.type, local)
    return declared, passed


def _function(entry: Entry) -> str:
    op = entry.op
    params = "".join(f", {JNI[kind][0]} j_{name}" for kind, name in native_params(op))
    locals_, passed = zip(*(_argument(p) for p in op.params)) if op.params else ((), ())
    lines = [f"    {text}" for text in locals_ if text]
    call = f"ops::{entry.cpp}({', '.join(passed)})"
    kinds = [r.type for r in op.results]
    if entry.changes_self:
        lines.append(f"    {call};")
    elif kinds == ["Tensor"]:
        lines.append(f"    return result({call});")
    elif kinds == ["bool"]:
        lines.append(f"    return static_cast<jboolean>({call});")
    elif kinds == ["Scalar"]:
        lines.append(f"    return number_result(env, {call});")
    elif kinds in (["int"], ["float"]):
        lines.append(f"    return static_cast<{JNI[entry.returns][0]}>({call});")
    else:
        lines.append(f"    return results(env, {call});")
    returns = JNI[entry.returns][0]
    return (
        f"{returns} op_{entry.name}(JNIEnv* env, jclass{params}) {{  // {op.file}:{op.line}\n"
        f"  return guarded(env, [&]() -> {returns} {{\n" + "\n".join(lines) + "\n  });\n}\n"
    )


def _signature(entry: Entry) -> str:
    return (
        "("
        + "".join(JNI[kind][1] for kind, _ in native_params(entry.op))
        + ")"
        + {
            "long[]": "[J",
            **{k: v[1] for k, v in JNI.items()},
        }[entry.returns]
    )


def sources(ops: list[Op]) -> dict[str, str]:
    """File name -> text of the C++ side."""
    families: dict[str, list[Entry]] = {}
    for entry in entries(ops):
        families.setdefault(entry.op.family, []).append(entry)
    files = {}
    for family, members in families.items():
        functions = "\n".join(_function(e) for e in members)
        table = "".join(f'    native("{e.name}", "{_signature(e)}", op_{e.name}),\n' for e in members)
        files[f"cpp/jni_{family}.cpp"] = SOURCE.format(family=family, functions=functions, entries=table)
    return files


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    joined = head + "".join(word[:1].upper() + word[1:] for word in rest)
    return joined + "_" if joined in ("default", "double", "float", "int", "long", "boolean", "short") else joined


def native_class(ops: list[Op]) -> str:
    """Native.java."""
    lines = []
    for entry in entries(ops):
        params = ", ".join(f"{kind} {_camel(name)}" for kind, name in native_params(entry.op))
        lines.append(f"  public static native {entry.returns} {entry.name}({params});\n")
    return NATIVE_CLASS % "\n".join(lines)
