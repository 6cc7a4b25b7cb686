"""Loaders with workers: passes, orders and random numbers."""

from __future__ import annotations

import pickle
import random
import threading
import time
from typing import Any

import numpy as np
import pytest

import onetape as torch
from onetape.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info
from tests.python.support.loading import PROCESSES, Big, ways
from tests.python.support.loading import nothing_left as nothing_left

pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning", "ignore:This DataLoader will create")


@ways
def test_workers_that_stay(options: dict[str, Any]) -> None:
    started = []

    class Whole(IterableDataset):
        def __iter__(self) -> Any:
            info = get_worker_info()
            assert info is not None
            return iter(range(info.id, 9, info.num_workers))

    for data in (range(9), Whole()):
        loader = DataLoader(data, persistent_workers=True, worker_init_fn=started.append, **options)
        for _ in range(3):
            assert [batch.item() for batch in loader] == list(range(9))
        first = loader._iterator
        assert next(iter(loader)).item() == 0  # given up after one batch
        assert [batch.item() for batch in loader] == list(range(9))
        assert loader._iterator is first
    if "worker_method" in options:
        assert sorted(started) == [0, 0, 1, 1]


def test_two_loaders_at_once() -> None:
    one = DataLoader(range(20), persistent_workers=True, **PROCESSES)
    other = DataLoader(range(100, 120), persistent_workers=True, **PROCESSES)
    for _ in range(2):
        pairs = [(a.item(), b.item()) for a, b in zip(one, other)]
        assert pairs == [(i, i + 100) for i in range(20)]


@ways
def test_out_of_order(options: dict[str, Any]) -> None:
    class Uneven(Dataset):
        def __len__(self) -> int:
            return 8

        def __getitem__(self, index: int) -> int:
            time.sleep(2 if index == 0 else 0)
            return index

    got = [batch.item() for batch in DataLoader(Uneven(), in_order=False, **options)]
    assert got[0] != 0 and sorted(got) == list(range(8))


@pytest.mark.parametrize("context", ["spawn", "forkserver"])
def test_other_ways_to_start(context: str) -> None:
    loader = DataLoader(Big(), 3, num_workers=1, multiprocessing_context=context, persistent_workers=True)
    for _ in range(2):
        assert [batch[-3].tolist() for batch in loader] == [[0, 1, 2], [3, 4, 5]]


def test_what_cannot_be_sent_to_a_new_process() -> None:
    with pytest.raises((AttributeError, pickle.PicklingError)):
        iter(DataLoader(range(2), collate_fn=lambda x: x, num_workers=1, multiprocessing_context="spawn"))


@ways
def test_the_same_seed_gives_the_same_numbers(options: dict[str, Any]) -> None:
    class Random(Dataset):
        def __len__(self) -> int:
            return 6

        def __getitem__(self, index: int) -> Any:
            info = get_worker_info()
            assert info is not None and info.num_workers == 2 and info.dataset is not None
            if info.rng is None:
                assert info.worker_method == "multiprocessing"
                return torch.rand(()).item(), random.random(), np.random.rand()
            assert info.worker_method == "thread"
            rng = info.rng
            numbers = torch.rand((), generator=rng.torch_generator).item()
            return numbers, rng.random_generator.random(), rng.numpy_generator.random()

    def numbers() -> Any:
        torch.manual_seed(3)
        return [tuple(value.item() for value in batch) for batch in DataLoader(Random(), **options)]

    first = numbers()
    assert first == numbers() and len(set(first)) == 6
    assert get_worker_info() is None


def test_options_of_threads() -> None:
    with pytest.raises(ValueError, match="worker_method should be one of"):
        DataLoader([1], worker_method="fiber")
    with pytest.raises(ValueError, match="cannot be used with worker_method='thread'"):
        DataLoader([1], num_workers=1, worker_method="thread", multiprocessing_context="fork")


def test_threads_work_at_the_same_time() -> None:
    all_are_inside = threading.Barrier(4)

    class Meeting(Dataset):
        def __len__(self) -> int:
            return 8

        def __getitem__(self, index: int) -> int:
            all_are_inside.wait(60)
            return index

    assert len(list(DataLoader(Meeting(), num_workers=4, worker_method="thread"))) == 8
