"""The share of a dataset that one of several processes takes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle, islice
from typing import Any

import onetape._C as _C
from onetape._C import Generator
from onetape.utils.data.sampler import Sampler

__all__ = ["DistributedSampler"]


class DistributedSampler(Sampler[int]):
    """Every num_replicas-th index, from the rank-th on, of an order that all processes agree on.

    seed: with the epoch (see set_epoch) decides the order, if shuffle is set
    drop_last: whether the shares are made equal by leaving indices out rather than by repeating some

    Raises ValueError: the rank is not in [0, num_replicas). RuntimeError: num_replicas or rank is left out; there are
    no process groups to ask.
    """

    def __init__(
        self,
        dataset: Any,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        if num_replicas is None or rank is None:
            raise RuntimeError("Requires distributed package to be available")
        if rank >= num_replicas or rank < 0:
            raise ValueError(f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]")
        self.dataset = dataset
        self.num_replicas = num_replicas
        self.rank = rank
        self.epoch = 0
        self.shuffle = shuffle
        self.seed = seed
        self.drop_last = drop_last
        spare = 0 if drop_last else num_replicas - 1
        self.num_samples = (len(dataset) + spare) // num_replicas
        self.total_size = self.num_samples * num_replicas

    def __iter__(self) -> Iterator[int]:
        size = len(self.dataset)
        order = list(range(size))
        if self.shuffle:
            order = _C.randperm(size, generator=Generator().manual_seed(self.seed + self.epoch)).tolist()
        return islice(cycle(order), self.rank, self.total_size, self.num_replicas)

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Says which pass comes next: each has an order of its own."""
        self.epoch = epoch
