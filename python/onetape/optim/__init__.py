"""Optimizers: they change parameters along their gradients."""

from onetape.optim import lr_scheduler
from onetape.optim.adam import Adam, AdamW
from onetape.optim.optimizer import Optimizer
from onetape.optim.sgd import SGD

__all__ = ["SGD", "Adam", "AdamW", "Optimizer", "lr_scheduler"]
