"""Scenarios of datasets, samplers and loaders; see tests/golden/training/scenarios.py for what a scenario is."""

from __future__ import annotations

import random
import warnings
from collections import OrderedDict, UserDict, UserList, namedtuple
from typing import Any

import numpy as np

from tests.golden.training.scenarios import Scenario, attempt

Pair = namedtuple("Pair", ["left", "right"])


def seeded(torch: Any, seed: int = 7) -> Any:
    return torch.Generator().manual_seed(seed)


def after(torch: Any, generator: Any = None) -> int:
    """A number that tells where a generator stands."""
    return int(torch.randint(2**31, (1,), generator=generator))


def quiet(action: Any) -> Any:
    """The result of an action that warns."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = attempt(action)
    return [result, [str(warning.message).split("http")[0] for warning in caught]]


# ---- samplers ----


def samplers(torch: Any) -> Any:
    data = torch.utils.data
    torch.manual_seed(5)
    answers: dict[str, Any] = {}

    def note(name: str, sampler: Any, generator: Any = None) -> None:
        answers[name] = [list(sampler), len(sampler), after(torch, generator)]

    note("sequential", data.SequentialSampler(range(4)))
    note("random", data.RandomSampler(range(10)))
    note("fewer", data.RandomSampler(range(10), num_samples=4))
    note("more", data.RandomSampler(range(5), num_samples=13))
    note("twice", data.RandomSampler(range(5), num_samples=10))
    note("replacement", data.RandomSampler(range(10), replacement=True, num_samples=70))
    for count in (3, 10, 20, 25):
        generator = seeded(torch)
        note(f"own generator {count}", data.RandomSampler(range(10), num_samples=count, generator=generator), generator)
    generator = seeded(torch)
    note("own replacement", data.RandomSampler(range(10), True, 64, generator), generator)
    note("subset", data.SubsetRandomSampler([5, 3, 8, 1]))
    note("subset own", data.SubsetRandomSampler("abcdef", seeded(torch)))
    weights = [0.1, 0.9, 0.4, 0.7, 3.0, 0.6]
    note("weighted", data.WeightedRandomSampler(weights, 12))
    note("weighted once", data.WeightedRandomSampler(torch.tensor(weights), 5, replacement=False))
    note("weighted own", data.WeightedRandomSampler(weights, 6, True, seeded(torch)))
    note("batches", data.BatchSampler(data.SequentialSampler(range(10)), 3, False))
    note("full batches", data.BatchSampler(data.SequentialSampler(range(10)), 3, True))
    for shuffle in (False, True):
        for drop_last in (False, True):
            for rank in range(3):
                sampler = data.DistributedSampler(range(11), 3, rank, shuffle, 4, drop_last)
                sampler.set_epoch(2)
                note(f"share {shuffle} {drop_last} {rank}", sampler)
    note("small shares", data.DistributedSampler(range(2), 5, 4, False))
    return answers


def sampler_errors(torch: Any) -> Any:
    data = torch.utils.data
    return [
        attempt(lambda: data.RandomSampler(range(3), replacement=1)),
        attempt(lambda: data.RandomSampler([])),
        attempt(lambda: data.RandomSampler(range(3), num_samples=-1)),
        attempt(lambda: data.RandomSampler(range(3), num_samples=1.5)),
        attempt(lambda: data.WeightedRandomSampler([1.0], True)),
        attempt(lambda: data.WeightedRandomSampler([1.0], 0)),
        attempt(lambda: data.WeightedRandomSampler([1.0], 1, 1)),
        attempt(lambda: data.WeightedRandomSampler([[1.0]], 1)),
        attempt(lambda: list(data.WeightedRandomSampler([1.0, 0.0], 2, False))),
        attempt(lambda: data.BatchSampler([1], 0, False)),
        attempt(lambda: data.BatchSampler([1], True, False)),
        attempt(lambda: data.BatchSampler([1], 1, 0)),
        attempt(lambda: len(data.BatchSampler(iter([1]), 1, False))),
        attempt(lambda: iter(data.Sampler())),
        attempt(lambda: data.DistributedSampler(range(3), 2, 2)),
    ]


# ---- datasets ----


def datasets(torch: Any) -> Any:
    data = torch.utils.data
    x, y = torch.arange(12).view(6, 2), torch.arange(6)
    pairs = data.TensorDataset(x, y)
    both = pairs + data.TensorDataset(x + 100, y + 100)
    stacked = data.StackDataset(pairs, range(6))
    named = data.StackDataset(a=range(3), b="xyz")
    subset = data.Subset(both, [7, 0, 11])

    class Stream(data.IterableDataset):
        def __init__(self, *items: int) -> None:
            self.items = items

        def __iter__(self) -> Any:
            return iter(self.items)

        def __len__(self) -> int:
            return len(self.items)

    chain = Stream(1, 2) + Stream(3)
    return [
        [len(pairs), pairs[2], pairs[-1]],
        [len(both), both[1], both[6], both[-1], both.cumulative_sizes],
        [len(stacked), stacked[3], stacked.__getitems__([0, 5])],
        [len(named), named[1], named.__getitems__([2, 0])],
        [len(subset), [sample[1].item() for sample in subset], subset.__getitems__([2, 0])],
        [list(chain), len(chain)],
        attempt(lambda: data.TensorDataset(x, torch.ones(5))),
        attempt(lambda: data.StackDataset()),
        attempt(lambda: data.StackDataset(range(2), range(3))),
        attempt(lambda: data.StackDataset(range(2), a=range(2))),
        attempt(lambda: data.ConcatDataset([])),
        attempt(lambda: data.ConcatDataset([Stream(1)])),
        attempt(lambda: both[-13]),
        attempt(lambda: both[12]),
        attempt(lambda: list(data.ChainDataset([range(2)]))),
        attempt(lambda: data.Dataset()[0]),
        attempt(lambda: type("Half", (data.Subset,), {"__getitem__": lambda self, i: i})(pairs, [0])),
    ]


def splits(torch: Any) -> Any:
    split = torch.utils.data.random_split
    torch.manual_seed(9)

    def parts(*arguments: Any, **options: Any) -> Any:
        return quiet(lambda: [list(part.indices) for part in split(*arguments, **options)])

    return [
        parts(range(10), [3, 7]),
        parts(range(10), [3, 7], generator=seeded(torch)),
        parts(range(30), [0.3, 0.3, 0.4], generator=seeded(torch)),
        parts(range(11), [0.5, 0.25, 0.25]),
        parts(range(2), [0.5, 0.3, 0.2]),
        parts(range(3), [1.0]),
        parts(range(3), [1, 1]),
        parts(range(3), [0.5, 0.6]),
        parts(range(3), [1.5, -0.5]),
        after(torch),
    ]


# ---- collating ----


def collating(torch: Any) -> Any:
    collate = torch.utils.data.default_collate
    calls = [
        [torch.ones(2), torch.zeros(2)],
        [1, 2, 3],
        [True, False],
        [1.5, 2.0],
        ["a", "b"],
        [b"a", b"b"],
        [np.arange(3, dtype=np.int16)] * 2,
        [np.float32(1.5), np.float32(2)],
        [np.float64(1.5), np.float64(2)],
        [np.int8(1), np.int8(2)],
        [np.bool_(True), np.bool_(False)],
        [{"a": 1, "b": torch.ones(1)}, {"a": 2, "b": torch.zeros(1)}],
        [OrderedDict(x=1.0), OrderedDict(x=2.0)],
        [UserDict(x=1), UserDict(x=2)],
        [Pair(1, "l"), Pair(2, "r")],
        [(1, 2), (3, 4)],
        [[1, 2.0], [3, 4.0]],
        [UserList([1, 2]), UserList([3, 4])],
        [range(2), range(2)],
        [((1, [2, "x"]), {"k": (0.5,)})] * 2,
        [torch.ones(2), torch.ones(3)],
        [[1], [1, 2]],
        [object.__new__(object)],
        [None, None],
        [np.array(["a"])],
        [{"a": 1}, {"b": 1}],
        [1, "a"],
        [],
    ]
    answers = []
    for batch in calls:
        result = attempt(lambda batch=batch: collate(batch))
        answers.append([type(result).__name__, dict(result) if isinstance(result, UserDict) else result])
        if isinstance(result, UserList):
            answers[-1][1] = list(result)
    return answers


def converting(torch: Any) -> Any:
    convert = torch.utils.data.default_convert
    values = [
        1,
        "a",
        np.arange(3),
        np.float64(2),
        np.array(["a"]).tolist(),
        {"a": np.ones(1)},
        Pair(np.zeros(1), 1),
        (np.zeros(2), "x"),
        [np.zeros(1), [np.ones(1)]],
        range(2),
        torch.ones(1),
    ]
    return [[type(convert(value)).__name__, convert(value)] for value in values]


def collate_maps(torch: Any) -> Any:
    module = __import__(f"{torch.__name__}.utils.data._utils.collate", fromlist=["collate"])

    def joined(batch: Any, *, collate_fn_map: Any = None) -> str:
        return "+".join(batch)

    def numbers(batch: Any, *, collate_fn_map: Any = None) -> Any:
        return sum(batch)

    return [
        module.collate([("a", 1), ("b", 2)], collate_fn_map={str: joined, int: numbers}),
        module.collate([True, True], collate_fn_map={(int, float): numbers}),
        attempt(lambda: module.collate([1], collate_fn_map={})),
        [str(key).replace("onetape", "torch") for key in module.default_collate_fn_map],
    ]


# ---- loaders ----


def _made(torch: Any, count: int = 10) -> Any:
    class Made(torch.utils.data.Dataset):
        def __len__(self) -> int:
            return count

        def __getitem__(self, index: int) -> Any:
            return {"x": torch.full((2,), float(index)), "n": index, "r": torch.rand(1)}

    return Made()


def _stream(torch: Any, count: int = 7, length: int | None = None) -> Any:
    class Stream(torch.utils.data.IterableDataset):
        def __iter__(self) -> Any:
            info = torch.utils.data.get_worker_info()
            step = 1 if info is None else info.num_workers
            return iter(range(0 if info is None else info.id, count, step))

        def __repr__(self) -> str:
            return "Stream"

    stream = Stream()
    if length is not None:
        Stream.__len__ = lambda self: length
    return stream


def loading(torch: Any) -> Any:
    loader = torch.utils.data.DataLoader
    answers: dict[str, Any] = {}

    def note(name: str, *arguments: Any, passes: int = 1, **options: Any) -> None:
        torch.manual_seed(11)
        made = loader(*arguments, **options)
        batches = [list(made) for _ in range(passes)]
        answers[name] = [batches, attempt(lambda: len(made)), after(torch, options.get("generator"))]

    data = _made(torch)
    note("plain", data)
    note("batches", data, batch_size=4)
    note("full batches", data, batch_size=4, drop_last=True)
    note("shuffled", data, batch_size=4, shuffle=True, passes=2)
    note("own generator", data, batch_size=4, shuffle=True, generator=seeded(torch), passes=2)
    note("no batches", [np.ones(1), (np.zeros(2), "a")], batch_size=None)
    note("sampler", data, batch_size=3, sampler=[4, 2, 0, 9])
    note("batch sampler", data, batch_sampler=[[1, 2], [3], [4, 5, 6]])
    note("collate", range(5), batch_size=2, collate_fn=lambda batch: [value * 10 for value in batch])
    note("stream", _stream(torch), batch_size=3)
    note("stream with length", _stream(torch, 7, 7), batch_size=3, drop_last=True)
    note("stream without batches", _stream(torch), batch_size=None)
    note("lists", ["ab", "cd", "ef"], batch_size=2)
    return answers


def worker_loading(torch: Any) -> Any:
    """With two worker processes; their random numbers are seeded from the loader's."""
    torch.manual_seed(13)
    random.seed(1)
    np.random.seed(1)
    loader = torch.utils.data.DataLoader

    class Random(torch.utils.data.Dataset):
        def __len__(self) -> int:
            return 6

        def __getitem__(self, index: int) -> Any:
            info = torch.utils.data.get_worker_info()
            numbers = [torch.rand(()).item(), random.random(), np.random.rand()]
            return [index, info.id, info.num_workers, info.seed, torch.get_num_threads(), *numbers]

    answers: list[Any] = []
    for options in (
        {},
        {"shuffle": True},
        {"generator": seeded(torch), "shuffle": True},
        {"persistent_workers": True, "shuffle": True},
    ):
        made = loader(Random(), batch_size=2, num_workers=2, collate_fn=list, **options)
        answers += [list(made), list(made), after(torch)]
    for batch_size, drop_last in ((1, False), (2, False), (2, True), (None, False)):
        answers.append(list(loader(_stream(torch), batch_size, num_workers=2, drop_last=drop_last)))
    short = loader(_stream(torch, 4, 2), num_workers=2)
    answers.append(quiet(lambda: [len(short), list(short)]))
    return answers


