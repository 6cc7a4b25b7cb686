"""Spellings: function, method, nn.functional, aliases, in-place and out= forms of an operator agree, refuse alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import onetape as torch
from native.codegen.tables import Op
from tests.golden.plan import SEED
from tests.golden.samples import Array
from tests.python.support import operators as ops
from tests.python.support.operators import CASES, OPERATORS, Golden, parametrize

ONE_DTYPE = ("float64", "int64", "bool", "default")


def one_dtype_a_sample() -> list[Golden]:
    """The plain cases that succeed, for the first dtype that the operator has for it."""
    found: dict[tuple[str, str], Golden] = {}
    for dtype in ONE_DTYPE:
        for case in CASES:
            if case.dtype == dtype and case.succeeds and case.variant == "plain":
                found.setdefault((case.op.id, case.sample), case)
    return list(found.values())


def has_self(case: Golden) -> bool:
    """Is the first argument a tensor, so that there is one to call a method of?"""
    return bool(case.args) and (isinstance(case.args[0], Array) or case.op.self_param is None)


def spellings(case: Golden, name: str | None = None) -> dict[str, Callable[..., Any]]:
    found = ops.spellings(case.op, name)
    return found if has_self(case) else {form: call for form, call in found.items() if form != "method"}


def changing(op: Op, name: str) -> dict[str, Callable[..., Any]]:
    """The in-place spellings of a name."""
    found = {"method": getattr(torch.Tensor, name + "_")}
    if "function" in op.forms and hasattr(torch, name + "_"):
        found["function"] = getattr(torch, name + "_")
    return found


def arguments(case: Golden, leaves: list[torch.Tensor] | None = None) -> tuple[list[Any], dict[str, Any]]:
    torch.manual_seed(SEED)
    return ops.to_onetape(case.args, leaves), ops.to_onetape(case.kwargs, leaves)


@parametrize(one_dtype_a_sample())
def test_spellings(case: Golden) -> None:
    for name in [case.op.name, *case.op.aliases]:
        for form, function in spellings(case, name).items():
            args, kwargs = arguments(case)
            ops.assert_result(function(*args, **kwargs), case.content["result"], case.op, f"{form} {name}")


@parametrize(c for c in one_dtype_a_sample() if c.args)
def test_keywords(case: Golden) -> None:
    """Every argument may be given by its name; functions call the tensor of a method input."""
    names = [p.name for p in case.op.params if not p.keyword_only]
    for form, function in spellings(case).items():
        args, kwargs = arguments(case)
        by_name = dict(zip(names, args, strict=False))
        first = [by_name.pop("self")] if form == "method" else []
        if "self" in by_name:
            by_name["input"] = by_name.pop("self")
        ops.assert_result(function(*first, **by_name, **kwargs), case.content["result"], case.op, form)


@parametrize(c for c in one_dtype_a_sample() if len(c.op.results) > 1)
def test_result_names(case: Golden) -> None:
    args, kwargs = arguments(case)
    result = ops.call(case.op, args, kwargs)
    for place, named in enumerate(case.op.results):
        assert getattr(result, named.name) is result[place]


INPLACE = [c for c in CASES if "inplace" in c.op.forms and c.succeeds and has_self(c)]


@parametrize(INPLACE)
def test_inplace(case: Golden) -> None:
    """The operand becomes the result, in its own dtype; or it is refused in PyTorch's words and nothing changes."""
    for name in [case.op.name, *case.op.aliases]:
        for function in changing(case.op, name).values():
            args, kwargs = arguments(case)
            before = ops.numpy_of(args[0])
            if "inplace_error" in case.content:
                ops.assert_raises(case.content["inplace_error"], lambda: function(*args, **kwargs))  # noqa: B023
                ops.assert_values(ops.numpy_of(args[0]), before, case.dtype, "operand of a refused call", case.op)
                continue
            assert function(*args, **kwargs) is args[0]
            expected = case.content["result"]
            assert list(args[0].shape) == expected["shape"]
            plain = ops.store.elements(expected["data"], expected["tensor"]).reshape(expected["shape"])
            values = ops.numpy_of(torch.from_numpy(plain).to(args[0].dtype))
            ops.assert_values(ops.numpy_of(args[0]), values, ops.dtype_name(args[0]), f"{name}_", case.op)


