"""grad, vjp, jvp."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from onetape import _C
from onetape._C import Tensor, is_grad_enabled
from onetape._tree import flatten
from onetape.autograd import forward_ad
from onetape.autograd.grad_mode import enable_grad
from onetape.func._arguments import (
    Argnums,
    Results,
    check_tensors,
    chosen,
    gradients,
    leaf_of,
    plain,
    replaced,
    split_aux,
)

__all__ = ["grad", "grad_and_value", "jvp", "value_and_grad", "vjp"]

_JVP = "jvp(f, primals, tangents)"


def _gradient_and_value(
    func: Callable[..., Any], argnums: Argnums, has_aux: bool, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, Any, Any]:
    outer = is_grad_enabled()
    with enable_grad():
        flat, tree = flatten(chosen(args, argnums))
        leaves = [leaf_of(x, outer) for x in flat]
        output, aux = split_aux(
            func(*replaced(args, argnums, tree.unflatten(leaves)), **kwargs), has_aux, "grad_and_value(f)(*args)"
        )
        if not isinstance(output, Tensor):
            raise RuntimeError(f"grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got {type(output)}")
        if output.dim() != 0:
            raise RuntimeError(
                "grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with "
                f"{output.dim()} dims. Maybe you wanted to use the vjp or jacrev APIs instead?"
            )
        results = Results(leaves, outer)
        keep = results.depend([output])
        found = gradients([output], leaves, [None], create_graph=keep, retain_graph=keep)
    return tree.unflatten(results.finished(found)), results.finished(output), results.finished(aux)


def grad_and_value(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """The function that computes the gradient of func and its value: (gradient, value).

    func: returns a tensor with one element and no dimension; with has_aux a pair of it and of anything else.
    argnums: with respect to which arguments; for a tuple of numbers the gradient is a tuple. An argument may be a
        tuple, list or dict of tensors, and then so is its gradient.
    has_aux: the result is (gradient, (value, aux)).

    Raises RuntimeError for another number of elements, or argnums that there are not.
    """

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        gradient, value, aux = _gradient_and_value(func, argnums, has_aux, args, kwargs)
        return gradient, (value, aux) if has_aux else value

    return wrapped


def value_and_grad(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """The same in the other order: (value, gradient), or ((value, aux), gradient) with has_aux."""

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        gradient, value, aux = _gradient_and_value(func, argnums, has_aux, args, kwargs)
        return (value, aux) if has_aux else value, gradient

    return wrapped


def grad(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """The function that computes the gradient of func, or (gradient, aux) with has_aux. See grad_and_value()."""

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        gradient, _, aux = _gradient_and_value(func, argnums, has_aux, args, kwargs)
        return (gradient, aux) if has_aux else gradient

    return wrapped


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """The value of func at the primals, and the function that multiplies a vector with the Jacobian: (output, vjp_fn).

    vjp_fn(cotangents, retain_graph=True, create_graph=None) takes what func returns, of the same structure and
    shapes, and gives a tuple with a part for each primal. With has_aux func returns a pair, and the result is
    (output, vjp_fn, aux).

    Raises RuntimeError for results that are not tensors of floating point or complex numbers, and for cotangents of
    another structure.
    """
    return vjp_of(func, primals, None, has_aux)


def vjp_of(func: Callable[..., Any], args: tuple[Any, ...], argnums: Any, has_aux: bool) -> Any:
    """vjp with respect to some of the arguments, or to all."""
    outer = is_grad_enabled()
    with enable_grad():
        flat, tree = flatten(args if argnums is None else chosen(args, argnums))
        leaves = [leaf_of(x, outer) for x in flat]
        values = tree.unflatten(leaves)
        result = func(*(values if argnums is None else replaced(args, argnums, values)))
        output, aux = split_aux(result, has_aux, "vjp(f, *primals)")
        outputs, structure = flatten(output)
        check_tensors(outputs, "vjp(f, *primals)")
        for y in outputs:
            if not (y.is_floating_point() or y.is_complex()):
                raise RuntimeError(
                    "vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got Tensor with dtype "
                    f"{y.dtype}"
                )
        results = Results(leaves, outer)
        keep = results.depend(outputs)

    def vjp_fn(cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        vectors, given = flatten(cotangents)
        if given != structure:
            raise RuntimeError(
                "Expected pytree structure of cotangents to be the same as pytree structure of outputs to the "
                f"function. cotangents: {given}, primal output: {structure}"
            )
        wanted = is_grad_enabled() if create_graph is None else create_graph
        create = wanted and (keep or any(isinstance(v, Tensor) and v.requires_grad for v in vectors))
        found = gradients(outputs, leaves, vectors, create, retain_graph)
        return tree.unflatten(results.finished(found) if create else [plain(g) for g in found])

    value = structure.unflatten(results.finished(outputs))
    return (value, vjp_fn, results.finished(aux)) if has_aux else (value, vjp_fn)


def jvp(func: Callable[..., Any], primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False) -> Any:
    """The value of func at the primals, and the Jacobian times the tangents: (output, product).

    primals, tangents: tuples, one an argument of func, of the same structure and shapes. It is computed in forward
    mode, in one pass; inside a dual level (or another jvp) by two backward passes, since levels cannot be nested.
    strict: RuntimeError for an output that does not depend on the primals, instead of zeros.
    has_aux: func returns a pair, and the result is (output, product, aux).

    Raises RuntimeError for primals that are no tuple, or tangents of another structure or shape.
    """
    if not isinstance(primals, tuple):
        raise RuntimeError(f"{_JVP}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals).")
    flat, tree = flatten(primals)
    directions, given = flatten(tangents)
    if given != tree:
        raise RuntimeError(
            f"{_JVP}: Expected primals and tangents to have the same python structure. For example, if primals is a "
            f"tuple of 3 tensors, tangents also must be. Got primals with structure {tree} and tangents with structure "
            f"{given}"
        )
    for name, tensors in (("primals", flat), ("tangents", directions)):
        if not tensors:
            raise RuntimeError(f"{_JVP}: Expected {name} to contain at least one Tensor.")
        for t in tensors:
            if not isinstance(t, Tensor):
                raise RuntimeError(f"{_JVP}: Expected {name} to only contain Tensors, got {type(t)}")
    run = _forward if _C._dual_level() < 0 else _by_two_gradients
    outputs, products, structure, aux = run(func, flat, directions, tree, has_aux)
    for index, (y, product) in enumerate(zip(outputs, products, strict=True)):
        if product is None:
            if strict:
                raise RuntimeError(
                    "jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. This is not "
                    "allowed with strict=True."
                )
            products[index] = _C.zeros_like(y)
    result = structure.unflatten(outputs), structure.unflatten(products)
    return (*result, aux) if has_aux else result


def _outputs_of(result: Any, has_aux: bool) -> tuple[list[Any], Any, Any]:
    output, aux = split_aux(result, has_aux, _JVP)
    outputs, structure = flatten(output)
    check_tensors(outputs, _JVP)
    return outputs, structure, aux


def _forward(func: Any, primals: list[Any], tangents: list[Any], tree: Any, has_aux: bool) -> Any:
    with forward_ad.dual_level(), forward_ad._set_fwd_grad_enabled(True):
        duals = [forward_ad.make_dual(p, t) for p, t in zip(primals, tangents, strict=True)]
        outputs, structure, aux = _outputs_of(func(*tree.unflatten(duals)), has_aux)
        pairs = [forward_ad.unpack_dual(y) for y in outputs]
        return [p for p, _ in pairs], [t for _, t in pairs], structure, aux


def _by_two_gradients(func: Any, primals: list[Any], tangents: list[Any], tree: Any, has_aux: bool) -> Any:
    """The gradient with respect to v of v times the Jacobian, times the tangents, which is linear in v."""
    outer = is_grad_enabled()
    with enable_grad():
        leaves = [leaf_of(x, outer) for x in primals]
        outputs, structure, aux = _outputs_of(func(*tree.unflatten(leaves)), has_aux)
        results = Results(leaves, outer)
        keep = results.depend([*outputs, *tangents])
        products: list[Any] = []
        probes = [_C.zeros_like(y).requires_grad_() for y in outputs]
        backs = gradients(outputs, leaves, probes, create_graph=True, retain_graph=True)
        for y, probe in zip(outputs, probes, strict=True):
            found = gradients(backs, [probe], tangents, create_graph=keep, retain_graph=True)
            products.append(found[0] if y.requires_grad else None)
    return results.finished(outputs), results.finished(products), structure, results.finished(aux)
