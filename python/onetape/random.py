"""Seeding of the default generator."""

from __future__ import annotations

from onetape._C import Generator, Tensor, default_generator

__all__ = ["get_rng_state", "initial_seed", "manual_seed", "seed", "set_rng_state"]


def manual_seed(seed: int) -> Generator:
    """Seeds the default generator: the same seed gives the same random numbers. Returns the generator."""
    return default_generator.manual_seed(int(seed))


def seed() -> int:
    """Seeds the default generator from the system's entropy; returns the seed."""
    return default_generator.seed()


def initial_seed() -> int:
    """The seed that the default generator was given last."""
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """The state of the default generator, as a tensor of bytes."""
    return default_generator.get_state()


def set_rng_state(new_state: Tensor) -> None:
    """Sets the state of the default generator to one that get_rng_state() gave."""
    default_generator.set_state(new_state)
