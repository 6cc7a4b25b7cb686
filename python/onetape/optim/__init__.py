"""Optimizers: they change parameters along their gradients."""

from onetape.optim import lr_scheduler, swa_utils
from onetape.optim._optimizers import (
    ASGD,
    SGD,
    Adadelta,
    Adafactor,
    Adagrad,
    Adam,
    Adamax,
    AdamW,
    Muon,
    NAdam,
    RAdam,
    RMSprop,
    Rprop,
)
from onetape.optim.lbfgs import LBFGS
from onetape.optim.optimizer import Optimizer

__all__ = [
    "ASGD",
    "LBFGS",
    "SGD",
    "Adadelta",
    "Adafactor",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Muon",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "lr_scheduler",
    "swa_utils",
]

_MISSING = {
    "SparseAdam": "there are no sparse tensors",
}


def __getattr__(name: str) -> object:
    why = f": {_MISSING[name]}" if name in _MISSING else ""
    raise AttributeError(f"module 'onetape.optim' has no attribute '{name}'{why}")
