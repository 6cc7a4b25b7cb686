"""Data in both languages: one order from one seed, the same tables, workers beside a JVM."""

from __future__ import annotations

import gc
import multiprocessing
from pathlib import Path
from typing import Any

import pytest

import onetape as torch
from onetape import jvm, nn
from onetape.utils import summary
from onetape.utils.data import DataLoader, TensorDataset, random_split
from tests.python.support.events import events, value

pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")


@pytest.fixture
def java(border: Any) -> Any:
    return lambda name: jvm.java_class(f"org.onetape.{name}")


@pytest.mark.parametrize("workers", [0, 2])
def test_one_seed_gives_one_order(java: Any, workers: int) -> None:
    x, y = torch.arange(40).view(20, 2), torch.arange(20)

    def of_java() -> list[Any]:
        options = java("data.DataLoaderOptions")(3).shuffle(True).workers(workers)
        loader = java("data.DataLoader")(java("data.TensorDataset")(x, y), options)
        return [(batch.data().tolist(), batch.target().tolist()) for _ in range(2) for batch in loader]

    def of_python() -> list[Any]:
        loader = DataLoader(TensorDataset(x, y), 3, shuffle=True, num_workers=workers)
        return [(data.tolist(), target.tolist()) for _ in range(2) for data, target in loader]

    torch.manual_seed(4)
    expected = of_python()
    after = torch.rand(3).tolist()
    torch.manual_seed(4)
    assert of_java() == expected
    assert torch.rand(3).tolist() == after


def test_a_forked_worker_leaves_the_jvm_alone(java: Any) -> None:
    # JPype has the JVM collect when Python does; in a forked process, that would wait for a thread that is not there.
    assert any(each.__module__ == "_jpype" for each in gc.callbacks)
    reader, writer = multiprocessing.Pipe(duplex=False)

    def child() -> None:
        writer.send([each.__module__ for each in gc.callbacks])

    process = multiprocessing.get_context("fork").Process(target=child)
    process.start()
    assert reader.poll(60)
    assert "_jpype" not in reader.recv()
    process.join()
    assert process.exitcode == 0


def test_one_seed_gives_one_split(java: Any) -> None:
    numbers = torch.arange(11)
    torch.manual_seed(2)
    expected = [[sample[0].item() for sample in part] for part in random_split(TensorDataset(numbers), [0.4, 0.6])]
    torch.manual_seed(2)
    fractions = jvm.java_class("java.util.stream.DoubleStream").of([0.4, 0.6]).toArray()
    parts = java("data.TensorDataset")(numbers).randomSplit(fractions)
    assert [[sample.data().item_long() for sample in part] for part in parts] == expected


def test_one_model_has_one_table(java: Any) -> None:
    python = nn.Sequential(nn.Linear(5, 30), nn.Tanh(), nn.Linear(30, 1))
    sequence = java("nn.SequentialImpl")()
    for module in (java("nn.LinearImpl")(5, 30), java("nn.TanhImpl")(), java("nn.LinearImpl")(30, 1)):
        sequence.push_back(module)
    table = java("utils.ModelSummary").of(sequence, torch.zeros(7, 5))
    assert str(table) == str(summary(python, (7, 5)))


def test_java_writes_events(java: Any, tmp_path: Path) -> None:
    writer = java("utils.SummaryWriter")(str(tmp_path))
    writer.addScalar("loss", torch.tensor(0.5), 3)
    writer.close()
    (event,) = events(tmp_path)
    assert (event[2], value(event)[1], value(event)[2]) == ([3], [b"loss"], [0.5])


def test_measures_agree(java: Any) -> None:
    scores, target = torch.randn(50, 4), torch.randint(4, (50,))
    theirs = java("utils.Metrics")
    ours = torch.utils.metrics
    assert theirs.accuracy(scores, target) == ours.accuracy(scores, target)
    assert theirs.accuracy(scores, target, 2) == ours.accuracy(scores, target, 2)
    assert theirs.confusionMatrix(scores, target).tolist() == ours.confusion_matrix(scores, target).tolist()
    assert theirs.auroc(scores[:, 0], target > 1) == ours.auroc(scores[:, 0], target > 1)