@parametrize(c for c in INPLACE if "grads" in c.content and c.dtype == "float64" and not c.is_special)
def test_inplace_gradient(case: Golden) -> None:
    """In place on the result of an operator: the same gradients; on a leaf: refused."""
    if "inplace_error" in case.content:
        return
    leaves: list[torch.Tensor] = []
    args, kwargs = arguments(case, leaves)
    function = getattr(torch.Tensor, case.op.name + "_")
    with pytest.raises(RuntimeError, match=r"^a (view of a )?leaf Variable that requires grad is being used in an in"):
        function(*args, **kwargs)
    changed = args[0] * 1
    result = function(changed, *args[1:], **kwargs)
    assert result is changed
    grads = torch.autograd.grad([result], leaves, ops.cotangents([result]), allow_unused=True)
    for place, gradient in enumerate(grads):
        ops.assert_gradient(gradient, case.content["grads"][place], f"gradient of input {place}", case.op)


OUT = [c for c in one_dtype_a_sample() if "out" in c.op.forms]


@parametrize(OUT)
def test_out(case: Golden) -> None:
    """out= gets the result whatever its layout, an empty one is made to fit; it is refused while recording."""
    expected = case.content["result"]
    dtype = getattr(torch, expected["tensor"])
    shape = expected["shape"]
    wide = [*shape[:-1], 2 * shape[-1]] if shape else [2]
    outs = {
        "fitting": torch.zeros(shape, dtype=dtype),
        "empty": torch.empty((0,), dtype=dtype),
        "strided": torch.zeros(wide, dtype=dtype)[..., ::2] if shape else torch.zeros(wide, dtype=dtype)[1],
    }
    function = ops.spellings(case.op)["function"]
    for kind, out in outs.items():
        args, kwargs = arguments(case)
        assert function(*args, **kwargs, out=out) is out
        ops.assert_tensor(out, expected, f"{kind} out", case.op)
    if "grads" in case.content:
        args, kwargs = arguments(case, [])
        line = f"{case.op.name}(): functions with out=... arguments don't support automatic differentiation, "
        line += "but one of the arguments requires grad."
        ops.assert_raises(["RuntimeError", line], lambda: function(*args, **kwargs, out=outs["fitting"]))


# ---- wrong arguments ----

REFERENCE = {case.op.id: case for case in reversed(one_dtype_a_sample()) if has_self(case) or not case.op.self_param}
NO_NUMBER = object()


def wrong_arguments() -> Iterator[Any]:
    """Every operator with each of its parameters given something that no parameter takes."""
    for op in OPERATORS.values():
        if op.id in REFERENCE:
            for param in op.params:
                if param.type != "Options":
                    yield pytest.param(op, param.name, id=f"{op.id}-{param.name}")


@pytest.mark.parametrize(("op", "name"), [*wrong_arguments()])
def test_wrong_type(op: Op, name: str) -> None:
    args, kwargs = arguments(REFERENCE[op.id])
    names = [p.name for p in op.params if not p.keyword_only]
    place = names.index(name) if name in names else -1
    if 0 <= place < len(args):
        args[place] = NO_NUMBER
    else:
        kwargs[name] = NO_NUMBER
    for form, function in ops.spellings(op).items():
        # What is written in Python, as in PyTorch, finds out when it uses the argument.
        with pytest.raises((TypeError, ValueError, AttributeError) if form == "functional" else TypeError):
            function(*args, **kwargs)


@pytest.mark.parametrize("op", [pytest.param(op, id=op.id) for op in OPERATORS.values() if op.id in REFERENCE])
def test_wrong_call(op: Op) -> None:
    """An unknown keyword, an argument given twice, one too many, and one too few."""
    args, kwargs = arguments(REFERENCE[op.id])
    required = [p for p in op.params if not p.optional]
    for form, function in ops.spellings(op).items():
        with pytest.raises(TypeError):
            function(*args, **kwargs, no_such_argument=1)
        with pytest.raises(TypeError):
            function(*args, *[NO_NUMBER] * 12, **kwargs)
        if required and len(OPERATORS_OF[op.name]) == 1 and form != "functional":
            with pytest.raises(TypeError):
                function(*args[: len(required) - 1])


OPERATORS_OF: dict[str, list[Op]] = {}
for each in OPERATORS.values():
    OPERATORS_OF.setdefault(each.name, []).append(each)
