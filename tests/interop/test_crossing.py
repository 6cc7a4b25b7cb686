"""Exceptions that end a backward pass of the other language: the object itself arrives, with where it was thrown."""

import gc
import threading
import traceback
import weakref

import pytest

import onetape as torch
from onetape import jvm


class Broken(Exception):
    """What only Python knows."""


def leaf(*values: float) -> torch.Tensor:
    return torch.tensor(list(values), dtype=torch.float64, requires_grad=True)


class Raising(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, error):
        ctx.error = error
        return x * 1

    @staticmethod
    def backward(ctx, grad):
        raise ctx.error


@pytest.fixture
def crossing(border):
    return jvm.java_class("Crossing")


def throwing():
    return jvm.function(jvm.java_class("Crossing$Throwing")())


# ---- Java's exceptions in Python ----


def test_a_java_function_ends_pythons_backward_with_its_own_exception(crossing):
    x = leaf(1)
    with pytest.raises(jvm.java_class("Crossing$Refused")) as caught:
        throwing()(x).sum().backward()
    assert caught.value == crossing.thrown
    assert caught.value.note == crossing.thrown.note
    assert str(caught.value.getMessage()) == "grüße 🙂"
    assert "Crossing$Throwing.backward(Crossing.java:" in str(caught.value.stacktrace())
    assert x.grad is None


def test_it_is_caught_by_any_of_its_classes(crossing):
    for name in ("java.lang.RuntimeException", "java.lang.Throwable"):
        with pytest.raises(jvm.java_class(name)):
            throwing()(leaf(1)).sum().backward()


def test_a_java_hook_ends_pythons_backward_with_its_own_exception(crossing):
    x = leaf(1, 2)
    crossing.throwingHook(x)
    with pytest.raises(jvm.java_class("java.lang.IllegalStateException"), match="the hook refuses") as caught:
        (x * 2).sum().backward()
    assert caught.value == crossing.thrown


def test_it_comes_out_of_autograd_grad(crossing):
    x = leaf(1)
    with pytest.raises(jvm.java_class("Crossing$Refused")):
        torch.autograd.grad(throwing()(x).sum(), x)


def test_it_crosses_in_a_thread_that_java_has_not_seen(crossing):
    seen = []

    def run() -> None:
        try:
            y.backward()
        except Exception as error:
            seen.append(error)

    y = throwing()(leaf(1)).sum()
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert isinstance(seen[0], jvm.java_class("Crossing$Refused"))


def test_the_graph_works_on_afterwards(crossing):
    x = leaf(3)
    with pytest.raises(jvm.java_class("Crossing$Refused")):
        throwing()(x).sum().backward()
    (x * x).sum().backward()
    assert x.grad.tolist() == [6]


# ---- Python's exceptions in Java ----


def test_a_python_function_ends_javas_backward_with_a_description(crossing):
    error = Broken("größer 🙂")
    caught = crossing.caught(Raising.apply(leaf(1), error).sum())
    text = str(crossing.described(caught)).splitlines()
    assert text[0].endswith("Broken: größer 🙂")
    assert "backward(" in text[1] and "test_crossing.py:" in text[1]
    assert any("Crossing.caught(Crossing.java:" in line for line in text)
    assert not any("jpype" in line or "Handover" in line for line in text)


def test_it_comes_back_to_python_as_the_object_that_was_raised(crossing):
    error = Broken("once")
    with pytest.raises(Broken) as caught:
        crossing.backward(Raising.apply(leaf(1), error).sum())
    assert caught.value is error
    assert error.__context__ is None and error.__cause__ is None
    names = [frame.name for frame in traceback.extract_tb(error.__traceback__)]
    assert names[-1] == "backward"
    assert "raising" not in names


def test_a_python_hook_ends_javas_backward(crossing):
    error = ValueError("no gradient, please")

    def hook(gradient):
        raise error

    x = leaf(1)
    x.register_hook(hook)
    with pytest.raises(ValueError, match="no gradient, please") as caught:
        crossing.backward((x * 2).sum())
    assert caught.value is error


