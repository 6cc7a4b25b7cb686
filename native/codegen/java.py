"""The Java face of the operators.

``TensorOps`` has the methods in PyTorch's spelling, ``TorchTensorOps`` the same with results of its own class and,
beside them, in Java's spelling; ``TorchFunctions`` has the static functions. All three are invisible to programs, which
see them through ``Tensor``, ``TorchTensor`` and ``torch``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from native.codegen.java_factories import tensor_factories
from native.codegen.java_jni import Entry, entries, native_class, sources
from native.codegen.java_overloads import Overload, java_name, overloads
from native.codegen.java_types import native_types
from native.codegen.java_values import value_classes
from native.codegen.tables import Op

KEYWORDS = {
    "abstract", "assert", "boolean", "break", "byte", "case", "catch", "char", "class", "const", "continue", "default",
    "do", "double", "else", "enum", "extends", "final", "finally", "float", "for", "goto", "if", "implements", "import",
    "instanceof", "int", "interface", "long", "native", "new", "package", "private", "protected", "public", "return",
    "short", "static", "strictfp", "super", "switch", "synchronized", "this", "throw", "throws", "transient", "try",
    "void", "volatile", "while",
}  # fmt: skip
EXCEPTIONS = {
    "RuntimeError": "TorchException",
    "IndexError": "IndexOutOfBoundsException",
    "ValueError": "IllegalArgumentException",
    "TypeError": "TypeException",
    "NotImplementedError": "UnsupportedOperationException",
}
TUPLES = {2: "T_TensorTensor_T", 3: "T_TensorTensorTensor_T", 4: "T_TensorTensorTensorTensor_T"}
IMPORTED = (
    "BoolOptional DoubleOptional Generator GeneratorOptional LongArrayRef LongArrayRefOptional LongOptional "
    "MemoryFormatOptional Scalar ScalarOptional ScalarTypeOptional StringViewOptional T_TensorTensorTensorTensor_T "
    "T_TensorTensorTensor_T T_TensorTensor_T Tensor TensorArrayRef TensorOptional TensorOptionalList TensorOptions "
    "TensorVector TorchException TypeException"
).split()


TENSOR_OPS_CONSTRUCTORS = """\
  TensorOps(long handle) {
    super(handle);
  }

  TensorOps(long handle, RefList owner) {
    super(handle, owner);
  }
"""


@dataclass(frozen=True)
class Method:
    """One Java method of one operator."""

    entry: Entry
    name: str
    overload: Overload

    @property
    def op(self) -> Op:
        return self.entry.op

    @property
    def returns(self) -> str:
        kinds = [r.type for r in self.op.results]
        if len(kinds) > 1:
            return TUPLES[len(kinds)]
        return {
            "Tensor": "Tensor",
            "Tensor[]": "TensorVector",
            "bool": "boolean",
            "int": "long",
            "float": "double",
        }.get(kinds[0], "Scalar")


def _methods(ops: list[Op], static: bool) -> Iterator[Method]:
    """The methods of Tensor, or the static functions."""
    seen: set[tuple[str, ...]] = set()
    for entry in entries(ops):
        op = entry.op
        forms = set(op.forms)
        wanted = {"function", "functional"} if static else {"method", "inplace"}
        if not (forms & wanted) or (not static and not entry.in_place and "method" not in forms):
            continue
        params = op.params if static else op.params[1:]
        suffix = "_" if entry.in_place else ""
        for name in [op.name, *op.aliases]:
            if name + suffix in KEYWORDS:
                continue
            for overload in overloads(op, params):
                if static and not _takes_tensor(entry, overload):
                    continue
                key = (name + suffix, *overload.key)
                if key not in seen:
                    seen.add(key)
                    yield Method(entry, name + suffix, overload)


def _takes_tensor(entry: Entry, overload: Overload) -> bool:
    """Numbers may stand for tensors, but not for all of them, and not for the one that is changed."""
    kinds = [kind for kind, _ in overload.params]
    if entry.changes_self:
        return kinds[0] == "Tensor"
    return "Tensor" in kinds or not any(p.type == "Tensor|Scalar" for p in entry.op.params)


def camel_case(name: str) -> str:
    """``masked_fill_`` to ``maskedFill_``: words joined, a last underscore kept."""
    head, *rest = name.rstrip("_").split("_")
    joined = head + "".join(word[:1].upper() + word[1:] for word in rest)
    return joined + "_" * (len(name) - len(name.rstrip("_")))


# ---- documentation ----


def _escape(text: str) -> str:
    return (
        text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("@", "&#64;")
        .replace("*/", "*&#47;")
    )


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else text + "."


def javadoc(method: Method, static: bool) -> str:
    """The comment above a method: what it does, its parameters, what it throws."""
    op = method.op
    lines = [_escape(_sentence(op.doc))]
    if method.entry.changes_self:
        lines.append("" if static else "<p>The tensor itself is changed, and returned.")
    tags = []
    for p in op.params:
        if p.name in op.args and p.name in method.overload.names:
            tags.append(f"@param {java_name(p.name)} {_escape(op.args[p.name])}")
    for raised in op.raises:
        for kind, text in re.findall(r"(\w+Error): (.*?)(?=\s*\w+Error: |$)", raised):
            tags.append(f"@throws {EXCEPTIONS[kind]} {_escape(text.rstrip('.'))}")
    body = [line for line in lines if line]
    text = "\n".join(f"   * {line}" for line in body)
    if tags:
        text += "\n   *\n" + "\n".join(f"   * {tag}" for tag in tags)
    return f"  /**\n{text}\n   */\n"


# ---- methods ----


def _native_call(method: Method, on_this: bool) -> str:
    arguments = list(method.overload.native)
    if on_this:
        kinds = native_types(method.op.params[0])
        arguments = ["this", "0", "Args.NO_NUMBER"][: len(kinds)] + arguments
    return f"Native.{method.entry.name}({', '.join(arguments)})"


def _wrapped(method: Method, call: str, tensor: str) -> str:
    """The expression that makes the Java result; ``tensor`` makes one tensor of a handle."""
    kinds = [r.type for r in method.op.results]
    if len(kinds) > 1:
        return f"Results.tuple{len(kinds)}({call})"
    return {
        "Tensor": tensor % call,
        "Tensor[]": f"Access.vector({call})",
        "Scalar": f"Results.scalar({call})",
    }.get(kinds[0], call)


def _declaration(method: Method, static: bool, returns: str, name: str) -> str:
    return f"  public {'static ' if static else ''}{returns} {name}({method.overload.declared()}) {{\n"


def tensor_method(method: Method) -> str:
    """A method of TensorOps."""
    call = _native_call(method, on_this=True)
    if method.entry.changes_self:
        body = f"    {call};\n    return (Tensor) this;\n"
    else:
        body = f"    return {_wrapped(method, call, 'new Tensor(%s)')};\n"
    return javadoc(method, False) + _declaration(method, False, method.returns, method.name) + body + "  }\n"


def torch_tensor_method(method: Method, taken: set[tuple[str, ...]]) -> str:
    """The method of TorchTensorOps: with its own class as result, and in Java's spelling."""
    text = ""
    name = camel_case(method.name)
    returns = method.returns
    if returns == "Tensor":
        returns = "TorchTensor"
        call = _native_call(method, on_this=True)
        if method.entry.changes_self:
            body = f"    {call};\n    return (TorchTensor) this;\n"
        else:
            body = f"    return new TorchTensor({call});\n"
        text += "  @Override\n" + _declaration(method, False, returns, method.name) + body + "  }\n"
    if name != method.name and (name, *method.overload.key) not in taken:
        taken.add((name, *method.overload.key))
        call = f"{method.name}({method.overload.passed()})"
        text += ("\n" if text else "") + javadoc(method, False) + _declaration(method, False, returns, name)
        text += f"    return {call};\n  }}\n"
    return text


