"""Helpers around training."""

from onetape.utils import checkpoint as checkpoint
