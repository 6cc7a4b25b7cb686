"""Tensors with automatic differentiation. ``import onetape as torch`` runs programs written for PyTorch."""

from importlib import import_module
from math import e as e
from math import inf as inf
from math import nan as nan
from math import pi as pi
from typing import TYPE_CHECKING, Any

from onetape import _C, _tensor
from onetape import accelerator as accelerator
from onetape import autograd as autograd
from onetape import backends as backends
from onetape import cpu as cpu
from onetape import cuda as cuda
from onetape import mps as mps
from onetape import random as random
from onetape import storage as storage
from onetape import xpu as xpu
from onetape._C import *
from onetape._C import __version__ as __version__
from onetape._functional import broadcast_shapes as broadcast_shapes
from onetape._functional import is_inference as is_inference
from onetape._functional import tensordot as tensordot
from onetape._functional import unique as unique
from onetape._numeric import finfo as finfo
from onetape._numeric import iinfo as iinfo
from onetape._printing import get_printoptions as get_printoptions
from onetape._printing import printoptions as printoptions
from onetape._printing import set_printoptions as set_printoptions
from onetape._typename import typename as typename
from onetape.autograd.grad_mode import enable_grad as enable_grad
from onetape.autograd.grad_mode import inference_mode as inference_mode
from onetape.autograd.grad_mode import no_grad as no_grad
from onetape.autograd.grad_mode import set_grad_enabled as set_grad_enabled
from onetape.random import get_rng_state as get_rng_state
from onetape.random import initial_seed as initial_seed
from onetape.random import manual_seed as manual_seed
from onetape.random import seed as seed
from onetape.random import set_rng_state as set_rng_state

newaxis = None

if TYPE_CHECKING:
    from onetape import distributed as distributed
    from onetape import func as func
    from onetape import futures as futures
    from onetape import io as io
    from onetape import jit as jit
    from onetape import nn as nn
    from onetape import optim as optim
    from onetape import profiler as profiler
    from onetape import serialization as serialization
    from onetape import utils as utils
    from onetape._graph import Graph as Graph
    from onetape._graph import graph as graph
    from onetape._graph_server import GraphServer as GraphServer
    from onetape.futures import Future as Future
    from onetape.serialization import load as load
    from onetape.serialization import save as save

# The larger parts are loaded when they are first asked for: name -> module, and the name in it.
_LAZY = {
    "Future": ("futures", "Future"),
    "distributed": ("distributed", ""),
    "func": ("func", ""),
    "futures": ("futures", ""),
    "io": ("io", ""),
    "jit": ("jit", ""),
    "nn": ("nn", ""),
    "optim": ("optim", ""),
    "profiler": ("profiler", ""),
    "serialization": ("serialization", ""),
    "utils": ("utils", ""),
    "Graph": ("_graph", "Graph"),
    "graph": ("_graph", "graph"),
    "load": ("serialization", "load"),
    "save": ("serialization", "save"),
    "GraphServer": ("_graph_server", "GraphServer"),
}

_public = [name for name in globals() if not name.startswith("_")]
__all__ = sorted({*_public, *_LAZY, "__version__"} - {"TYPE_CHECKING", "Any", "import_module"})


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        if name.startswith("_") and not name.startswith("__") and hasattr(_C, name):
            return getattr(_C, name)  # operators such as _unique2 that PyTorch has, but does not document
        raise AttributeError(f"module 'onetape' has no attribute '{name}'")
    module, attribute = _LAZY[name]
    loaded = import_module(f"onetape.{module}")
    return getattr(loaded, attribute) if attribute else loaded


def __dir__() -> list[str]:
    return __all__
