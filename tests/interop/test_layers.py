"""Java's layers and losses show themselves, begin and compute as Python's, which test_nn.py compares with PyTorch's."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

import onetape as torch
from onetape import jvm, nn
from tests.golden.training import parts, spatial
from tests.golden.training.scenarios import encoded, pattern

SHARED = {
    **{f"{name}{d}d": f"{name}Options" for name in ("BatchNorm", "InstanceNorm") for d in (1, 2, 3)},
    **dict.fromkeys(("Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout"), "DropoutOptions"),
}
"""Layers that share the class of their options."""
PLAIN = (
    *("Hardsigmoid", "Hardswish", "Identity", "LogSigmoid", "Mish", "SiLU", "Sigmoid", "Softmax2d", "Softsign"),
    *("Tanh", "Tanhshrink"),
)
"""Layers without options."""
RENAMED = {"lambd": "lambda_", "unflattened_size": "sizes"}
"""Options that have another name in Java, or a word that is none of Python's."""
CONSTANTS = {
    "reduction": {"mean": "kMean", "sum": "kSum", "none": "kNone"},
    "padding_mode": {"reflect": "kReflect", "replicate": "kReplicate", "circular": "kCircular"},
    "padding": {"same": "kSame", "valid": "kValid"},
    "mode": {"bilinear": "kBilinear", "nearest": "kNearest", "sum": "kSum", "max": "kMax"},
}
"""Words that are objects in Java."""
ALL: dict[str, parts.Part] = {
    **parts.ALL,
    **{
        name: (cls, args, kwargs, (parts.real(*shape),))
        for name, (cls, shape, args, kwargs) in {**spatial.CONVOLUTIONS, **spatial.POOLS, **spatial.NORMS}.items()
    },
}


def nn_class(name: str) -> Any:
    return jvm.java_class(f"org.onetape.nn.{name}")


def array(values: Any) -> Any:
    """A tuple as Java takes it: numbers, or sizes that may be missing."""
    import jpype

    if None in values:
        optional = jvm.java_class("org.onetape.LongOptional")
        return jpype.JArray(optional)([optional() if one is None else optional(one) for one in values])
    kind = jpype.JDouble if any(isinstance(one, float) for one in values) else jpype.JLong
    return kind[:](values)


def java_value(cls: str, name: str, value: Any) -> Any:
    """An argument of Python's as Java's options take it."""
    if callable(value):
        return jvm.to_java(value(torch))
    if name in ("padding_idx", "max_norm"):
        return jvm.java_class("org.onetape.LongOptional" if name == "padding_idx" else "org.onetape.DoubleOptional")(
            value
        )
    if isinstance(value, str) and name in CONSTANTS:
        constant = nn_class(CONSTANTS[name][value])()
        return nn_class("EmbeddingBagMode")(constant) if cls == "EmbeddingBag" else constant
    return array(value) if isinstance(value, tuple) else value


