"""How the types of the tables look in Java, and how their values travel to native code.

Natives take numbers, arrays and objects only; ``NATIVE`` lists what one parameter becomes. A parameter has one or more
*spellings* in Java: the classes that JavaCPP's programs pass (``LongOptional``), its list views (``LongArrayRef``), and
plain Java (``long``). The overloads of an operator are its parameter lists in each spelling.
"""

from __future__ import annotations

from dataclasses import dataclass

from native.codegen.tables import Op, Param, TableError

NATIVE = {
    "Tensor": ("Object",),
    "Tensor?": ("Object",),
    "Tensor[]": ("Object[]",),
    "Tensor?[]": ("Object[]",),
    "Scalar": ("long", "int"),
    "Scalar?": ("long", "int"),
    "int": ("long",),
    "int?": ("long", "boolean"),
    "int[]": ("long[]",),
    "int...": ("long[]",),
    "int[]?": ("long[]",),
    "float": ("double",),
    "float?": ("double", "boolean"),
    "bool": ("boolean",),
    "bool?": ("int",),
    "str": ("String",),
    "str?": ("String",),
    "DType": ("int",),
    "DType?": ("int",),
    "Generator?": ("Object",),
    "Options": ("int", "int", "boolean"),
}
OPERAND = ("Object", "long", "int")  # Tensor|Scalar: a tensor, or null and a number

JNI = {
    "Object": ("jobject", "Ljava/lang/Object;"),
    "Object[]": ("jobjectArray", "[Ljava/lang/Object;"),
    "String": ("jstring", "Ljava/lang/String;"),
    "long": ("jlong", "J"),
    "long[]": ("jlongArray", "[J"),
    "int": ("jint", "I"),
    "boolean": ("jboolean", "Z"),
    "double": ("jdouble", "D"),
    "void": ("void", "V"),
}


@dataclass(frozen=True)
class Spelling:
    """One way to write a parameter in Java, and what each native argument is made of."""

    type: str
    native: tuple[str, ...]


def _one(java: str, *native: str) -> Spelling:
    return Spelling(java, native or ("{v}",))


_SCALAR = {
    "object": _one("Scalar", "Args.bits({v})", "Args.kind({v})"),
    "double": _one("double", "Double.doubleToRawLongBits({v})", "Args.DOUBLE"),
    "long": _one("long", "{v}", "Args.LONG"),
}
_SCALAR_OPTIONAL = {**_SCALAR, "class": _one("ScalarOptional", "Args.bits({v})", "Args.kind({v})")}

# Spellings by style: "lists" (LongArrayRef …), "classes" (LongOptional …), "plain".
SPELLINGS: dict[str, dict[str, Spelling]] = {
    "Tensor": {"plain": _one("Tensor")},
    "Tensor?": {"classes": _one("TensorOptional", "Args.tensor({v})"), "plain": _one("Tensor")},
    "Tensor[]": {
        "lists": _one("TensorArrayRef", "Access.tensors({v})"),
        "classes": _one("TensorVector", "Access.tensors({v})"),
        "plain": _one("Tensor[]"),
    },
    "Tensor?[]": {
        "classes": _one("TensorOptionalList", "Access.tensors({v})"),
        "plain": _one("Tensor[]"),
    },
    "int": {"plain": _one("long")},
    "int?": {
        "classes": _one("LongOptional", "Args.value({v})", "Args.has({v})"),
        "plain": _one("long", "{v}", "true"),
    },
    "int[]": {"lists": _one("LongArrayRef", "Args.longs({v})"), "plain": _one("long[]")},
    "int...": {"lists": _one("LongArrayRef", "Args.longs({v})"), "plain": _one("long[]")},
    "int[]?": {"lists": _one("LongArrayRefOptional", "Args.longs({v})"), "plain": _one("long[]")},
    "float": {"plain": _one("double")},
    "float?": {
        "classes": _one("DoubleOptional", "Args.value({v})", "Args.has({v})"),
        "plain": _one("double", "{v}", "true"),
    },
    "bool": {"plain": _one("boolean")},
    "bool?": {"classes": _one("BoolOptional", "Args.flag({v})"), "plain": _one("boolean", "{v} ? 1 : 0")},
    "str": {"plain": _one("String")},
    "str?": {"classes": _one("StringViewOptional", "Args.text({v})"), "plain": _one("String")},
    "DType": {"plain": _one("ScalarType", "Args.dtype({v})")},
    "DType?": {
        "classes": _one("ScalarTypeOptional", "Args.dtype({v})"),
        "plain": _one("ScalarType", "Args.dtype({v})"),
    },
    "Generator?": {"classes": _one("GeneratorOptional", "Args.generator({v})"), "plain": _one("Generator")},
    "Options": {"plain": _one("TensorOptions", "Args.dtype({v})", "Args.device({v})", "Args.requiresGrad({v})")},
}
STYLES = ("lists", "classes", "plain")


