"""Tensors with automatic differentiation. ``import onetape as torch`` runs programs written for PyTorch."""

from importlib import import_module
from math import e, inf, nan, pi
from typing import Any

from onetape import _C, _tensor, autograd, cuda, random, storage
from onetape._C import *
from onetape._C import (
    Generator,
    Node,
    OutOfMemoryError,
    Size,
    Tensor,
    __version__,
    default_generator,
    device,
    dtype,
    layout,
    memory_format,
)
from onetape._graph import Graph, graph
from onetape._numeric import finfo, iinfo
from onetape._printing import get_printoptions, printoptions, set_printoptions
from onetape._typename import typename
from onetape.autograd.grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled
from onetape.random import get_rng_state, initial_seed, manual_seed, seed, set_rng_state


def __getattr__(name: str) -> Any:
    """Loads the larger parts of the package when they are first asked for."""
    if name in ("nn", "optim"):
        return import_module(f"onetape.{name}")
    raise AttributeError(f"module 'onetape' has no attribute '{name}'")