def java_layer(cls: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Java's layer of the same arguments, through its options."""
    torch.manual_seed(11)
    if cls in PLAIN:
        return nn_class(f"{cls}Impl")()
    signature = inspect.signature(getattr(nn, cls))
    given = dict(signature.bind(*args, **kwargs).arguments)
    given.pop("return_indices", None)
    required = [name for name, p in signature.parameters.items() if p.default is p.empty or name == "dim"]
    first = [java_value(cls, name, given.pop(name)) for name in required if name in given and cls != "CosineSimilarity"]
    options = nn_class(SHARED.get(cls, f"{cls}Options"))(*first)
    for name, value in given.items():
        getattr(options, RENAMED.get(name, name))(java_value(cls, name, value))
    return nn_class(f"{cls}Impl")(options)


def state_of(layer: Any) -> dict[str, Any]:
    named = [*layer.named_parameters(), *layer.named_buffers()]
    return {str(item.key().getString()): jvm.from_java(item.access()) for item in named}


def python_layer(name: str) -> Any:
    cls, args, kwargs, _ = ALL[name]
    torch.manual_seed(11)
    return getattr(nn, cls)(*args, **{k: v(torch) if callable(v) else v for k, v in kwargs.items()})


def results(layer: Any, inputs: list[Any], call: Any) -> list[Any]:
    torch.manual_seed(5)
    result = call(layer, inputs)
    result = result[0] if isinstance(result, tuple) else result
    if result.requires_grad:
        (result * pattern(torch, tuple(result.shape), 9)).sum().backward()
    return [result, [one.grad for one in inputs]]


@pytest.mark.filterwarnings("ignore:reduction", "ignore:Using padding='same'")
@pytest.mark.parametrize("name", ALL)
def test_java(border: Any, name: str) -> None:
    cls, args, kwargs, makers = ALL[name]
    python, java = python_layer(name), java_layer(cls, args, kwargs)
    if cls != "TripletMarginWithDistanceLoss":  # whose distance is a module in Python, and any function in Java
        assert str(java.toString()) == repr(python).replace("norm_type=2,", "norm_type=2.0,")
    assert encoded(torch, state_of(java)) == encoded(torch, dict(python.state_dict()))
    mine = results(python, [make(torch) for make in makers], lambda layer, inputs: layer(*inputs))
    theirs = results(
        java,
        [make(torch) for make in makers],
        lambda layer, inputs: jvm.from_java(
            (layer.call if len(inputs) < 4 else layer.forward)(*(jvm.to_java(one) for one in inputs))
        ),
    )
    assert encoded(torch, theirs) == encoded(torch, mine)
    grads = {
        name: jvm.from_java(p).grad
        for name, p in ((str(i.key().getString()), i.access()) for i in java.named_parameters())
    }
    assert encoded(torch, grads) == encoded(torch, {name: p.grad for name, p in python.named_parameters()})


def test_adaptive_log_softmax(border: Any) -> None:
    torch.manual_seed(3)
    python = nn.AdaptiveLogSoftmaxWithLoss(8, 10, [2, 5], div_value=2.0, head_bias=True)
    torch.manual_seed(3)
    cutoffs = jvm.java_class("org.onetape.LongVector")(array((2, 5)))
    options = nn_class("AdaptiveLogSoftmaxWithLossOptions")(8, 10, cutoffs).div_value(2.0).head_bias(True)
    java = nn_class("AdaptiveLogSoftmaxWithLossImpl")(options)
    assert str(java.toString()) == repr(python)
    x, target = pattern(torch, (6, 8)), torch.tensor([0, 9, 3, 1, 4, 6])
    mine = python(x, target)
    theirs = java.forward_loss(jvm.to_java(x), jvm.to_java(target))
    assert jvm.from_java(theirs.output()).tolist() == mine.output.tolist()
    assert float(theirs.loss()) == mine.loss.item()
    assert jvm.from_java(java.log_prob(jvm.to_java(x))).tolist() == python.log_prob(x).tolist()
    assert jvm.from_java(java.predict(jvm.to_java(x))).tolist() == python.predict(x).tolist()


def test_unpooled(border: Any) -> None:
    for dims in (1, 2, 3):
        x = pattern(torch, (1, 2, *(4, 5, 3)[:dims]))
        values, indices = getattr(nn, f"MaxPool{dims}d")(2, return_indices=True)(x)
        python = getattr(nn, f"MaxUnpool{dims}d")(2)
        java = nn_class(f"MaxUnpool{dims}dImpl")(array((2,)))
        assert str(java.toString()) == repr(python)
        found = java.forward(jvm.to_java(values), jvm.to_java(indices), array(tuple(x.shape)))
        assert jvm.from_java(found).tolist() == python(values, indices, output_size=x.size()).tolist()
        with pytest.raises(Exception, match="invalid output_size"):
            java.forward(jvm.to_java(values), jvm.to_java(indices), array((9,) * dims))
