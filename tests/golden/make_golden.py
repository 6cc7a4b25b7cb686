"""Writes the golden files: runs PyTorch on every sample of the operator tables.

    python tests/golden/make_golden.py [FAMILY...]      writes the families' files, all where none is named
    python tests/golden/make_golden.py --check          says which stored values PyTorch would not give now

Needs PyTorch; the tests do without it, since they read the files. Every call starts from the same seed; the version of
PyTorch and the seed stand in each file.
"""

from __future__ import annotations

import argparse
import math
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from native.codegen.tables import Op, load  # noqa: E402
from tests.golden import promotion, store  # noqa: E402
from tests.golden.layouts import LAYOUTS, laid_out, made_contiguous  # noqa: E402
from tests.golden.plan import (  # noqa: E402
    BY_PARTS,
    COMPOSED,
    DENSE_NUMBERS,
    IN_CPP,
    LAYOUT_DTYPES,
    SEED,
    WRONG_LAYOUTS,
    Case,
    is_public,
    plain_cases,
    variants,
)
from tests.golden.samples import COMPLEX, Arguments, Array, DType, SampleError  # noqa: E402

SPREAD = ("broadcast_tensors",)
"""Functions that take the tensors of their list one by one only."""
FIRST_GRADIENTS = ("float32", "float64", "complex128")


def spelling(op: Op) -> Callable[..., Any] | None:
    """PyTorch's function or method of this name; else its C++ function, such as slice."""
    if op.name in SPREAD:
        return lambda tensors: getattr(torch, op.name)(*tensors)
    for form, owner in (("functional", torch.nn.functional), ("function", torch), ("method", torch.Tensor)):
        if form in op.forms and op.name not in IN_CPP and hasattr(owner, op.name):
            return getattr(owner, op.name)
    return getattr(torch.ops.aten, op.name, None)


def inplace_spelling(op: Op) -> Callable[..., Any]:
    name = op.name + "_"
    return getattr(torch.Tensor, name, None) or getattr(torch.nn.functional, name)


# ---- values to and from PyTorch ----


def to_torch(value: Any, leaves: list[torch.Tensor] | None) -> Any:
    """An argument for PyTorch; the leaves that want a gradient are added to the list, if there is one."""
    if isinstance(value, Array):
        # A copy, since PyTorch cannot resize the memory of a NumPy array.
        dense = torch.from_numpy(value.memory.copy()).to(getattr(torch, value.dtype)).clone()
        if value.is_result and leaves is not None and value.is_leaf:
            leaves.append(dense.requires_grad_())
        memory = dense.clone() if value.is_result else dense
        tensor = memory if value.is_dense else torch.as_strided(memory, value.shape, value.strides, value.offset)
        if not value.is_result and leaves is not None and value.is_leaf:
            leaves.append(tensor.requires_grad_())
        return tensor
    if isinstance(value, DType):
        return getattr(torch, value)
    return [to_torch(item, leaves) for item in value] if isinstance(value, (list, tuple)) else value


def dtype_name(tensor: torch.Tensor) -> str:
    return str(tensor.dtype).removeprefix("torch.")


def tensor_data(tensor: torch.Tensor) -> dict[str, Any]:
    name = dtype_name(tensor)
    plain = tensor.detach().resolve_conj().resolve_neg()
    values = (plain.float() if name == "bfloat16" else plain).numpy(force=True)
    return {"tensor": name, "shape": list(tensor.shape), "data": store.numbers(values, name)}