def static_function(method: Method) -> str:
    """A static function of TorchFunctions."""
    call = _native_call(method, on_this=False)
    if method.entry.changes_self:
        body = f"    {call};\n    return {java_name(method.op.params[0].name)};\n"
    else:
        body = f"    return {_wrapped(method, call, 'Access.tensor(%s)')};\n"
    return javadoc(method, True) + _declaration(method, True, method.returns, method.name) + body + "  }\n"


# ---- classes ----


def _class(package: str, doc: str, head: str, members: list[str], more_imports: list[str]) -> str:
    text = "\n".join(m for m in members if m)
    names = [f"org.onetape.{n}" for n in IMPORTED] if package != "org.onetape" else []
    names += ["org.onetape.global.torch.ScalarType", *(f"org.onetape.internal.{n}" for n in more_imports)]
    code = re.sub(r"^ +\*.*$", "", text, flags=re.MULTILINE) + head
    throws = " ".join(re.findall(r"@throws (\w+)", text))
    used = [n for n in names if re.search(rf"\b{n.rsplit('.', 1)[1]}\b", code + throws)]
    imports = "".join(f"import {n};\n" for n in sorted(used))
    return f"package {package};\n\n{imports}\n/** {doc} */\n{head} {{\n{text}}}\n"


def generate(ops: list[Op]) -> dict[str, str]:
    """File name -> text."""
    public = [op for op in ops if op.forms != ["engine"]]
    methods = list(_methods(public, static=False))
    functions = list(_methods(public, static=True))
    taken = {(m.name, *m.overload.key) for m in methods}
    internal = ["Access", "Args", "Native", "RefList", "Results"]
    files = {
        "org/onetape/TensorOps.java": _class(
            "org.onetape",
            "The operators as methods, in PyTorch's spelling.",
            "abstract class TensorOps extends TensorAutograd",
            [TENSOR_OPS_CONSTRUCTORS, *(tensor_method(m) for m in methods)],
            internal,
        ),
        "org/onetape/TorchTensorOps.java": _class(
            "org.onetape",
            "The operators as methods, in Java's spelling.",
            "abstract class TorchTensorOps extends Tensor",
            [
                "  TorchTensorOps(long handle) {\n    super(handle);\n  }\n",
                *(torch_tensor_method(m, taken) for m in methods),
            ],
            internal,
        ),
        "org/onetape/global/TorchFunctions.java": _class(
            "org.onetape.global",
            "The operators as functions.",
            "abstract class TorchFunctions extends TensorFactories",
            [static_function(m) for m in functions],
            internal,
        ),
        "org/onetape/global/TensorFactories.java": tensor_factories(),
        "org/onetape/internal/Native.java": native_class(public),
        **value_classes(),
    }
    return {**{f"java/{name}": text for name, text in files.items()}, **sources(public)}