def test_a_python_function_is_a_java_hook(crossing):
    seen = []

    def hook(gradient):
        seen.append(gradient)
        return gradient * 10

    x = leaf(1, 2)
    handle = jvm.to_java(x).register_hook(hook)
    (x * 2).sum().backward()
    assert type(seen[0]) is torch.Tensor
    assert x.grad.tolist() == [20, 20]
    handle.remove()
    (x * 2).sum().backward()
    assert x.grad.tolist() == [22, 22]


def test_what_a_hook_registered_in_java_raises_is_described(crossing):
    error = Broken("in a hook")

    def hook(gradient):
        raise error

    x = leaf(1)
    jvm.to_java(x).register_hook(hook)
    text = str(crossing.described(crossing.caught((x * 2).sum())))
    assert "Broken: in a hook\n" in text
    with pytest.raises(Broken) as caught:
        (x * 2).sum().backward()
    assert caught.value is error


def test_java_may_wrap_it(crossing):
    with pytest.raises(jvm.java_class("java.lang.IllegalStateException"), match="training stopped") as caught:
        crossing.wrapping(Raising.apply(leaf(1), Broken("inside")).sum())
    assert "Broken: inside" in str(caught.value.getCause().getMessage())


def test_a_callback_tells_java_what_it_raised(crossing):
    def fails():
        raise KeyError("lost")

    text = str(crossing.seen(jvm.callback(fails))).splitlines()
    assert text[0] == "KeyError: 'lost'"
    assert "fails(" in text[1]


def test_nothing_keeps_the_exception_alive(crossing):
    error = Broken("short lived")
    alive = weakref.ref(error)
    with pytest.raises(Broken):
        crossing.backward(Raising.apply(leaf(1), error).sum())
    del error
    crossing.thrown = None
    for _ in range(50):
        jvm.java_class("java.lang.System").gc()
        gc.collect()
        if alive() is None:
            break
        threading.Event().wait(0.02)
    assert alive() is None


# ---- several borders ----


def calling(function):
    return jvm.function(jvm.java_class("Crossing$Calling")(jvm.callback(function)))


def test_python_java_python(crossing):
    error = Broken("deep inside")

    def inner(gradient):
        with torch.enable_grad():
            Raising.apply(leaf(1), error).sum().backward()

    with pytest.raises(Broken) as caught:
        calling(inner)(leaf(1)).sum().backward()
    assert caught.value is error
    names = [frame.name for frame in traceback.extract_tb(error.__traceback__)]
    assert names[-1] == "backward"


def test_java_python_java(crossing):
    def inner(gradient):
        with torch.enable_grad():
            throwing()(leaf(1)).sum().backward()

    y = calling(inner)(leaf(1)).sum()
    with pytest.raises(jvm.java_class("Crossing$Refused")) as caught:
        crossing.backward(y)
    assert caught.value == crossing.thrown


def test_java_sees_its_own_exception_after_python(crossing):
    def inner(gradient):
        with torch.enable_grad():
            throwing()(leaf(1)).sum().backward()

    caught = crossing.caught(calling(inner)(leaf(1)).sum())
    assert isinstance(caught, jvm.java_class("Crossing$Refused"))


def test_interrupts_pass_too(crossing):
    with pytest.raises(KeyboardInterrupt):
        crossing.backward(Raising.apply(leaf(1), KeyboardInterrupt()).sum())


def test_the_same_language_keeps_its_object(crossing):
    error = Broken("same")
    with pytest.raises(Broken) as caught:
        Raising.apply(leaf(1), error).sum().backward()
    assert caught.value is error
    y = throwing()(leaf(1)).sum()
    assert crossing.caught(y) == crossing.thrown
    assert isinstance(crossing.thrown, jvm.java_class("Crossing$Refused"))
