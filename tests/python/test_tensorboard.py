"""Event files for TensorBoard, read again bit by bit."""

from __future__ import annotations

import io
import math
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import onetape as torch
from onetape.utils.tensorboard import SummaryWriter
from onetape.utils.tensorboard.records import crc32c
from tests.python.support.events import doubles, events, fields, value


def test_checksum() -> None:
    assert crc32c(b"123456789") == 0xE3069283  # the check value of the algorithm
    assert crc32c(b"") == 0


def test_scalars(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path) as writer:
        for i in range(3):
            writer.add_scalar("loss/ä", 1 / (i + 1), i * 100, walltime=5.5 + i)
        writer.add_scalar("t", torch.tensor([2.5]))
        writer.add_scalar("n", np.float64(1e300), -1)
        writer.add_scalar("new", 1.5, 1, new_style=True)
        writer.add_scalar("double", 0.1, 1, double_precision=True)
        assert writer.get_logdir() == str(tmp_path)
    found = events(tmp_path)
    assert [event[1][0] for event in found[:3]] == [5.5, 6.5, 7.5]
    assert [event.get(2) for event in found[:5]] == [[0], [100], [200], None, [2**64 - 1]]
    assert value(found[1])[1] == ["loss/ä".encode()]
    assert [value(event)[2][0] for event in found[:5]] == [1, 0.5, struct32(1 / 3), 2.5, math.inf]
    new, double = (fields(value(event)[8][0]) for event in found[5:])
    assert new[1] == [1] and new[5] == [1.5] and double[1] == [2] and double[6] == [0.1]
    assert fields(fields(value(found[5])[9][0])[1][0])[1] == [b"scalars"]


def struct32(number: float) -> float:
    return float(np.float32(number))


def test_several_curves(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path) as writer:
        writer.add_scalars("both/x", {"a": 1, "b": 2.0}, 7)
        writer.add_scalars("both/x", {"a": 3}, 8)
    assert events(tmp_path) == []
    assert [value(event)[2] for event in events(tmp_path / "both_x_a")] == [[1], [3]]
    assert [value(event)[2] for event in events(tmp_path / "both_x_b")] == [[2]]


def test_histograms(tmp_path: Path) -> None:
    values = [-1.5, 0.0, 0.5, 0.5, 3.0]
    with SummaryWriter(tmp_path) as writer:
        writer.add_histogram("h", torch.tensor([*values, math.nan, math.inf]), 2)
        writer.add_histogram("ten", np.arange(100.0), 2, bins=10)
        writer.add_histogram("edges", [1, 2, 3], 2, bins=[0, 2, 4])
        writer.add_histogram("few", np.arange(100.0), 2, max_bins=5)
        for nothing in (torch.empty(0), torch.tensor([math.nan])):
            with pytest.raises(ValueError, match="The input has no"):
                writer.add_histogram("h", nothing)
        with pytest.raises(ValueError, match="bins must be"):
            writer.add_histogram("h", values, bins="auto")
        with pytest.raises(ValueError, match="no element lies between the edges"):
            writer.add_histogram("h", values, bins=[50, 60])
    found = [fields(value(event)[5][0]) for event in events(tmp_path)]
    assert [found[0][i][0] for i in range(1, 6)] == [-1.5, 3, 5, 2.5, 11.75]
    limits, counts = doubles(found[0][6][0]), doubles(found[0][7][0])
    assert len(limits) == len(counts) and counts[0] == 0 and limits == sorted(limits)
    for i, limit in enumerate(limits):
        assert sum(counts[: i + 1]) == sum(one < limit for one in values)
    assert doubles(found[1][7][0]) == [0] + [10] * 10
    assert doubles(found[1][6][0]) == pytest.approx(np.linspace(0, 99, 11).tolist())
    assert doubles(found[2][6][0]) == [0, 2, 4] and doubles(found[2][7][0]) == [0, 1, 2]
    assert len(doubles(found[3][7][0])) <= 6 and sum(doubles(found[3][7][0])) == 100