def loader_errors(torch: Any) -> Any:
    loader = torch.utils.data.DataLoader
    stream = _stream(torch)
    once = loader(range(3))
    calls: list[Any] = [
        lambda: loader([1], num_workers=-1),
        lambda: loader([1], timeout=-1),
        lambda: loader([1], prefetch_factor=2),
        lambda: loader([1], num_workers=1, prefetch_factor=-1),
        lambda: iter(loader([1], num_workers=1, prefetch_factor=0)),
        lambda: loader([1], persistent_workers=True),
        lambda: loader(stream, shuffle=True),
        lambda: loader(stream, sampler=[1]),
        lambda: loader(stream, batch_sampler=[1]),
        lambda: loader([1], shuffle=True, sampler=[0]),
        lambda: loader([1], batch_size=2, batch_sampler=[[0]]),
        lambda: loader([1], batch_size=None, drop_last=True),
        lambda: loader([1], batch_size=0),
        lambda: loader([], shuffle=True),
        lambda: loader([1], multiprocessing_context="fork"),
        lambda: loader([1], num_workers=1, multiprocessing_context="no"),
        lambda: loader([1], num_workers=1, multiprocessing_context=3),
        lambda: iter(loader([1], timeout=1)),
        lambda: setattr(once, "batch_size", 3),
        lambda: setattr(once, "dataset", []),
        lambda: list(loader(range(2), sampler=[5])),
        lambda: list(loader([object()])),
        lambda: len(loader(stream)),
        lambda: quiet(lambda: list(loader([1], pin_memory=True))),
    ]
    return [attempt(call) for call in calls]


SCENARIOS: dict[str, Scenario] = {
    function.__name__: function
    for function in (
        samplers,
        sampler_errors,
        datasets,
        splits,
        collating,
        converting,
        collate_maps,
        loading,
        worker_loading,
        loader_errors,
    )
}
