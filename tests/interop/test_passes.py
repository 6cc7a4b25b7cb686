"""Backward passes that both languages take part in: threads that add to one leaf, anomaly mode across the border."""

import threading
import warnings

import pytest

import onetape as torch
from onetape import jvm


@pytest.fixture
def passes(border):
    return jvm.java_class("Passes")


def test_threads_of_both_languages_add_up_exactly(passes):
    leaf = torch.zeros(3, dtype=torch.float64, requires_grad=True)
    count, each = 4, 100

    def work():
        for _ in range(each):
            y = leaf * 2
            y.register_hook(lambda grad: grad * 2)
            y.sum().backward()

    workers = jvm.java_class("Passes$Workers")(leaf, count, each)
    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    workers.join()
    assert leaf.grad.tolist() == [float(count * each * (4 + 3))] * 3


def test_anomaly_shows_the_calls_of_both_languages(passes):
    x = torch.zeros(1, dtype=torch.float64, requires_grad=True)
    with torch.autograd.set_detect_anomaly(True), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        y = passes.rootTimesZero(x)  # the line in Python
        with pytest.raises(RuntimeError, match="Function 'SqrtBackward0' returned nan values in its 0th output."):
            torch.autograd.backward(jvm.from_java(y), torch.ones(1, dtype=torch.float64))
    (text,) = [str(warning.message) for warning in caught if "Error detected" in str(warning.message)]
    assert text.startswith("Error detected in SqrtBackward0. Traceback of forward call that caused the error:\n")
    assert "y = passes.rootTimesZero(x)  # the line in Python" in text
    assert "at Passes.rootTimesZero(Passes.java:10)" in text


def test_anomaly_of_a_pass_that_java_starts(passes):
    x = torch.zeros(1, dtype=torch.float64, requires_grad=True)
    with torch.autograd.set_detect_anomaly(True):
        y = (x.sqrt() * 0).sum()  # the line in Python
        with pytest.raises(jvm.java_class("org.onetape.TorchException")) as caught:
            passes.backward(y)
    (told,) = caught.value.getSuppressed()
    assert "y = (x.sqrt() * 0).sum()  # the line in Python" in str(told.getMessage())
