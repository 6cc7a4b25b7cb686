"""Anomaly mode: the forward call of a failing node."""

from __future__ import annotations

import threading
import warnings
from typing import Any

import pytest

import onetape as torch


def failing(backward: Any) -> list[str]:
    """The warnings that come with an error of a backward pass."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with pytest.raises(RuntimeError):
            backward()
    return [str(warning.message) for warning in caught]


def test_names_the_line() -> None:
    x = torch.tensor([0.0], requires_grad=True)
    with torch.autograd.set_detect_anomaly(True):
        y = x.sqrt() * 0  # the line
        (text,) = failing(lambda: y.sum().backward())
    assert text.startswith("Error detected in SqrtBackward0. Traceback of forward call that caused the error:\n")
    assert "y = x.sqrt() * 0  # the line" in text and "in test_names_the_line" in text


def test_the_call_that_a_second_backward_comes_from() -> None:
    x = torch.tensor([0.0], requires_grad=True)
    with torch.autograd.set_detect_anomaly(True):
        y = x**1.5  # the first
        (first,) = torch.autograd.grad(y.sum(), x, create_graph=True)
        (text,) = failing(lambda: torch.autograd.grad((first * 0).sum(), x))
    assert "Previous calculation was induced by PowBackward0." in text
    assert "y = x**1.5  # the first" in text


def test_exception_of_a_hook_is_the_same_object() -> None:
    error = RuntimeError("mine")

    def hook(grad: torch.Tensor) -> None:
        raise error

    x = torch.ones(1, requires_grad=True)
    with torch.autograd.set_detect_anomaly(True), warnings.catch_warnings(record=True):
        y = x.exp()
        y.register_hook(hook)
        with pytest.raises(RuntimeError) as raised:
            y.sum().backward()
    assert raised.value is error


def test_warnings_as_errors_do_not_hide_the_error() -> None:
    x = torch.tensor([0.0], requires_grad=True)
    with torch.autograd.set_detect_anomaly(True), warnings.catch_warnings():
        warnings.simplefilter("error")
        y = x.sqrt() * 0
        with pytest.raises(RuntimeError, match="Function 'SqrtBackward0' returned nan values in its 0th output."):
            y.sum().backward()


def test_all_threads() -> None:
    x = torch.tensor([0.0], requires_grad=True)
    texts: list[str] = []

    def work() -> None:
        y = x.sqrt() * 0
        with pytest.raises(RuntimeError):
            y.sum().backward()

    with torch.autograd.set_detect_anomaly(True), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        texts += [str(w.message) for w in caught]
    assert len(texts) == 1 and "in work" in texts[0]
    assert not torch.is_anomaly_enabled()
