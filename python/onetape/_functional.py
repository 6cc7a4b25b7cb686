"""Functions of the package that are made of others."""

from __future__ import annotations

from collections.abc import Sequence

from onetape import _C
from onetape._C import Size, Tensor

__all__ = ["broadcast_shapes", "is_inference", "tensordot", "unique"]


def broadcast_shapes(*shapes: int | tuple[int, ...]) -> Size:
    """The shape that tensors of these shapes have after broadcasting.

    Raises RuntimeError: two shapes do not fit.
    """
    empty = [_C.empty(()).expand((shape,) if isinstance(shape, int) else shape) for shape in shapes]
    return _C.broadcast_tensors(empty)[0].shape if empty else Size(())


def is_inference(input: Tensor) -> bool:
    """Was the tensor made in inference mode?"""
    return input.is_inference()


def tensordot(
    a: Tensor,
    b: Tensor,
    dims: int | Sequence[Sequence[int]] | Tensor = 2,
) -> Tensor:
    """Sum of the products of a and b over some of their dimensions.

    dims: how many of the last dimensions of a and the first of b; or a list of dimensions of a and one of b.

    Raises RuntimeError: dims is negative or too large, sizes do not match, or the dtypes differ.
    """
    if isinstance(dims, Tensor):
        dims = dims.tolist() if dims.numel() > 1 else int(dims.item())
    if isinstance(dims, int):
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > min(a.dim(), b.dim()):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        of_a, of_b = [*range(-dims, 0)], [*range(dims)]
    elif isinstance(dims, (tuple, list)):
        of_a, of_b = ([*lists] for lists in dims)
    else:
        raise RuntimeError(
            "tensordot expects dims to be int or tuple[list[int], list[int]] or list[list[int]] "
            f"containing two lists, but got dims={dims}"
        )
    return _C.tensordot(a, b, of_a, of_b)


def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Tensor | tuple[Tensor, ...]:
    """The distinct elements of a tensor, in order.

    return_inverse: also where each element is among them.
    return_counts: also how often each occurs.
    """
    if dim is not None:
        raise NotImplementedError("unique: distinct slices along a dim are not supported; leave dim out")
    output, inverse, counts = _C._unique2(input, sorted, return_inverse, return_counts)
    results = (output, *((inverse,) if return_inverse else ()), *((counts,) if return_counts else ()))
    return results if len(results) > 1 else output
