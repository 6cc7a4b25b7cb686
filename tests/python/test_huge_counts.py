"""Counts that no memory bounds, since nothing is stored for them, still end at once."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest

import onetape as torch

HUGE = 2**50
LARGEST = 2**63 - 1


@pytest.mark.parametrize("rows", [0, 1, 3, 5])
@pytest.mark.parametrize("columns", [0, 1, 4, 5])
def test_triangle_indices_are_those_of_numpy(rows: int, columns: int) -> None:
    for offset in range(-7, 8):
        for ours, theirs in ((torch.tril_indices, np.tril_indices), (torch.triu_indices, np.triu_indices)):
            expected = np.stack(theirs(rows, offset, columns))
            assert ours(rows, columns, offset).tolist() == expected.tolist()


@pytest.mark.parametrize("offset", [-LARGEST - 1, -LARGEST, -1, 0, 1, LARGEST])
def test_triangles_of_empty_matrices_of_any_size(offset: int) -> None:
    for function in (torch.tril_indices, torch.triu_indices):
        assert function(2**61, 0, offset).shape == (2, 0)
        assert function(0, 2**61, offset).shape == (2, 0)


def test_triangles_far_from_the_first_row() -> None:
    assert torch.tril_indices(HUGE, 2, 1 - HUGE).tolist() == [[HUGE - 1], [0]]
    assert torch.triu_indices(HUGE, 2, 0).tolist() == [[0, 0, 1], [0, 1, 1]]


@pytest.mark.parametrize(
    "call",
    [
        lambda: torch.tril_indices(LARGEST, 1),
        lambda: torch.tril_indices(2**60, 2**60),
        lambda: torch.triu_indices(2**61, 2**61, -LARGEST),
        lambda: torch.empty(0, HUGE).unbind(1),
        lambda: list(torch.empty(HUGE, 0)),
        lambda: torch.empty(HUGE, 0).split(1),
        lambda: torch.empty(2, 0).chunk(HUGE, 1),
        lambda: torch.empty(2, 2).tensor_split(HUGE),
        lambda: torch.empty(2, 2).tensor_split(LARGEST),
    ],
)
def test_more_pieces_than_memory_are_an_error(call: Callable[[], object]) -> None:
    with pytest.raises(RuntimeError, match="memory|too large|more elements|cannot split"):
        call()


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "cummax", "cummin", "sort", "argsort"])
def test_lines_without_elements(name: str) -> None:
    for shape, dim in (((0, HUGE), 0), ((HUGE, 0), 1), ((HUGE, 0), 0)):
        result = getattr(torch.empty(*shape), name)(dim=dim)
        first = result if isinstance(result, torch.Tensor) else result[0]
        assert first.shape == shape


FILL = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
import onetape as torch
kept = []
try:
    while True:
        kept.append(torch.zeros(int(sys.argv[1]), dtype=torch.uint8))
except torch.OutOfMemoryError:
    for _ in range(2000):  # nor does who tries again get the last
        try:
            kept.append(torch.zeros(int(sys.argv[1]), dtype=torch.uint8))
        except torch.OutOfMemoryError:
            pass
    print(len(bytearray(60 << 20)))
"""


@pytest.mark.parametrize("size", [3 << 20, 100 << 10])
def test_tensors_leave_memory_to_others(size: int) -> None:
    """A JVM whose own memory cannot grow would end the process."""
    done = subprocess.run([sys.executable, "-c", FILL, str(size)], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == str(60 << 20), done.stderr
