"""Differentiation: gradients of tensors with respect to those they were made from."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from onetape.autograd import function, grad_mode, graph
from onetape.autograd._engine import backward, grad
from onetape.autograd.anomaly_mode import detect_anomaly, set_detect_anomaly
from onetape.autograd.function import Function
from onetape.autograd.grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled
from onetape.autograd.gradcheck import gradcheck, gradgradcheck

if TYPE_CHECKING:
    from onetape.autograd import forward_ad, functional, profiler, profiler_util

__all__ = [
    "Function",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "forward_ad",
    "function",
    "functional",
    "grad",
    "grad_mode",
    "gradcheck",
    "gradgradcheck",
    "graph",
    "inference_mode",
    "no_grad",
    "profiler",
    "profiler_util",
    "set_detect_anomaly",
    "set_grad_enabled",
]


def __getattr__(name: str) -> Any:
    if name in ("forward_ad", "functional", "profiler", "profiler_util"):  # loaded when they are first asked for
        return import_module(f"onetape.autograd.{name}")
    raise AttributeError(f"module 'onetape.autograd' has no attribute '{name}'")