def spelling(kind: str, style: str) -> Spelling:
    """The spelling of a type in a style: the nearest plainer or fuller one where it has none of its own."""
    known = SPELLINGS[kind]
    if style == "lists":
        return known.get("lists") or known.get("classes") or known["plain"]
    if style == "classes":
        return known.get("classes") or known["plain"]
    return known["plain"]


def number_spelling(kind: str, style: str) -> Spelling:
    """The spelling of a number in a style, or as ``double`` or ``long``."""
    known = _SCALAR_OPTIONAL if kind == "Scalar?" else _SCALAR
    if style in ("lists", "classes"):
        return known.get("class", known["object"])
    return known["object" if style == "plain" else style]


def operand_spellings() -> dict[str, Spelling]:
    """Spellings of Tensor|Scalar where several operands may be either."""
    tensor = _one("Tensor", "{v}", "0", "Args.NO_NUMBER")
    return {"tensor": tensor, **{k: Spelling(s.type, ("null", *s.native)) for k, s in _SCALAR.items()}}


def native_types(param: Param) -> tuple[str, ...]:
    """Java types of the native arguments of a parameter."""
    return OPERAND if param.type == "Tensor|Scalar" else NATIVE[param.type]


def default_native(op: Op, param: Param) -> tuple[str, ...]:
    """The native arguments for a parameter that is left out."""
    kind, text = param.type, param.default
    if kind == "Options":
        return ("Args.NONE", "Args.NONE", "false")
    if text is None:
        raise TableError(f"{op.file}:{op.line}: {param.name} of {op.name} has no default")
    if text == "None":
        if kind in ("Scalar?", "int?", "float?"):
            return {"Scalar?": ("0", "Args.NO_NUMBER")}.get(kind, ("0", "false"))
        return ("Args.NONE",) if kind in ("bool?", "DType?") else ("null",)
    if kind in ("Scalar", "Scalar?", "Tensor|Scalar"):
        number = _number(text)
        return ("null", *number) if kind == "Tensor|Scalar" else number
    if kind in ("int[]", "int...", "int[]?"):
        inner = text.strip("[]()").strip().rstrip(",")
        return (f"new long[] {{{inner}}}",)
    value = {"True": "true", "False": "false", "inf": "Double.POSITIVE_INFINITY"}.get(text, text)
    if kind in ("str", "str?"):
        return ('"' + text[1:-1] + '"',)
    if kind == "bool?":
        return ("1" if text == "True" else "0",)
    return (value, "true") if kind in ("int?", "float?") else (value,)


def _number(text: str) -> tuple[str, str]:
    if text in ("True", "False"):
        return ("1" if text == "True" else "0", "Args.BOOL")
    if text.lstrip("-").isdigit():
        return (text, "Args.LONG")
    value = "Double.POSITIVE_INFINITY" if text == "inf" else text
    return (f"Double.doubleToRawLongBits({value})", "Args.DOUBLE")