def tensors_in(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    return [t for item in value for t in tensors_in(item)] if isinstance(value, (list, tuple)) else []


def is_view(value: torch.Tensor, given: torch.Tensor) -> bool:
    """Does the result show the memory of the operand as it is?"""
    lazy = value.is_conj() or value.is_neg()
    same_memory = value.untyped_storage().data_ptr() == given.untyped_storage().data_ptr()
    return value.numel() > 0 and same_memory and not lazy


def encode_result(value: Any, inputs: list[torch.Tensor]) -> Any:
    """A result as JSON: for tensors also the graph node's name, and how they share memory with an input."""
    if isinstance(value, (list, tuple)):
        return [encode_result(item, inputs) for item in value]
    if isinstance(value, torch.dtype):
        return {"dtype": str(value).removeprefix("torch.")}
    if not isinstance(value, torch.Tensor):
        return store.encode(value)
    body = tensor_data(value)
    if value.grad_fn is not None:
        name = type(value.grad_fn).__name__
        body["node"] = store.ANY_NODE if name == "NotImplemented" else name
    for place, given in enumerate(inputs):
        if value is given:
            body["is_input"] = place
        elif is_view(value, given):
            body |= {"view_of": place, "stride": list(value.stride()), "offset": value.storage_offset()}
    return body


def encode_error(error: Exception) -> list[str]:
    return [type(error).__name__, (str(error).splitlines() or [""])[0]]


# ---- calls ----


def gradients(results: list[torch.Tensor], leaves: list[torch.Tensor], second: bool) -> dict[str, Any]:
    """Gradients of the results under fixed cotangents; then those of the sum of the squared gradients."""
    outputs = [(place, t) for place, t in enumerate(results) if t.requires_grad]
    if not outputs or not leaves:
        return {}
    on = [torch.from_numpy(store.cotangent(tuple(t.shape), dtype_name(t), place)) for place, t in outputs]
    grads = torch.autograd.grad([t for _, t in outputs], leaves, on, create_graph=second, allow_unused=True)
    found = {"grads": [None if g is None else tensor_data(g) for g in grads]}
    if second:
        squares = [(g * g).sum() for g in grads if g is not None and g.requires_grad]
        try:
            seconds = torch.autograd.grad(squares, leaves, allow_unused=True) if squares else [None] * len(leaves)
            found["second"] = [None if g is None else tensor_data(g) for g in seconds]
        except (RuntimeError, NotImplementedError) as error:
            found["second_error"] = encode_error(error)
    return found


def run(
    call: Callable[..., Any], args: Any, kwargs: Any, leaves: list[torch.Tensor] | None, second: bool
) -> dict[str, Any]:
    """The result, its gradients where leaves are wanted, or the error."""
    args = to_torch(args, leaves)
    kwargs = {key: to_torch(value, leaves) for key, value in kwargs.items()}
    torch.manual_seed(SEED)
    try:
        result = call(*args, **kwargs)
    except Exception as error:
        return {"error": encode_error(error)}
    found = {"result": encode_result(result, tensors_in([*args, *kwargs.values()]))}
    if leaves:
        try:
            found |= gradients(tensors_in(result), leaves, second)
        except (RuntimeError, NotImplementedError) as error:
            found["grads_error"] = encode_error(error)
    return found


def values_of(answered: Any) -> Any:
    """An answer without what says how results share memory with operands."""
    if isinstance(answered, dict):
        kept = answered.keys() - {"is_input", "view_of", "stride", "offset", "node"}
        return {key: values_of(answered[key]) for key in answered if key in kept}
    return [values_of(item) for item in answered] if isinstance(answered, list) else answered


def layout_differences(call: Callable[..., Any], arguments: Arguments) -> dict[str, Any]:
    """Layout -> what PyTorch does with operands in it, where that differs from operands in row-major order."""
    found = {}
    for layout in LAYOUTS:
        args, kwargs = laid_out((arguments.args, arguments.kwargs), layout)
        answered = values_of(run(call, args, kwargs, None, False))
        plain = values_of(run(call, made_contiguous(args), made_contiguous(kwargs), None, False))
        if not same(answered, plain):
            found[layout] = answered
    return {"layouts": found} if found else {}


def answer(case: Case, call: Callable[..., Any]) -> dict[str, Any]:
    """What PyTorch does with a case."""
    arguments = case.arguments()
    dtypes = {a.dtype for a in arguments.arrays() if a.differentiable}
    with_gradients = bool(dtypes & set(FIRST_GRADIENTS)) and case.variant != "mixed"
    found = run(call, arguments.args, arguments.kwargs, [] if with_gradients else None, case.dtype == "float64")
    if "error" in found and with_gradients:
        found = {**run(call, arguments.args, arguments.kwargs, None, False), "unrecorded": True}
    if "error" in found:
        return found
    composed = case.op.name in COMPOSED or (case.op.name in BY_PARTS and case.dtype in COMPLEX)
    results = found["result"] if isinstance(found["result"], list) else [found["result"]]
    for result in results if composed else []:
        if isinstance(result, dict) and "node" in result:
            result["node"] = store.ANY_NODE
    if "inplace" in case.op.forms:
        changed = run(inplace_spelling(case.op), arguments.args, arguments.kwargs, None, False)
        found |= {"inplace_error": changed["error"]} if "error" in changed else {}
    right = case.op.name not in WRONG_LAYOUTS and case.op.id not in DENSE_NUMBERS
    if case.variant == "plain" and case.dtype in LAYOUT_DTYPES and right:
        found |= layout_differences(call, arguments)
    return found


def shape_of(answered: dict[str, Any]) -> list[int] | None:
    result = answered.get("result")
    return result["shape"] if isinstance(result, dict) and "shape" in result else None


def cases_of(op: Op, call: Callable[..., Any]) -> list[dict[str, Any]]:
    stored = []

    def add(case: Case) -> dict[str, Any]:
        arguments = case.arguments()
        entry = {"sample": case.sample, "variant": case.variant, "dtype": case.dtype}
        answered = answer(case, call)
        if not case.declared and "error" not in answered:
            wider = case.may_be_wider or "is_input" in answered["result"]
            kept = {"result": answered["result"]} if wider else {}
            answered = {"undeclared": True, **kept}
        stored.append({**entry, "args": store.encode(arguments.args),
                       "kwargs": {k: store.encode(v) for k, v in arguments.kwargs.items()}, **answered})  # fmt: skip
        return answered

    first, named = None, False
    for case in plain_cases(op):
        answered = add(case)
        if case.sample == op.samples[0] and "result" in answered:
            first = first or (shape_of(answered), [list(a.shape) for a in case.arguments().values])
        if not named and "result" in answered:
            check_names(op, call, case)
            named = True
    # Where the result has the values' shape, the operator may work on any shape.
    if first and first[1] and first[0] == first[1][0] and 0 not in first[0]:
        for case in variants(op):
            add(case)
    return stored


def check_names(op: Op, call: Callable[..., Any], case: Case) -> None:
    """Warns where PyTorch does not know the table's names of the arguments."""
    arguments = case.arguments()
    args = to_torch(arguments.args, None)
    names = [p.name for p in op.params if not p.keyword_only]
    by_name = dict(zip(names, args, strict=False))
    if "self" in by_name and op.self_param is None:
        by_name["input"] = by_name.pop("self")
    first = [by_name.pop("self")] if "self" in by_name else []
    kwargs = {key: to_torch(value, None) for key, value in arguments.kwargs.items()}
    try:
        call(*first, **by_name, **kwargs)
    except (TypeError, RuntimeError) as error:  # the latter from a function of its C++ side
        print(f"{op.file}:{op.line}: {op.id}: names of arguments: {error}", file=sys.stderr)


def content_of(ops: list[Op]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for op in ops:
        call = spelling(op)
        found[op.id] = store.facts_of(op)
        try:
            found[op.id] |= {"cases": cases_of(op, call)} if call else {"absent": True, "cases": []}
        except SampleError as error:
            sys.exit(f"{op.file}:{op.line}: {error}")
    return {"torch": torch.__version__.split("+")[0], "seed": SEED, "ops": found}


# ---- comparison with what is stored ----


def same(a: Any, b: Any) -> bool:
    """Equal but for the last digits, in which processors differ."""
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-3, abs_tol=1e-5) or (math.isnan(a) and math.isnan(b))
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    return a == b


def differences(stored: dict[str, Any], now: dict[str, Any]) -> list[str]:
    lines = [f"{op_id}: stored, but not in the table" for op_id in stored["ops"].keys() - now["ops"].keys()]
    for op_id, op in now["ops"].items():
        old = stored["ops"].get(op_id, {"cases": []})
        known = {(c["sample"], c["variant"], c["dtype"]): c for c in old["cases"]}
        if not same({**old, "cases": 0}, {**op, "cases": 0}):
            lines.append(f"{op_id}: the signature has changed")
        for case in op["cases"]:
            key = (case["sample"], case["variant"], case["dtype"])
            if not same(known.pop(key, None), case):
                lines.append(f"{op_id}({key[0]}), {key[1]}, {key[2]}")
        lines += [f"{op_id}({key[0]}), {key[1]}, {key[2]}: no such case any more" for key in known]
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("families", nargs="*", help="names of tables without .ops")
    parser.add_argument("--check", action="store_true", help="compare and write nothing")
    options = parser.parse_args()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    families: dict[str, list[Op]] = {}
    for op in load(ROOT / "native" / "ops"):
        families.setdefault(op.family, [])
        if is_public(op):
            families[op.family].append(op)
    wrong = 0
    for family in options.families or families:
        now = content_of(families[family])
        if options.check:
            lines = differences(store.read(family), now)
            print("\n".join(f"{family}: {line}" for line in lines), end="\n" if lines else "")
            wrong += len(lines)
        else:
            store.write(family, now)
            cases = sum(len(op["cases"]) for op in now["ops"].values())
            size = store.path_of(family).stat().st_size
            print(f"{family}: {len(now['ops'])} operators, {cases} cases, {size} bytes")
    if not options.families and not options.check:
        promotion.write(torch)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