def picture(event: Any) -> Any:
    content = fields(value(event)[4][0])
    image = pytest.importorskip("PIL.Image").open(io.BytesIO(content[4][0]))
    assert (image.height, image.width, len(image.getbands())) == tuple(content[i][0] for i in (1, 2, 3))
    return np.asarray(image)


def test_pictures(tmp_path: Path) -> None:
    colours = np.arange(60, dtype=np.uint8).reshape(3, 4, 5)
    with SummaryWriter(tmp_path) as writer:
        writer.add_image("c", torch.tensor(colours), 1)
        writer.add_image("c", colours.transpose(1, 2, 0), 1, dataformats="HWC")
        writer.add_image("g", colours[0] / 255, 1, dataformats="HW")
        writer.add_image("clipped", torch.tensor([[[-1.0, 0.5, 7.0]]]), 1)
        writer.add_images("many", np.arange(10, dtype=np.uint8).reshape(10, 1, 1, 1).repeat(2, 2), 1)
        writer.add_image("two", torch.ones(2, 1, 1), 1)
        for wrong, formats in ((colours, "HW"), (colours, "CHX"), (colours[0], "CHW"), (np.ones((5, 1, 1)), "CHW")):
            with pytest.raises(ValueError, match="size of input tensor and input format|has 1 to 4 channels"):
                writer.add_image("x", wrong, dataformats=formats)
    found = [picture(event) for event in events(tmp_path)]
    assert np.array_equal(found[0], colours.transpose(1, 2, 0)) and np.array_equal(found[1], found[0])
    assert np.array_equal(found[2], colours[0])
    assert found[3].tolist() == [[0, 127, 255]]
    assert found[4].tolist() == [[0, 1, 2, 3, 4, 5, 6, 7]] * 2 + [[8, 9, 0, 0, 0, 0, 0, 0]] * 2
    assert found[5].tolist() == [[[255, 255]]]


def test_figures(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib").use("Agg")
    from matplotlib import pyplot

    with SummaryWriter(tmp_path) as writer:
        writer.add_figure("f", pyplot.figure(figsize=(2, 1), dpi=50), 1)
    assert picture(events(tmp_path)[0]).shape == (50, 100, 4)
    assert pyplot.get_fignums() == []


def test_texts(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path) as writer:
        writer.add_text("note", "**größer**", 3)
    found = value(events(tmp_path)[0])
    tensor = fields(found[8][0])
    assert found[1] == [b"note/text_summary"] and tensor[1] == [7] and tensor[8] == ["**größer**".encode()]
    assert fields(fields(tensor[2][0])[2][0])[1] == [1]
    assert fields(fields(found[9][0])[1][0])[1] == [b"text"]


def test_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    writer = SummaryWriter(comment="_tries", filename_suffix=".x", purge_step=5, max_queue=2)
    folder = tmp_path / writer.log_dir
    assert folder.parent == tmp_path / "runs" and folder.name.endswith("_tries")
    assert [path.suffix for path in folder.iterdir()] == [".x"]
    writer.add_scalar("a", 1, 5)
    assert [event for event in events(folder) if 5 in event] == []  # waits in memory
    writer.flush()
    purge, number = events(folder)
    assert purge[2] == [5] and fields(purge[7][0]) == {1: [1]} and value(number)[2] == [1]
    for _ in range(3):
        writer.add_scalar("a", 2, 6)
    assert len(events(folder)) == 5  # more than may wait
    writer.close()
    writer.close()
    with pytest.raises(ValueError):
        writer.add_scalar("a", 1)


def test_threads(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path) as writer:

        def write(name: str) -> None:
            for i in range(100):
                writer.add_scalar(name, i, i)

        threads = [threading.Thread(target=write, args=(name,)) for name in "abcd"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    found = [(value(event)[1][0], event[2][0]) for event in events(tmp_path)]
    assert sorted(found) == sorted((name.encode(), i) for name in "abcd" for i in range(100))
