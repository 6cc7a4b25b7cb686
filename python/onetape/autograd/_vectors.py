"""Inputs, outputs and vectors of the functions in functional.py, with their checks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import onetape._C as _C
from onetape._C import Tensor
from onetape.autograd._engine import grad

__all__: list[str] = []

Grads: TypeAlias = tuple[Tensor | None, ...]

OUTPUTS = "outputs of the user-provided function"
_UNUSED = {
    "back": "The output of the user-provided function is independent of input {}. This is not allowed in strict mode.",
    "back_trick": "The gradient with respect to the input is independent of entry {} in the grad_outputs when using "
    "the double backward trick to compute forward mode gradients. This is not allowed in strict mode.",
    "double_back": "The jacobian of the user-provided function is independent of input {}. This is not allowed in "
    "strict mode.",
    "double_back_trick": "The hessian of the user-provided function is independent of entry {} in the grad_jacobian. "
    "This is not allowed in strict mode as it prevents from using the double backward trick to replace forward mode "
    "AD.",
}
_CONSTANT = {
    "outputs": "Output {} of the user-provided function does not require gradients. The outputs must be computed in a "
    "differentiable manner from the input when running in strict mode.",
    "grad_inputs": "The gradient with respect to input {} is independent of the inputs of the user-provided function. "
    "This is not allowed in strict mode.",
    "jacobian": "While computing the hessian, found that the jacobian of the user-provided function with respect to "
    "input {} is independent of the input. This is not allowed in strict mode. You should ensure that your function is "
    "twice differentiable and that the jacobian depends on the inputs (this would be violated by a linear function for "
    "example).",
    "hessian": "The hessian of the user-provided function with respect to input {} is independent of the input. This "
    "is not allowed in strict mode. You should ensure that your function is thrice differentiable and that the hessian "
    "depends on the inputs.",
}


# ---- what goes in and comes out ----


def as_tuple(value: Any, what: str, function: str) -> tuple[bool, tuple[Tensor, ...]]:
    """Whether it is a tuple, and as a tuple."""
    items = value if isinstance(value, tuple) else (value,)
    for index, item in enumerate(items):
        if not isinstance(item, Tensor):
            where = f"value at index {index}" if isinstance(value, tuple) else f"given {what}"
            raise TypeError(
                f"The {what} given to {function} must be either a Tensor or a tuple of Tensors but the {where} has "
                f"type {type(item)}."
            )
    return isinstance(value, tuple), items


def fresh(inputs: tuple[Tensor, ...], create_graph: bool, requires_grad: bool) -> tuple[Tensor, ...]:
    """Tensors that only this call knows, so that what func uses otherwise is not taken for its inputs."""
    return tuple(
        x.view_as(x) if create_graph and x.requires_grad else x.detach().requires_grad_(requires_grad) for x in inputs
    )


def plain(results: tuple[Tensor, ...], create_graph: bool) -> tuple[Tensor, ...]:
    return results if create_graph else tuple(t.detach() for t in results)


def unpacked(results: tuple[Any, ...], is_tuple: bool) -> Any:
    return results if is_tuple else results[0]


def vector_of(
    v: Any, function: str, like: tuple[Tensor, ...], is_tuple: bool, create_graph: bool
) -> tuple[Tensor, ...]:
    vector = fresh(as_tuple(v, "v", function)[1], create_graph, False)
    if len(vector) != len(like):
        raise RuntimeError(
            f"v is a tuple of invalid length: should be {len(like)} but got {len(vector)}."
            if is_tuple
            else "The given v should contain a single Tensor."
        )
    for index, (one, other) in enumerate(zip(vector, like, strict=True)):
        if one.size() != other.size():
            place = f"Entry {index} in " if is_tuple else ""
            raise RuntimeError(f"{place}v has invalid size: should be {other.size()} but got {one.size()}.")
    return vector


def input_vector(
    v: Any, function: str, inputs: tuple[Tensor, ...], is_tuple: bool, create_graph: bool
) -> tuple[Tensor, ...] | None:
    if v is not None:
        return vector_of(v, function, inputs, is_tuple, create_graph)
    if len(inputs) != 1 or inputs[0].numel() != 1:
        raise RuntimeError(
            "The vector v can only be None if the input to the user-provided function is a single Tensor with a single "
            "element."
        )
    return None


def check_depends(tensors: Grads, kind: str, strict: bool) -> None:
    for index, t in enumerate(tensors if strict else ()):
        if t is None:
            raise RuntimeError(_UNUSED["back"].format(index))
        if not t.requires_grad:
            raise RuntimeError(_CONSTANT[kind].format(index))


def gradients_of(
    outputs: Grads,
    inputs: tuple[Tensor, ...],
    vector: Sequence[Tensor | None] | None = None,
    create_graph: bool = False,
    retain_graph: bool | None = None,
) -> Grads:
    """grad() that passes over outputs without a gradient."""
    given = vector if vector is not None else (None,) * len(outputs)
    pairs = [(y, v) for y, v in zip(outputs, given, strict=True) if y is not None and y.requires_grad]
    if not pairs:
        return (None,) * len(inputs)
    ys, vs = zip(*pairs, strict=True)
    return grad(ys, inputs, vs, allow_unused=True, create_graph=create_graph, retain_graph=retain_graph)


def filled(grads: Grads, like: tuple[Tensor, ...], strict: bool, create_graph: bool, stage: str) -> tuple[Tensor, ...]:
    """Zeros for None; in strict mode an error instead."""
    for index, g in enumerate(grads if strict else ()):
        if g is None:
            raise RuntimeError(_UNUSED[stage].format(index))
        if create_graph and not g.requires_grad:
            what = "hessian" if "double" in stage else "jacobian"
            raise RuntimeError(
                f"The {what} of the user-provided function is independent of input {index}. This is not allowed in "
                "strict mode when create_graph=True."
            )
    return tuple(_C.zeros_like(x) if g is None else g for g, x in zip(grads, like, strict=True))


def check_number(outputs: tuple[Tensor, ...], is_tuple: bool, function: str) -> None:
    if is_tuple:
        raise RuntimeError(f"The function given to {function} should return a single Tensor")
    if outputs[0].numel() != 1:
        raise RuntimeError(f"The Tensor returned by the function given to {function} should contain a single element")
