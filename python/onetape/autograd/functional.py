"""Jacobians, Hessians and their products with vectors, of functions from tensors to tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import onetape._C as _C
from onetape._C import Tensor, is_grad_enabled
from onetape.autograd import forward_ad
from onetape.autograd._vectors import (
    OUTPUTS,
    Grads,
    as_tuple,
    check_depends,
    check_number,
    filled,
    fresh,
    gradients_of,
    input_vector,
    plain,
    unpacked,
    vector_of,
)
from onetape.autograd.grad_mode import enable_grad, set_grad_enabled

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

Tensors: TypeAlias = Tensor | tuple[Tensor, ...]

# ---- products ----


def vjp(
    func: Callable[..., Any],
    inputs: Tensors,
    v: Tensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """The outputs of func(*inputs), and v times the Jacobian.

    v: of the outputs' shapes; None where the output is one number.
    create_graph: outputs and products can be differentiated with respect to the inputs.
    strict: RuntimeError, instead of zeros, for an input that the outputs do not depend on.

    Raises TypeError for what is not a tensor, RuntimeError for a v that does not fit.
    """
    with enable_grad():
        is_tuple, given = as_tuple(inputs, "inputs", "vjp")
        leaves = fresh(given, create_graph, True)
        several, outputs = as_tuple(func(*leaves), OUTPUTS, "vjp")
        check_depends(outputs, "outputs", strict)
        vector = None
        if v is not None:
            vector = vector_of(v, "vjp", outputs, several, create_graph)
        elif len(outputs) != 1 or outputs[0].numel() != 1:
            raise RuntimeError(
                "The vector v can only be None if the user-provided function returns a single Tensor with a single "
                "element."
            )
    with set_grad_enabled(create_graph or is_grad_enabled()):
        grads = gradients_of(outputs, leaves, vector, create_graph)
        product = filled(grads, leaves, strict, create_graph, "back")
    return unpacked(plain(outputs, create_graph), several), unpacked(plain(product, create_graph), is_tuple)


def jvp(
    func: Callable[..., Any],
    inputs: Tensors,
    v: Tensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """The outputs of func(*inputs), and the Jacobian times v, by differentiating the vector-Jacobian product.

    v: of the inputs' shapes; None where the input is one number. For the rest see vjp(). onetape.func.jvp does the same
    in forward mode, in one pass.
    """
    with enable_grad():
        is_tuple, given = as_tuple(inputs, "inputs", "jvp")
        leaves = fresh(given, create_graph, True)
        vector = input_vector(v, "jvp", leaves, is_tuple, create_graph)
        several, outputs = as_tuple(func(*leaves), OUTPUTS, "jvp")
        check_depends(outputs, "outputs", strict)
        probes = tuple(_C.zeros_like(y).requires_grad_() for y in outputs)
        gradients = gradients_of(outputs, leaves, probes, create_graph=True)
        check_depends(gradients, "grad_inputs", strict)
    with set_grad_enabled(create_graph or is_grad_enabled()):
        grads = gradients_of(gradients, probes, vector, create_graph)
        product = filled(grads, outputs, strict, create_graph, "back_trick")
    return unpacked(plain(outputs, create_graph), several), unpacked(plain(product, create_graph), several)


def _number_and_gradient(
    func: Callable[..., Any], leaves: tuple[Tensor, ...], function: str, strict: bool
) -> tuple[tuple[Tensor, ...], Grads]:
    several, outputs = as_tuple(func(*leaves), OUTPUTS, function)
    check_depends(outputs, "outputs", strict)
    check_number(outputs, several, function)
    gradients = gradients_of(outputs, leaves, create_graph=True)
    check_depends(gradients, "jacobian", strict)
    return outputs, gradients


def vhp(
    func: Callable[..., Any],
    inputs: Tensors,
    v: Tensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """The number func(*inputs), and v times the Hessian.

    v: of the inputs' shapes; None where the input is one number. For the rest see vjp().
    """
    with enable_grad():
        is_tuple, given = as_tuple(inputs, "inputs", "vhp")
        leaves = fresh(given, create_graph, True)
        vector = input_vector(v, "vhp", leaves, is_tuple, create_graph)
        outputs, gradients = _number_and_gradient(func, leaves, "vhp", strict)
    with set_grad_enabled(create_graph or is_grad_enabled()):
        grads = gradients_of(gradients, leaves, vector, create_graph)
        product = filled(grads, leaves, strict, create_graph, "double_back")
    return plain(outputs, create_graph)[0], unpacked(plain(product, create_graph), is_tuple)


def hvp(
    func: Callable[..., Any],
    inputs: Tensors,
    v: Tensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """The number func(*inputs), and the Hessian times v.

    Where the Hessian is symmetric vhp() gives the same and takes one backward pass less. v as there.
    """
    with enable_grad():
        is_tuple, given = as_tuple(inputs, "inputs", "hvp")
        leaves = fresh(given, create_graph, True)
        vector = input_vector(v, "hvp", leaves, is_tuple, create_graph)
        outputs, gradients = _number_and_gradient(func, leaves, "hvp", strict)
        probes = tuple(_C.zeros_like(x).requires_grad_() for x in leaves)
        seconds = gradients_of(gradients, leaves, probes, create_graph=True)
        check_depends(gradients, "hessian", strict)
    with set_grad_enabled(create_graph or is_grad_enabled()):
        grads = gradients_of(seconds, probes, vector, create_graph)
        product = filled(grads, leaves, strict, create_graph, "double_back_trick")
    return plain(outputs, create_graph)[0], unpacked(plain(product, create_graph), is_tuple)


# ---- whole matrices ----


def _nested(rows: list[tuple[Tensor, ...]], several: bool, is_tuple: bool) -> Any:
    """A row for each output with a part for each input, without the tuples that the caller has not."""
    return unpacked(tuple(unpacked(row, is_tuple) for row in rows), several)


def _row(
    element: Tensor, leaves: tuple[Tensor, ...], output: int, create_graph: bool, strict: bool
) -> tuple[Tensor, ...]:
    grads = gradients_of((element,), leaves, create_graph=create_graph, retain_graph=True)
    for index, g in enumerate(grads if strict else ()):
        if g is None:
            raise RuntimeError(
                f"Output {output} of the user-provided function is independent of input {index}. This is not allowed "
                "in strict mode."
            )
        if create_graph and not g.requires_grad:
            raise RuntimeError(
                f"The jacobian of the user-provided function is independent of input {output}. This is not allowed in "
                "strict mode when create_graph=True."
            )
    return tuple(_C.zeros_like(x) if g is None else g for g, x in zip(grads, leaves, strict=True))


def _reverse_jacobian(func: Callable[..., Any], inputs: Tensors, create_graph: bool, strict: bool, batch: bool) -> Any:
    with enable_grad():
        is_tuple, given = as_tuple(inputs, "inputs", "jacobian")
        leaves = fresh(given, create_graph, True)
        several, outputs = as_tuple(func(*leaves), OUTPUTS, "jacobian")
        check_depends(outputs, "outputs", strict)
        if batch and strict:
            raise RuntimeError(
                "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported together. "
                "Please either set `strict=False` or `vectorize=False`."
            )
        jacobian = []
        for i, y in enumerate(outputs):
            flat = y.reshape(-1)
            rows = [_row(flat[j], leaves, i, create_graph, strict) for j in range(flat.numel())]
            if batch and not rows:
                parts = tuple(y.new_zeros((*y.shape, *x.shape)) for x in leaves)
            else:
                columns = zip(*rows, strict=True) if rows else ((),) * len(leaves)
                parts = tuple(_C.stack(c).view((*y.shape, *x.shape)) for c, x in zip(columns, leaves, strict=True))
            jacobian.append(plain(parts, create_graph))
    return _nested(jacobian, several, is_tuple)


def _basis(x: Tensor) -> Tensor:
    """The unit vectors of x's space: x.numel() tensors like x, stacked."""
    return _C.eye(x.numel(), dtype=x.dtype).view((x.numel(), *x.shape))


