"""Profiles across the border: operators of both languages in one profile, with the calls of both."""

import pytest

import onetape as torch
from onetape import jvm
from onetape.profiler import profile, record_function


@pytest.fixture
def profiled(border):
    return jvm.java_class("Profiled")


def test_what_java_does_for_python_has_the_calls_of_both(profiled):
    x = torch.ones(3, requires_grad=True)
    with profile(with_stack=True) as prof:
        with record_function("in Python"):
            y = profiled.cube(x)
        jvm.from_java(y).sum().backward()
    events = prof.events()
    muls = [event for event in events if event.name == "aten::mul" and event.forward is None and event.scope == 0]
    first = muls[0]
    assert [first.cpu_parent.name, first.cpu_parent.cpu_parent.name] == ["in Java", "in Python"]
    java, python = (
        next(call for call in first.stack if name in call) for name in ("Profiled.java", "test_profiler.py")
    )
    assert java.endswith(": Profiled.cube")
    assert python.endswith(": test_what_java_does_for_python_has_the_calls_of_both")
    assert first.stack.index(java) < first.stack.index(python)
    nodes = [event for event in events if event.name == "MulBackward0"]
    assert {node.forward for node in nodes} == set(muls[:2])
    assert nodes[0].stack == nodes[0].forward.stack


def test_what_python_does_for_java_comes_first(profiled):
    def double(x):
        return x * 2

    with profile(with_stack=True) as prof:
        profiled.apply(double, torch.ones(2))
    (mul,) = [event for event in prof.events() if event.name == "aten::mul"]
    python, java = (
        next(call for call in mul.stack if call.endswith(name)) for name in (": double", ": Profiled.apply")
    )
    assert mul.stack.index(python) < mul.stack.index(java)


def test_javas_profiler_sees_pythons_operators(profiled):
    profiler = jvm.java_class("org.onetape.profiler.Profiler").builder().withStack(True).start()
    (torch.ones(2, requires_grad=True) * 3).sum().backward()
    profiler.close()
    names = [str(event.key()) for event in profiler.events()]
    assert "aten::mul" in names and "MulBackward0" in names
    mul = profiler.events().named("aten::mul")
    assert any("test_profiler.py" in str(call) for call in mul.stack())


def test_only_one_profile_in_both_languages(profiled):
    start = jvm.java_class("org.onetape.profiler.Profiler").start
    with profile(), pytest.raises(jvm.java_class("org.onetape.TorchException"), match="Profiler is already enabled"):
        start()
    start().close()
