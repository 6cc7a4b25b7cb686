"""Differentiation: gradients of tensors with respect to those they were made from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import onetape._C as _C
from onetape._C import Tensor
from onetape.autograd import function, grad_mode, graph
from onetape.autograd.function import Function
from onetape.autograd.grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled
from onetape.autograd.gradcheck import gradcheck, gradgradcheck

__all__ = [
    "Function",
    "backward",
    "enable_grad",
    "function",
    "grad",
    "grad_mode",
    "gradcheck",
    "gradgradcheck",
    "graph",
    "inference_mode",
    "no_grad",
    "set_grad_enabled",
]

_Tensors: TypeAlias = Tensor | Sequence[Tensor]


def _tuple(tensors: _Tensors | None) -> tuple[Tensor, ...]:
    if tensors is None:
        return ()
    return (tensors,) if isinstance(tensors, Tensor) else tuple(tensors)


def _gradients(
    tensors: tuple[Tensor, ...], given: Tensor | Sequence[Tensor | None] | None
) -> tuple[Tensor | None, ...]:
    if given is None:
        return (None,) * len(tensors)
    gradients = (given,) if isinstance(given, Tensor) else tuple(given)
    if len(gradients) != len(tensors):
        raise RuntimeError(f"got {len(tensors)} tensors and {len(gradients)} gradients")
    return gradients


def backward(
    tensors: _Tensors,
    grad_tensors: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Tensor | Sequence[Tensor | None] | None = None,
    inputs: _Tensors | None = None,
) -> None:
    """Adds the gradients of the tensors, each multiplied with its grad_tensor, to .grad of the leaves or of inputs."""
    if inputs is not None and not isinstance(inputs, Tensor) and len(inputs) == 0:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    roots = _tuple(tensors)
    gradients = _gradients(roots, grad_tensors if grad_tensors is not None else grad_variables)
    retain = create_graph if retain_graph is None else retain_graph
    _C._backward(roots, gradients, retain, create_graph, _tuple(inputs))


def grad(
    outputs: _Tensors,
    inputs: _Tensors,
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor, ...]:
    """The gradients of the outputs, summed, with respect to the inputs; no .grad is changed.

    allow_unused: None for an input that the outputs do not depend on, instead of an error.
    materialize_grads: zeros for such an input.
    """
    if is_grads_batched:
        raise NotImplementedError("is_grads_batched is not supported; call grad() once a row instead")
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
        )
    roots = _tuple(outputs)
    leaves = _tuple(inputs)
    retain = create_graph if retain_graph is None else retain_graph
    unused = bool(allow_unused) or materialize_grads
    result: tuple[Tensor, ...] = _C._grad(roots, leaves, _gradients(roots, grad_outputs), retain, create_graph, unused)
    if materialize_grads:
        result = tuple(_C.zeros_like(x) if g is None else g for g, x in zip(result, leaves, strict=True))
    return result
