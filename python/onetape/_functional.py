"""Functions of the package that are made of others."""

from __future__ import annotations

from onetape import _C
from onetape._C import Size, Tensor

__all__ = ["broadcast_shapes", "unique"]


def broadcast_shapes(*shapes: int | tuple[int, ...]) -> Size:
    """The shape that tensors of these shapes have after broadcasting.

    Raises RuntimeError: two shapes do not fit.
    """
    empty = [_C.empty(()).expand((shape,) if isinstance(shape, int) else shape) for shape in shapes]
    return _C.broadcast_tensors(empty)[0].shape if empty else Size(())


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
