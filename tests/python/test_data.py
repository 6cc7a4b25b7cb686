"""Datasets, samplers, collating and loaders answer as PyTorch does."""

from __future__ import annotations

import gzip
import json
import pickle
from pathlib import Path
from typing import Any

import pytest

import onetape as torch
from onetape.utils import data
from tests.golden.data.scenarios import SCENARIOS
from tests.golden.training import answers
from tests.golden.training.scenarios import encoded

FILE = Path(__file__).parents[1] / "golden" / "data" / "answers.json.gz"


@pytest.fixture(scope="module")
def expected() -> dict[str, Any]:
    return json.loads(gzip.decompress(FILE.read_bytes()))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SCENARIOS)
def test_as_pytorch(name: str, expected: dict[str, Any]) -> None:
    answers.compare(encoded(torch, SCENARIOS[name](torch)), expected[name], where=name)


def test_names() -> None:
    assert torch.utils.data is data
    assert all(hasattr(data, name) for name in data.__all__)
    from onetape.utils.data.dataloader import DataLoader, default_collate
    from onetape.utils.data.dataset import Dataset
    from onetape.utils.data.sampler import Sampler

    found = (DataLoader, default_collate, Dataset, Sampler)
    assert found == (data.DataLoader, data.default_collate, data.Dataset, data.Sampler)


class Fragile(data.Dataset):
    def __len__(self) -> int:
        return 20

    def __getitem__(self, index: int) -> int:
        if index == 13:
            raise ValueError("thirteen")
        return index


def test_an_error_names_the_sample() -> None:
    with pytest.raises(ValueError, match="^thirteen") as caught:
        list(data.DataLoader(Fragile(), batch_size=4))
    assert getattr(caught.value, "__notes__", None) in (None, ["The DataLoader was at sample 13."])


def test_an_error_of_collating_names_the_samples() -> None:
    with pytest.raises(RuntimeError, match="stack expects") as caught:
        list(data.DataLoader([torch.ones(1)] * 12 + [torch.ones(2)], batch_size=13))
    notes = getattr(caught.value, "__notes__", None)
    assert notes in (None, ["The DataLoader was at samples 0, 1, 2, 3, 4, 5, 6, 7, …."])


def test_an_error_of_a_stream_names_the_sample() -> None:
    class Stream(data.IterableDataset):
        def __iter__(self) -> Any:
            yield 1
            yield 2
            raise OSError("gone")

    loader = iter(data.DataLoader(Stream(), batch_size=2))
    assert next(loader).tolist() == [1, 2]
    with pytest.raises(OSError, match="gone") as caught:
        next(loader)
    assert getattr(caught.value, "__notes__", None) in (None, ["The DataLoader was at sample 2 of the stream."])


def test_iterators_are_not_pickled() -> None:
    with pytest.raises(NotImplementedError, match="cannot be pickled"):
        pickle.dumps(iter(data.DataLoader([1])))


def test_datasets_are_pickled() -> None:
    pairs = data.TensorDataset(torch.arange(3), torch.ones(3, 2))
    subset = pickle.loads(pickle.dumps(data.Subset(pairs, [2, 0])))
    assert [sample[0].item() for sample in subset] == [2, 0]


def test_the_distributed_sampler_needs_to_be_told() -> None:
    with pytest.raises(RuntimeError, match="Requires distributed package to be available"):
        data.DistributedSampler(range(3))
