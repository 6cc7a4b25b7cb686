"""Schedules: they change an optimizer's learning rates from epoch to epoch."""

from onetape.optim.lr_scheduler.base import LRScheduler
from onetape.optim.lr_scheduler.combined import ChainedScheduler, SequentialLR
from onetape.optim.lr_scheduler.cosine import CosineAnnealingLR, CosineAnnealingWarmRestarts
from onetape.optim.lr_scheduler.cycles import CyclicLR, OneCycleLR
from onetape.optim.lr_scheduler.functions import LambdaLR, MultiplicativeLR
from onetape.optim.lr_scheduler.plateau import ReduceLROnPlateau
from onetape.optim.lr_scheduler.steps import (
    ConstantLR,
    ExponentialLR,
    LinearLR,
    MultiStepLR,
    PolynomialLR,
    StepLR,
)

__all__ = [
    "ChainedScheduler",
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "OneCycleLR",
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
]
