"""What both faces have, compared in one process: pictures of graphs, states of optimizers."""

import pytest

import onetape as torch
from onetape import jvm


def test_both_draw_the_same_graph(border):
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    loss = (w * w).exp().sum()
    java = jvm.java_class("org.onetape.Graph").of(jvm.to_java(loss)).named("größe", jvm.to_java(w))
    python = torch.graph(loss, params={"größe": w})
    assert str(java.toDot()) == python.dot()
    assert str(java.toSvg()) == python.svg()
    assert str(java.toHtml()) == python.html()
    assert "größe" in python.dot()


def java_options(name, numbers):
    options = jvm.java_class(f"org.onetape.optim.{name}Options")(numbers.pop("lr"))
    for key, value in numbers.items():
        getattr(options, key)(*(value if isinstance(value, tuple) else (value,)))
    return options


def step_three_times(optimizer, parameters):
    for scale in (1.0, 0.5, -2.0):
        optimizer.zero_grad()
        sum(scale * (p * p * p).sum() for p in parameters).backward()
        optimizer.step()


def as_python(value):
    """Maps, lists, numbers and tensors of a Java state as Python's."""
    map_class, list_class = jvm.java_class("java.util.Map"), jvm.java_class("java.util.List")
    if isinstance(value, map_class):
        return {as_python(entry.getKey()): as_python(entry.getValue()) for entry in value.entrySet()}
    if isinstance(value, list_class):
        return [as_python(one) for one in value]
    if isinstance(value, jvm.java_class("org.onetape.Tensor")):
        return jvm.from_java(value).tolist()
    for java, python in (("Boolean", bool), ("Integer", int), ("Double", float), ("String", str)):
        if isinstance(value, jvm.java_class(f"java.lang.{java}")):
            return python(value)
    assert value is None
    return None


def plain(value):
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return value.tolist() if isinstance(value, torch.Tensor) else value


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("SGD", {"lr": 0.1}),
        ("SGD", {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.01, "dampening": 0.1}),
        ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True}),
        ("Adam", {"lr": 0.01}),
        ("Adam", {"lr": 0.01, "betas": (0.8, 0.9), "eps": 1e-6, "weight_decay": 0.1, "amsgrad": True}),
        ("AdamW", {"lr": 0.01, "weight_decay": 0.2}),
    ],
)
def test_both_optimizers_have_the_same_state(border, name, numbers):
    mine = [torch.tensor([1.0, -2.0], requires_grad=True), torch.tensor(3.0, requires_grad=True)]
    theirs = [p.detach().clone().requires_grad_() for p in mine]
    unused = torch.tensor(1.0, requires_grad=True)
    python = getattr(torch.optim, name)([*mine, unused], **numbers)
    vector = jvm.java_class("org.onetape.TensorVector")(*(jvm.to_java(p) for p in (*theirs, unused)))
    java = jvm.java_class(f"org.onetape.optim.{name}")(vector, java_options(name, dict(numbers)))
    step_three_times(python, mine)
    step_three_times(java, theirs)
    assert [p.tolist() for p in mine] == [p.tolist() for p in theirs]
    state = java.state_dict()
    expected = plain(python.state_dict())
    assert as_python(state.state()) == expected["state"]
    groups = as_python(state.param_groups())
    assert groups == [{key: float(v) if type(v) is int else v for key, v in expected["param_groups"][0].items()}]
