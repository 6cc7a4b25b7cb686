"""Java's lazy layers and utilities of nn do what Python's do, to the bit; test_nn.py compares those with PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import onetape as torch
from onetape import jvm, nn
from tests.golden.training.scenarios import encoded, pattern
from tests.interop.test_layers import array, nn_class, state_of

SHAPES = {1: (2, 4, 6), 2: (2, 4, 6, 5), 3: (2, 4, 4, 5, 4)}
LAZY: dict[str, tuple[Callable[[], Any], Callable[[], Any], tuple[int, ...]]] = {
    "Linear": (lambda: nn.LazyLinear(3), lambda: nn_class("LazyLinearImpl")(3), (4, 5)),
    **{
        f"Conv{d}d": (
            lambda d=d: getattr(nn, f"LazyConv{d}d")(6, 3, groups=2, padding=1),
            lambda d=d: nn_class(f"LazyConv{d}dImpl")(
                nn_class(f"Conv{d}dOptions")(0, 6, array((3,))).groups(2).padding(array((1,)))
            ),
            shape,
        )
        for d, shape in SHAPES.items()
    },
    **{
        f"ConvTranspose{d}d": (
            lambda d=d: getattr(nn, f"LazyConvTranspose{d}d")(6, 2),
            lambda d=d: nn_class(f"LazyConvTranspose{d}dImpl")(6, array((2,))),
            shape,
        )
        for d, shape in SHAPES.items()
    },
    **{
        f"{kind}{d}d": (
            lambda kind=kind, d=d: getattr(nn, f"Lazy{kind}{d}d")(),
            lambda kind=kind, d=d: nn_class(f"Lazy{kind}{d}dImpl")(),
            shape,
        )
        for kind in ("BatchNorm", "InstanceNorm")
        for d, shape in SHAPES.items()
    },
}


def run(layer: Any, x: Any) -> Any:
    torch.manual_seed(9)
    result = layer(x) if isinstance(layer, nn.Module) else jvm.from_java(layer.call(jvm.to_java(x)))
    (result * pattern(torch, tuple(result.shape), 9)).sum().backward()
    return result


def grads_of(layer: Any) -> dict[str, Any]:
    if isinstance(layer, nn.Module):
        return {name: p.grad for name, p in layer.named_parameters()}
    return {str(i.key().getString()): jvm.from_java(i.access()).grad for i in layer.named_parameters()}


def same(python: Any, java: Any, x: Any, calls: int = 2) -> None:
    """The same texts, states, results and gradients, call after call."""
    for _ in range(calls):
        assert str(java.toString()) == repr(python)
        assert encoded(torch, state_of(java)) == encoded(torch, dict(python.state_dict()))
        assert encoded(torch, run(java, x)) == encoded(torch, run(python, x))
        assert encoded(torch, grads_of(java)) == encoded(torch, grads_of(python))


@pytest.mark.parametrize("name", LAZY)
def test_lazy(border: Any, name: str) -> None:
    python_maker, java_maker, shape = LAZY[name]
    python, java = python_maker(), java_maker()
    assert str(java.toString()) == repr(python)
    assert java.has_uninitialized_params()
    x = pattern(torch, shape, 4)
    assert encoded(torch, run(java, x)) == encoded(torch, run(python, x))
    assert not java.has_uninitialized_params()
    same(python, java, x)


def both(maker: Callable[[], Any], java_name: str, *args: Any) -> tuple[Any, Any]:
    """Layers of both languages from one seed."""
    torch.manual_seed(3)
    python = maker()
    torch.manual_seed(3)
    return python, nn_class(java_name)(*args)


def linear() -> tuple[Any, Any]:
    return both(lambda: nn.Linear(3, 4), "LinearImpl", 3, 4)


def conv_transpose() -> tuple[Any, Any]:
    return both(lambda: nn.ConvTranspose1d(3, 4, 2), "ConvTranspose1dImpl", 3, 4, array((2,)))


def seeded(call: Callable[[], Any]) -> Any:
    torch.manual_seed(6)
    return call()


X = {"Linear": (5, 3), "ConvTranspose1d": (2, 3, 4)}


@pytest.mark.filterwarnings("ignore:`torch.nn.utils.weight_norm` is deprecated")
@pytest.mark.parametrize("dim", [0, 1, -1])
def test_weight_norm(border: Any, dim: int) -> None:
    python, java = linear()
    older = nn_class("WeightNorm")
    nn.utils.weight_norm(python, "weight", None if dim == -1 else dim)
    older.weight_norm(java, "weight", dim)
    x = pattern(torch, (5, 3), 2)
    same(python, java, x)
    with pytest.raises(Exception, match="Cannot register two weight_norm hooks on the same parameter weight"):
        older.weight_norm(java, "weight", dim)
    nn.utils.remove_weight_norm(python)
    older.remove_weight_norm(java)
    same(python, java, x)
    with pytest.raises(Exception, match="weight_norm of 'weight' not found in Linear"):
        older.remove_weight_norm(java)
    nn.utils.parametrizations.weight_norm(python, "weight", None if dim == -1 else dim)
    nn_class("Parametrizations").weight_norm(java, "weight", dim)
    same(python, java, x)


@pytest.mark.parametrize("maker", [linear, conv_transpose])
def test_spectral_norm(border: Any, maker: Callable[[], tuple[Any, Any]]) -> None:
    python, java = maker()
    older = nn_class("SpectralNorm")
    seeded(lambda: nn.utils.spectral_norm(python))
    seeded(lambda: older.spectral_norm(java))
    x = pattern(torch, X[type(python).__name__], 2)
    same(python, java, x)
    for one in (python, java):
        one.eval()
    same(python, java, x)
    nn.utils.remove_spectral_norm(python)
    older.remove_spectral_norm(java)
    for one in (python, java):
        one.train()
    seeded(lambda: nn.utils.parametrizations.spectral_norm(python))
    seeded(lambda: nn_class("Parametrizations").spectral_norm(java))
    same(python, java, x)
    with pytest.raises(Exception, match="Expected n_power_iterations to be positive"):
        older.spectral_norm(java, "bias", 0, 1e-12, 0)


def test_parametrizations(border: Any) -> None:
    python, java = linear()
    parametrize, theirs = nn.utils.parametrize, nn_class("Parametrize")
    x = pattern(torch, (5, 3), 2)
    parametrize.register_parametrization(python, "weight", nn.Tanh())
    theirs.register_parametrization(java, "weight", nn_class("TanhImpl")())
    parametrize.register_parametrization(python, "weight", nn.Identity())
    theirs.register_parametrization(java, "weight", nn_class("IdentityImpl")())
    same(python, java, x)
    assert theirs.is_parametrized(java) and theirs.is_parametrized(java, "weight")
    assert not theirs.is_parametrized(java, "bias")
    with theirs.cached():
        assert java.weight().equals(java.weight())
    assert not java.weight().equals(java.weight())
    with pytest.raises(Exception, match="Identity does not implement right_inverse"):
        java.weight(jvm.to_java(torch.zeros(4, 3)))
    with pytest.raises(Exception, match=r"`unsafe`|the `unsafe` flag"):
        theirs.register_parametrization(
            java, "weight", nn_class("FlattenImpl")(nn_class("FlattenOptions")().start_dim(0))
        )
    with pytest.raises(Exception, match="does not have a parameter, a buffer, or a parametrized element"):
        theirs.register_parametrization(java, "count", nn_class("TanhImpl")())
    other_python, other_java = linear()
    parametrize.transfer_parametrizations_and_params(python, other_python)
    theirs.transfer_parametrizations_and_params(java, other_java)
    same(other_python, other_java, x)
    parametrize.remove_parametrizations(python, "weight", leave_parametrized=False)
    theirs.remove_parametrizations(java, "weight", False)
    same(python, java, x)
    with pytest.raises(Exception, match="does not have a parametrization on weight"):
        theirs.remove_parametrizations(java, "weight")


PRUNED: dict[str, tuple[tuple[Any, ...], ...]] = {
    "identity": ((),),
    "l1_unstructured": ((0.3,), (2,), (0,)),
    "random_unstructured": ((0.4,), (3,)),
    "ln_structured": ((0.5, 2.0, 0), (1, 1.0, 1), (1, float("inf"), -1)),
    "random_structured": ((0.5, 1), (2, 0)),
}


@pytest.mark.parametrize("name", PRUNED)
def test_pruning(border: Any, name: str) -> None:
    prune, theirs = nn.utils.prune, nn_class("Prune")
    x = pattern(torch, (5, 3), 2)
    for args in PRUNED[name]:
        python, java = linear()
        seeded(lambda python=python, args=args: getattr(prune, name)(python, "weight", *args))
        seeded(lambda java=java, args=args: getattr(theirs, name)(java, "weight", *args))
        assert theirs.is_pruned(java)
        same(python, java, x, calls=1)
        seeded(lambda python=python: prune.l1_unstructured(python, "weight", 0.2))
        seeded(lambda java=java: theirs.l1_unstructured(java, "weight", 0.2))
        same(python, java, x, calls=1)
        prune.remove(python, "weight")
        theirs.remove(java, "weight")
        assert not theirs.is_pruned(java)
        same(python, java, x, calls=1)
    for amount, text in ((-1, "non-negative integer"), (1.5, "should either be a float"), (99, "should be smaller")):
        with pytest.raises(Exception, match=text):
            theirs.l1_unstructured(linear()[1], "weight", amount)
    with pytest.raises(Exception, match="has to be pruned before pruning can be removed"):
        theirs.remove(linear()[1], "weight")
    with pytest.raises(Exception, match="Structured pruning can only be applied to multidimensional tensors"):
        theirs.ln_structured(linear()[1], "bias", 0.5, 2.0, 0)


def test_pruning_of_several(border: Any) -> None:
    prune, theirs = nn.utils.prune, nn_class("Prune")
    python, java = linear()
    mask = torch.tensor([[1.0, 0.0, 1.0]] * 4)
    prune.custom_from_mask(python, "weight", mask)
    theirs.custom_from_mask(java, "weight", jvm.to_java(mask))
    prune.global_unstructured([(python, "weight"), (python, "bias")], prune.L1Unstructured, amount=0.5)
    entry, pairs = jvm.java_class("java.util.Map").entry, jvm.java_class("java.util.ArrayList")()
    for name in ("weight", "bias"):
        pairs.add(entry(java, name))
    theirs.global_unstructured(pairs, jvm.java_class("org.onetape.nn.Prune$L1Unstructured")(0.5))
    same(python, java, pattern(torch, (5, 3), 2))
    with pytest.raises(Exception, match='Only "unstructured" PRUNING_TYPE supported'):
        theirs.global_unstructured(pairs, jvm.java_class("org.onetape.nn.Prune$LnStructured")(0.5, 2.0, 0))


@pytest.mark.parametrize("kind", ["Linear", *(f"{kind}{d}d" for kind in ("Conv", "ConvTranspose") for d in SHAPES)])
@pytest.mark.parametrize("bias", [True, False])
def test_fusion(border: Any, kind: str, bias: bool) -> None:
    dims = 1 if kind == "Linear" else int(kind[-2])
    if kind == "Linear":
        python, java = both(
            lambda: nn.Linear(3, 4, bias=bias), "LinearImpl", nn_class("LinearOptions")(3, 4).bias(bias)
        )
    else:
        options = nn_class(f"{kind}Options")(4, 6, array((2,))).bias(bias).stride(array((2,)))
        python, java = both(lambda: getattr(nn, kind)(4, 6, 2, stride=2, bias=bias), f"{kind}Impl", options)
    out = 4 if kind == "Linear" else 6
    norms = getattr(nn, f"BatchNorm{dims}d")(out), nn_class(f"BatchNorm{dims}dImpl")(out)
    size = (8, 4) if kind == "Linear" else (2, 6, *(5, 4, 3)[:dims])
    for norm in norms:
        run(norm, pattern(torch, size, 5))
    with pytest.raises(Exception, match="Fusion only for eval!"):
        nn_class("Fusion").fuse_linear_bn_eval(linear()[1], norms[1])
    for one in (python, java, *norms):
        one.eval()
    name = "fuse_linear_bn_eval" if kind == "Linear" else "fuse_conv_bn_eval"
    transpose = (True,) if kind.startswith("ConvTranspose") else ()
    mine = getattr(nn.utils, name)(python, norms[0], *transpose)
    theirs = getattr(nn_class("Fusion"), name)(java, norms[1])
    same(mine, theirs, pattern(torch, (5, 3) if kind == "Linear" else SHAPES[dims], 2), calls=1)


@pytest.mark.parametrize("name", ["matrix_exp", "cayley", "householder", None])
@pytest.mark.parametrize("trivialized", [True, False])
@pytest.mark.parametrize("sizes", [(3, 3), (3, 5), (5, 3)])
def test_orthogonal(border: Any, name: str | None, trivialized: bool, sizes: tuple[int, int]) -> None:
    python, java = both(lambda: nn.Linear(*sizes), "LinearImpl", *sizes)
    x = pattern(torch, (4, sizes[0]), 2)
    orthogonal = nn.utils.parametrizations.orthogonal
    theirs = nn_class("Parametrizations").orthogonal
    seeded(lambda: orthogonal(python, "weight", name, use_trivialization=trivialized))
    seeded(lambda: theirs(java, "weight", name, trivialized))
    same(python, java, x, calls=1)
    value = pattern(torch, (sizes[1], sizes[0]), 7)
    if trivialized or name == "householder" or (name is None and sizes[0] != sizes[1]):
        seeded(lambda: setattr(python, "weight", value))
        seeded(lambda: java.weight(jvm.to_java(value)))
        same(python, java, x, calls=1)
    else:
        with pytest.raises(Exception, match="It is not possible to assign to the matrix exponential"):
            java.weight(jvm.to_java(value))
    with pytest.raises(Exception, match="orthogonal_map has to be one of"):
        theirs(linear()[1], "weight", "rotation", True)
    with pytest.raises(Exception, match="Got a tensor of 1 dimensions"):
        theirs(linear()[1], "bias", None, True)
    with pytest.raises(Exception, match="has no parameter or buffer with name 'count'"):
        theirs(linear()[1], "count", None, True)


def test_sequences_without_padding(border: Any) -> None:
    rnn, theirs = nn.utils.rnn, jvm.java_class("org.onetape.global.torch")
    sequences = [pattern(torch, (3, 2), 1), pattern(torch, (5, 2), 2), pattern(torch, (1, 2), 3)]
    mine = rnn.pack_sequence(sequences, enforce_sorted=False)
    vector = jvm.java_class("org.onetape.TensorVector")(*(jvm.to_java(one) for one in sequences))
    java = theirs.pack_sequence(vector, False)
    unpacked = theirs.unpack_sequence(java)
    assert [jvm.from_java(unpacked.get(i)).tolist() for i in range(3)] == [
        one.tolist() for one in rnn.unpack_sequence(mine)
    ]
    order = torch.tensor([2, 0, 1])
    assert jvm.from_java(theirs.invert_permutation(jvm.to_java(order))).tolist() == [1, 2, 0]