def _forward_jacobian(func: Callable[..., Any], inputs: Tensors) -> Any:
    is_tuple, given = as_tuple(inputs, "inputs", "jacobian")
    zeros = [_C.zeros_like(x) for x in given]
    columns: list[list[list[Tensor]]] = [[] for _ in given]  # input, its element, output
    several, shapes = False, []
    for k, x in enumerate(given):
        for unit in _basis(x):
            with forward_ad.dual_level():
                tangents = (*zeros[:k], unit, *zeros[k + 1 :])
                duals = [forward_ad.make_dual(p, t) for p, t in zip(given, tangents, strict=True)]
                several, outputs = as_tuple(func(*duals), "outputs", "jacobian")
                pairs = [forward_ad.unpack_dual(y) for y in outputs]
                shapes = [y.shape for y in outputs]
                columns[k].append([_C.zeros_like(p) if t is None else t for p, t in pairs])
    if not shapes:
        raise RuntimeError('torch.autograd.functional.jacobian: `strategy="forward-mode"` needs an input with elements')
    jacobian = []
    for i, shape in enumerate(shapes):
        parts = []
        for k, x in enumerate(given):
            column = [outputs[i] for outputs in columns[k]]
            part = _C.stack(column, -1) if column else x.new_zeros((*shape, 0))
            parts.append(part.reshape((*shape, *x.shape)))
        jacobian.append(tuple(parts))
    return _nested(jacobian, several, is_tuple)


