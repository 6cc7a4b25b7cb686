"""jacrev, jacfwd, hessian."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from onetape import _C
from onetape._C import Tensor
from onetape._tree import flatten, leaves
from onetape.func._arguments import Argnums, check_real, chosen, replaced
from onetape.func._transforms import jvp, vjp_of

__all__ = ["hessian", "jacfwd", "jacrev"]


def _units(tensors: list[Tensor]) -> list[list[Tensor]]:
    """The unit vectors of the space that the tensors span together."""
    vectors = []
    for k, x in enumerate(tensors):
        for unit in _C.eye(x.numel(), dtype=x.dtype):
            vectors.append([unit.view(x.shape) if i == k else _C.zeros_like(y) for i, y in enumerate(tensors)])
    return vectors


def _stacked(rows: list[Tensor], like: Tensor, dim: int, shape: tuple[int, ...]) -> Tensor:
    return (_C.stack(rows, dim) if rows else like.new_zeros(shape)).reshape(shape)


def jacrev(
    func: Callable[..., Any],
    argnums: Argnums = 0,
    *,
    has_aux: bool = False,
    chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Callable[..., Any]:
    """The function that computes the Jacobian of func by one backward pass for each element of its results.

    The Jacobian has, for each output, of the shape (*output.shape, *input.shape), a part for each input; both in the
    structure that the function's result and the argument have, and for a tuple of argnums a tuple.
    has_aux: func returns a pair, and the result is (jacobian, aux).
    chunk_size: how many rows PyTorch computes at once; here they are computed one after the other.

    Raises RuntimeError for complex tensors and for argnums that there are not, ValueError for a chunk_size below 1.
    """
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    @functools.wraps(func)
    def wrapped(*args: Any) -> Any:
        check_real(args, "jacrev", "inputs")
        result = vjp_of(func, args, argnums, has_aux)
        outputs, structure = flatten(result[0])
        check_real(outputs, "jacrev", "outputs")
        inputs, tree = flatten(chosen(args, argnums))
        rows = [leaves(result[1](structure.unflatten(unit))) for unit in _units(outputs)]
        parts, start = [], 0
        for y in outputs:
            own = rows[start : start + y.numel()]
            start += y.numel()
            columns = [[row[k] for row in own] for k in range(len(inputs))]
            parts.append(
                tree.unflatten(
                    [_stacked(column, x, 0, (*y.shape, *x.shape)) for column, x in zip(columns, inputs, strict=True)]
                )
            )
        jacobian = structure.unflatten(parts)
        return (jacobian, result[2]) if has_aux else jacobian

    return wrapped


def jacfwd(
    func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False, *, randomness: str = "error"
) -> Callable[..., Any]:
    """The function that computes the Jacobian of func by one forward pass for each element of the chosen arguments.

    It gives what jacrev gives, faster where there are fewer inputs than outputs. func runs anew for each pass, so one
    that draws random numbers draws others each time; randomness is accepted as in PyTorch, and only "different"
    promises that.

    Raises RuntimeError for complex tensors and for argnums that there are not.
    """
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")

    @functools.wraps(func)
    def wrapped(*args: Any) -> Any:
        check_real(args, "jacfwd", "inputs")
        inputs, tree = flatten(chosen(args, argnums))

        def of_chosen(*values: Any) -> Any:
            return func(*replaced(args, argnums, tree.unflatten(values)))

        columns: list[list[Tensor]] = []
        structure: Any = None
        outputs: list[Any] = []
        aux: Any = None
        for unit in _units(inputs) or [[_C.zeros_like(x) for x in inputs]]:
            result = jvp(of_chosen, tuple(inputs), tuple(unit), has_aux=has_aux)
            outputs, structure = flatten(result[0])
            check_real(outputs, "jacfwd", "outputs")
            columns.append(leaves(result[1]))
            aux = result[2] if has_aux and aux is None else aux
        parts = []
        for i, y in enumerate(outputs):
            start, row = 0, []
            for x in inputs:
                own = [column[i] for column in columns[start : start + x.numel()]]
                start += x.numel()
                row.append(_stacked(own, y, -1, (*y.shape, *x.shape)))
            parts.append(tree.unflatten(row))
        jacobian = structure.unflatten(parts)
        return (jacobian, aux) if has_aux else jacobian

    return wrapped


def hessian(func: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., Any]:
    """The function that computes the Hessian of func: forward mode over the gradient, jacfwd(jacrev(func))."""
    return jacfwd(jacrev(func, argnums), argnums)
