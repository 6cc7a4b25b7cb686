"""What both faces have, compared in one process: pictures of graphs, states of optimizers."""

import pytest

import onetape as torch
from onetape import jvm
from tests.golden.training.optimizers import OPTIONS as OPTIMIZERS
from tests.golden.training.optimizers import OTHER_SHAPES


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
    options = jvm.java_class(f"org.onetape.optim.{name}Options")()
    for key, value in numbers.items():
        given = value if isinstance(value, tuple) else (value,)
        getattr(options, key)(*(float("nan") if one is None else one for one in given))
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


def as_floats(value):
    """Java's options are all doubles."""
    if isinstance(value, dict):
        return {key: v if key == "params" else as_floats(v) for key, v in value.items()}
    if isinstance(value, list):
        return [as_floats(v) for v in value]
    return float(value) if type(value) is int else value


def plain(value):
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return value.tolist() if isinstance(value, torch.Tensor) else value


OPTIONS = [(kind, case) for kind, cases in OPTIMIZERS.items() for case in cases.values()]


@pytest.mark.parametrize(("name", "numbers"), OPTIONS)
def test_both_optimizers_have_the_same_state(border, name, numbers):
    mine = [torch.tensor([1.0, -2.0], requires_grad=True), torch.tensor(3.0, requires_grad=True)]
    if name in OTHER_SHAPES:
        mine = [torch.tensor([[1.0, -2.0], [0.5, 3.0], [-1.0, 0.25]], requires_grad=True)]
    theirs = [p.detach().clone().requires_grad_() for p in mine]
    unused = torch.ones(1, 1, requires_grad=True)
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
    assert groups == [as_floats(expected["param_groups"][0])]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("search", [None, "strong_wolfe"])
def test_lbfgs_takes_the_same_way(border, dtype, search):
    start = torch.tensor([1.5, -2.0, 0.25], dtype=getattr(torch, dtype))
    mine, theirs = start.clone().requires_grad_(), start.clone().requires_grad_()
    python = torch.optim.LBFGS([mine], lr=0.5, max_iter=5, history_size=3, line_search_fn=search)
    options = jvm.java_class("org.onetape.optim.LBFGSOptions")(0.5).max_iter(5).history_size(3)
    if search:
        options.line_search_fn(search)
    vector = jvm.java_class("org.onetape.TensorVector")(jvm.to_java(theirs))
    java = jvm.java_class("org.onetape.optim.LBFGS")(vector, options)

    def closure_of(param, optimizer):
        def closure():
            optimizer.zero_grad()
            loss = ((param - 0.3) ** 2 + 0.5 * (param + param[[1, 2, 0]]) ** 2 + 0.125 * param**4).sum()
            loss.backward()
            return loss

        return closure

    for _ in range(4):
        loss = python.step(closure_of(mine, python))
        closure = closure_of(theirs, java)
        other = java.step(lambda closure=closure: jvm.to_java(closure()))
        assert jvm.from_java(other).tolist() == loss.tolist()
        assert theirs.tolist() == mine.tolist()
    expected = python.state_dict()["state"][0]
    state = as_python(java.state_dict().state())[0]
    assert [state["func_evals"], state["n_iter"]] == [expected["func_evals"], expected["n_iter"]]
    assert state["d"] == expected["d"].tolist()
    assert state.get("old_dirs", []) == [one.tolist() for one in expected["old_dirs"]]
