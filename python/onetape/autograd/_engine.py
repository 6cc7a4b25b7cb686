"""Calls of the engine: backward() and grad()."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import onetape._C as _C
from onetape._C import Tensor
from onetape.autograd.graph import GradientEdge, get_gradient_edge

__all__ = ["backward", "grad"]

_Tensors: TypeAlias = Tensor | Sequence[Tensor]
_Gradients: TypeAlias = Tensor | Sequence[Tensor | None] | None


def _tuple(tensors: _Tensors | None) -> tuple[Tensor, ...]:
    if tensors is None:
        return ()
    if isinstance(tensors, (Tensor, GradientEdge)):
        return (tensors,)
    return tuple(tensors)


def _edges(inputs: tuple[Any, ...]) -> tuple[GradientEdge, ...]:
    """All inputs as edges if one of them is; else none."""
    if not any(isinstance(x, GradientEdge) for x in inputs):
        return ()
    return tuple(x if isinstance(x, GradientEdge) else get_gradient_edge(x) for x in inputs)


def _gradients(tensors: tuple[Tensor, ...], given: _Gradients) -> tuple[Tensor | None, ...]:
    if given is None:
        return (None,) * len(tensors)
    gradients = (given,) if isinstance(given, Tensor) else tuple(given)
    if len(gradients) != len(tensors):
        raise RuntimeError(f"got {len(tensors)} tensors and {len(gradients)} gradients")
    return gradients


def backward(
    tensors: _Tensors,
    grad_tensors: _Gradients = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: _Gradients = None,
    inputs: _Tensors | None = None,
) -> None:
    """Adds the gradients of the tensors, each multiplied with its grad_tensor, to .grad of the leaves or of inputs."""
    if inputs is not None and not isinstance(inputs, Tensor) and len(inputs) == 0:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    roots = _tuple(tensors)
    gradients = _gradients(roots, grad_tensors if grad_tensors is not None else grad_variables)
    retain = create_graph if retain_graph is None else retain_graph
    _C._backward(roots, gradients, retain, create_graph, _tuple(inputs))


def _batch_size(roots: tuple[Tensor, ...], batches: tuple[Tensor | None, ...]) -> int:
    """How many rows there are, after checks."""
    sizes = []
    for index, (root, batch) in enumerate(zip(roots, batches, strict=True)):
        if batch is None or batch.dim() == 0:
            raise ValueError(
                "vmap(vjp, in_dims=0, ...)(<inputs>): Got in_dim=0 for some input, but that input is a Tensor of "
                "dimensionality 0 so expected in_dim to satisfy 0 <= in_dim < 0."
            )
        if batch.shape[1:] != root.shape:
            raise RuntimeError(
                "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch "
                "dimension. The sizes of the remaining dimensions are expected to match the shape of corresponding "
                f"output, but a mismatch was detected: grad_output[{index}] has a shape of {batch.shape} and "
                f"output[{index}] has a shape "
                f"of {root.shape}. If you only want some tensors in `grad_output` to be considered batched, consider "
                "using vmap."
            )
        sizes.append(batch.shape[0])
    if len(set(sizes)) > 1:
        raise ValueError(
            f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sizes} for the "
            "mapped dimension"
        )
    return sizes[0] if sizes else 0


def _batched_grad(
    roots: tuple[Tensor, ...],
    leaves: tuple[Tensor, ...],
    batches: tuple[Tensor | None, ...],
    retain: bool,
    create_graph: bool,
    unused: bool,
) -> tuple[Tensor | None, ...]:
    """A backward pass a row; the rows' gradients stacked."""
    size = _batch_size(roots, batches)
    rows = []
    for i in range(size):
        gradients = tuple(None if batch is None else batch[i] for batch in batches)
        keep = retain or i + 1 < size
        rows.append(_C._grad(roots, leaves, gradients, keep, create_graph, unused))
    if not rows:
        return tuple(x.new_zeros((0, *x.shape)) for x in leaves)
    return tuple(None if column[0] is None else _C.stack(column) for column in zip(*rows, strict=True))


def grad(
    outputs: _Tensors,
    inputs: _Tensors,
    grad_outputs: _Gradients = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor, ...]:
    """The gradients of the outputs, summed, with respect to the inputs; no .grad is changed.

    grad_outputs: what the outputs' gradients are multiplied with; None for 1, where an output is one number.
    retain_graph: the graph can be used again; as create_graph if None.
    create_graph: the gradients can be differentiated.
    allow_unused: None for an input that the outputs do not depend on, instead of an error.
    is_grads_batched: every grad_output has a further dimension in front, and so has every result: one backward pass a
        row, one after the other.
    materialize_grads: zeros for an input that the outputs do not depend on.

    Raises RuntimeError for grad_outputs of other shapes, unused inputs, graphs that were freed; ValueError for
    options that do not go together.
    """
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
        )
    roots = _tuple(outputs)
    leaves = _tuple(inputs)
    retain = create_graph if retain_graph is None else retain_graph
    unused = bool(allow_unused) or materialize_grads
    gradients = _gradients(roots, grad_outputs)
    result: Any
    if edges := _edges(leaves):
        if is_grads_batched:
            raise NotImplementedError("is_grads_batched does not go together with gradient edges")
        result = _C._grad_at(roots, edges, gradients, retain, create_graph, unused)
    else:
        run = _batched_grad if is_grads_batched else _C._grad
        result = run(roots, leaves, gradients, retain, create_graph, unused)
    if materialize_grads:
        result = tuple(_C.zeros_like(x) if g is None else g for g, x in zip(result, leaves, strict=True))
    return tuple(result)
