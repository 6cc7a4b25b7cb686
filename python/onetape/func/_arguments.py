"""What the transformations share: their arguments, and tensors that only one call of them knows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from onetape import _C
from onetape._C import Tensor
from onetape._tree import leaves, mapped
from onetape.autograd import forward_ad
from onetape.autograd._engine import grad
from onetape.autograd.grad_mode import no_grad

__all__: list[str] = []

Argnums: TypeAlias = int | tuple[int, ...]


def _place(argnum: Any, count: int) -> int:
    if not isinstance(argnum, int):
        raise RuntimeError(f"argnum must be int, got: {type(argnum)}")
    if -count <= argnum < count:
        return argnum % count
    raise RuntimeError(f"Got argnum={argnum}, but only {count} positional inputs")


def places_of(argnums: Any, count: int) -> tuple[int, ...]:
    """The chosen arguments' numbers, after checks."""
    if not isinstance(argnums, (int, tuple)):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    if isinstance(argnums, int):
        return (_place(argnums, count),)
    places = tuple(_place(argnum, count) for argnum in argnums)
    if not places:
        raise RuntimeError("argnums must be non-empty")
    if len(set(places)) != len(places):
        raise RuntimeError(f"argnums elements must be unique, got {places}")
    return places


def chosen(args: tuple[Any, ...], argnums: Any) -> Any:
    """args[argnums]; for a tuple of numbers a tuple."""
    places = places_of(argnums, len(args))
    return args[places[0]] if isinstance(argnums, int) else tuple(args[i] for i in places)


def replaced(args: tuple[Any, ...], argnums: Any, values: Any) -> tuple[Any, ...]:
    """args with the chosen ones replaced."""
    places = places_of(argnums, len(args))
    new = dict(zip(places, (values,) if isinstance(argnums, int) else values, strict=True))
    return tuple(new.get(i, arg) for i, arg in enumerate(args))


def split_aux(result: Any, has_aux: bool, api: str) -> tuple[Any, Any]:
    """What a function returned, and the second part of it that is not differentiated."""
    if not has_aux:
        return result, None
    if not (isinstance(result, tuple) and len(result) == 2):
        raise RuntimeError(f"{api}: output of function f should be a tuple: (output, aux) if has_aux is True")
    return result


def check_tensors(outputs: list[Any], api: str) -> None:
    if not outputs or (len(outputs) == 1 and outputs[0] is None):
        raise RuntimeError(f"{api}: Expected f to be a function that has non-empty output (got output = {outputs})")
    for output in outputs:
        if not isinstance(output, Tensor):
            raise RuntimeError(
                f"{api}: expected f(*primals) to return only tensors, got unsupported type {type(output)}"
            )


def check_real(values: Any, api: str, which: str) -> None:
    for index, value in enumerate(leaves(values)):
        if isinstance(value, Tensor) and value.is_complex():
            raise RuntimeError(
                f"{api}: Expected all {which} to be real but received complex tensor at flattened input idx: {index}"
            )


# ---- tensors of one call ----


def leaf_of(x: Any, keep_history: bool) -> Tensor:
    """Another name for x with respect to which a function is differentiated; it keeps its tangent, if it has one."""
    if not isinstance(x, Tensor):
        raise ValueError(f"Thing passed to transform API must be Tensor, got {type(x)}")
    if keep_history and x.requires_grad:
        return x.view_as(x)
    own: Tensor = plain(x)
    return own.requires_grad_()


def plain(value: Any) -> Any:
    """A tensor without its history, but with its tangent; anything else as it is."""
    if not isinstance(value, Tensor):
        return value
    if forward_ad.unpack_dual(value).tangent is None:
        return value.detach()
    with no_grad():
        return value.view_as(value)


class Results:
    """Gives results back: without the history that leads only to the leaves of this call."""

    def __init__(self, leaves: Sequence[Tensor], outer: bool) -> None:
        self._own = {id(x): x for x in leaves}
        self._outer = outer  # is there a record at all around the call?
        self._known: dict[Any, bool] = {}  # node: does it lead to a tensor that is not of this call?

    def depend(self, tensors: Sequence[Any]) -> bool:
        """Do they depend on tensors that require a gradient, other than the leaves?"""
        return self._outer and any(isinstance(t, Tensor) and t.requires_grad and self._leads_out(t) for t in tensors)

    def finished(self, value: Any) -> Any:
        """A nested value; a tensor keeps its history if it depends on others."""
        return mapped(lambda t: t if self.depend([t]) else plain(t), value)

    def _leads_out(self, t: Tensor) -> bool:
        if id(t) in self._own:
            return t.grad_fn is not None  # an argument that requires a gradient itself
        return t.grad_fn is None or self._search(t.grad_fn)

    def _search(self, root: Any) -> bool:
        edges = {id(x.grad_fn): x.grad_fn for x in self._own.values() if x.grad_fn is not None}
        todo = [root]
        while todo:
            node = todo[-1]
            following = [n for n, _ in node.next_functions if n is not None]
            if node not in self._known:
                self._known[node] = id(node) in edges or any(self._is_foreign_leaf(n) for n in following)
                todo += [n for n in following if n not in self._known]
                continue
            todo.pop()
            self._known[node] = self._known[node] or any(self._known[n] for n in following)
        return self._known[root]

    def _is_foreign_leaf(self, node: Any) -> bool:
        return node.name().endswith("AccumulateGrad") and id(node.variable) not in self._own


def gradients(
    outputs: Sequence[Tensor],
    inputs: Sequence[Tensor],
    vectors: Sequence[Tensor | None],
    create_graph: bool,
    retain_graph: bool,
) -> list[Tensor]:
    """grad() that passes over outputs without a gradient, with zeros for inputs that were not used."""
    pairs = [(y, v) for y, v in zip(outputs, vectors, strict=True) if y.requires_grad]
    if not pairs:
        return [_C.zeros_like(x) for x in inputs]
    ys, vs = zip(*pairs, strict=True)
    found = grad(ys, inputs, vs, retain_graph, create_graph, allow_unused=True)
    return [_C.zeros_like(x) if g is None else g for g, x in zip(found, inputs, strict=True)]
