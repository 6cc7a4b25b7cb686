"""The number slots and comparisons of Tensor, from the `slots` field of the tables."""

from __future__ import annotations

from native.codegen.tables import Op, TableError

__all__ = ["slots_source"]

BINARY = {
    "add": "nb_add",
    "sub": "nb_subtract",
    "mul": "nb_multiply",
    "truediv": "nb_true_divide",
    "floordiv": "nb_floor_divide",
    "mod": "nb_remainder",
    "pow": "nb_power",
    "matmul": "nb_matrix_multiply",
    "and": "nb_and",
    "or": "nb_or",
    "xor": "nb_xor",
    "lshift": "nb_lshift",
    "rshift": "nb_rshift",
}
UNARY = {"neg": "nb_negative", "abs": "nb_absolute", "invert": "nb_invert"}
COMPARISONS = {"lt": "Py_LT", "le": "Py_LE", "eq": "Py_EQ", "ne": "Py_NE", "gt": "Py_GT", "ge": "Py_GE"}
# Operators whose operands may change places: with a number on the left, self stays the tensor.
COMMUTATIVE = {"add", "mul", "bitwise_and", "bitwise_or", "bitwise_xor"}


def other_kind(op: Op) -> str:
    kinds = {"Tensor": "Tensor", "Tensor|Scalar": "TensorOrNumber"}
    if len(op.params) < 2 or op.params[1].type not in kinds:
        raise TableError(f"{op.file}:{op.line}: {op.name} has binary slots but not a second operand")
    return f"Kind::{kinds[op.params[1].type]}"


def forward(op: Op, suffix: str = "") -> str:
    return f"[](const Tensor& self, const Tensor& other) {{ return ops::{op.name}{suffix}(self, other); }}"


def slot_kind(op: Op) -> str:
    """What the other operand may be; does an integer beyond int64 wrap around in it next to integers?"""
    return f"{other_kind(op)}, {'false' if op.name in ('div', 'pow') else 'true'}"


def reflected(op: Op, has_reciprocal: bool) -> str:
    """other ∘ self. An operator named r… is made for it; others change the operands' places."""
    if op.name in COMMUTATIVE or op.name.startswith("r") and f"__{op.name}__" in op.slots:
        call = f"ops::{op.name}(self, other)"
    elif op.name == "div" and has_reciprocal:
        call = "ops::mul(ops::reciprocal(self), other)"
    else:
        call = f"ops::{op.name}(other, self)"
    return f"[](const Tensor& self, const Tensor& other) {{ return {call}; }}"


def binary_function(word: str, by_slot: dict[str, Op], has_reciprocal: bool) -> str:
    op = by_slot[f"__{word}__"]
    extra = ", PyObject* modulus" if word == "pow" else ""
    text = f"PyObject* slot_{word}(PyObject* left, PyObject* right{extra}) {{\n"
    if word == "pow":
        text += "  if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;\n"
    back = by_slot.get(f"__r{word}__")
    if back:
        text += f"  return binary_slot<{slot_kind(op)}>(\n      left, right, {forward(op)},\n"
        text += f"      {reflected(back, has_reciprocal)});\n}}\n"
    else:
        text += f"  return left_slot<{slot_kind(op)}>(left, right, {forward(op)});\n}}\n"
    return text


def inplace_function(word: str, op: Op) -> str:
    extra = ", PyObject* modulus" if word == "pow" else ""
    text = f"PyObject* slot_i{word}(PyObject* left, PyObject* right{extra}) {{\n"
    if word == "pow":
        text += "  if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;\n"
    suffix = "" if op.name.endswith("_") else "_"
    return text + f"  return left_slot<{slot_kind(op)}>(left, right, {forward(op, suffix)});\n}}\n"


def comparison_function(by_slot: dict[str, Op]) -> str:
    text = "PyObject* slot_compare([[maybe_unused]] PyObject* left, [[maybe_unused]] PyObject* right, int which) {\n"
    text += "  switch (which) {\n"
    for word, constant in COMPARISONS.items():
        op = by_slot.get(f"__{word}__")
        if op:
            text += f"    case {constant}: return left_slot<{slot_kind(op)}>(left, right, {forward(op)});\n"
    return text + "    default: Py_RETURN_NOTIMPLEMENTED;\n  }\n}\n"


def slots_source(ops: list[Op]) -> str:
    """C++ functions, and the array `slots` that lists them."""
    by_slot = {slot: op for op in ops for slot in op.slots}
    has_reciprocal = any(op.name == "reciprocal" for op in ops)
    text = ""
    rows = []
    for word, slot in BINARY.items():
        if f"__{word}__" in by_slot:
            text += binary_function(word, by_slot, has_reciprocal)
            rows.append((slot, f"slot_{word}"))
        if f"__i{word}__" in by_slot:
            text += inplace_function(word, by_slot[f"__i{word}__"])
            rows.append((slot.replace("nb_", "nb_inplace_"), f"slot_i{word}"))
    for word, slot in UNARY.items():
        if f"__{word}__" in by_slot:
            op = by_slot[f"__{word}__"]
            call = f"[](const Tensor& tensor) {{ return ops::{op.name}(tensor); }}"
            helper = "invert_slot" if word == "invert" else "unary_slot"
            text += f"PyObject* slot_{word}(PyObject* self) {{ return {helper}(self, {call}); }}\n"
            rows.append((slot, f"slot_{word}"))
    text += comparison_function(by_slot)
    rows.append(("tp_richcompare", "slot_compare"))
    lines = "".join(f"    {{Py_{slot}, reinterpret_cast<void*>({function})}},\n" for slot, function in rows)
    return f"{text}\nconst PyType_Slot slots[] = {{\n{lines}}};\n"