def jacobian(
    func: Callable[..., Any],
    inputs: Tensors,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """The Jacobian of func at the inputs.

    For one output and one input a tensor of shape (*output.shape, *input.shape); where func returns a tuple, a tuple of
    them, one an output, and where inputs is a tuple, each a tuple, one an input.

    create_graph, strict: as in vjp().
    vectorize: accepted as in PyTorch; the rows (or columns) are computed one after the other all the same.
    strategy: "reverse-mode" for a backward pass a row, "forward-mode" for a forward pass a column, which is better
        where there are fewer inputs than outputs, and needs vectorize=True, create_graph=False and strict=False.

    Raises TypeError for what is not a tensor, AssertionError for another strategy, NotImplementedError or
    RuntimeError for options that do not go together, RuntimeError in strict mode for independent inputs.
    """
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function has more outputs '
            'than inputs, "forward-mode" tends to be more performant. Otherwise, prefer to use "reverse-mode".'
        )
    if strategy == "reverse-mode":
        return _reverse_jacobian(func, inputs, create_graph, strict, vectorize)
    head = "torch.autograd.functional.jacobian:"
    if create_graph:
        raise NotImplementedError(
            f'{head} `create_graph=True` and `strategy="forward-mode"` are not supported together (yet). Please either '
            'set `create_graph=False` or `strategy="reverse-mode"`.'
        )
    if strict:
        raise RuntimeError(
            f'{head} `strict=True` and `strategy="forward-mode"` are not supported together (yet). Please either set '
            '`strict=False` or `strategy="reverse-mode"`.'
        )
    as_tuple(inputs, "inputs", "jacobian")
    if not vectorize:
        raise NotImplementedError(
            "Computing Jacobian using forward-AD or forward-over-reverse Hessian isonly implemented for "
            "`vectorize=True`."
        )
    return _forward_jacobian(func, inputs)


def hessian(
    func: Callable[..., Any],
    inputs: Tensors,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """The Hessian of func, which returns one number, at the inputs: the Jacobian of its gradient.

    A tensor of shape (*input.shape, *input.shape); where inputs is a tuple, a tuple of tuples of them. The options are
    those of jacobian(), outer_jacobian_strategy the strategy for the gradient's Jacobian.
    """
    is_tuple, given = as_tuple(inputs, "inputs", "hessian")
    if outer_jacobian_strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')

    def number(*values: Tensor) -> Tensor:
        several, outputs = as_tuple(func(*values), OUTPUTS, "hessian")
        check_depends(outputs, "outputs", strict)
        check_number(outputs, several, "hessian")
        return outputs[0].squeeze()

    def gradient(*values: Tensor) -> tuple[Tensor, ...]:
        if outer_jacobian_strategy == "forward-mode":
            values = tuple(x.requires_grad_() for x in values)  # or jacobian() would leave their tangents behind
        rows: tuple[Tensor, ...] = jacobian(number, values, create_graph=True)
        check_depends(rows, "jacobian", strict)
        return rows

    result = jacobian(gradient, given, create_graph, strict, vectorize, outer_jacobian_strategy)
    return _nested(list(result), is_tuple, is_tuple)
