"""Datasets and checks that the tests of loaders share."""

from __future__ import annotations

import gc
import multiprocessing
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import onetape as torch
from onetape.utils.data import Dataset

METHODS: list[dict[str, Any]] = [{"num_workers": 2}, {"num_workers": 2, "worker_method": "thread"}]
ways = pytest.mark.parametrize("options", METHODS, ids=["processes", "threads"])
PROCESSES = METHODS[0]


def folders() -> set[Path]:
    pattern = f"onetape-data-{os.getpid()}-*"
    return {*Path("/dev/shm").glob(pattern), *Path(tempfile.gettempdir()).glob(pattern)}


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    """No worker and no file is left behind by a test."""
    files = folders()
    yield
    gc.collect()
    assert multiprocessing.active_children() == []
    assert folders() <= files


class Big(Dataset[Any]):
    """Tensors and arrays of several dtypes, large and small."""

    kinds = (torch.float32, torch.float64, torch.int16, torch.bool, torch.bfloat16, torch.complex64, torch.uint8)

    def __len__(self) -> int:
        return 6

    def __getitem__(self, index: int) -> Any:
        tensors = [torch.arange(2000).add(index).to(kind) for kind in self.kinds]
        array = np.full((60, 50), index, dtype=np.float32)
        return [*tensors, array, index, torch.full((3,), index), "text" * index]


class Slow(Dataset[int]):
    """Takes its time for all samples but the first."""

    def __init__(self, seconds: float, count: int = 4) -> None:
        self.seconds = seconds
        self.count = count

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> int:
        time.sleep(self.seconds if index else 0)
        return index
