"""A minute of calls that nobody means: no process dies, hangs or finds itself broken. `make fuzz` tries other seeds."""

import contextlib
from collections.abc import Callable
from typing import Any

import pytest

import onetape as torch
from tests.fuzz.__main__ import main
from tests.fuzz.nasty import shrinking


@pytest.mark.parametrize("face", ["python", "java"])
def test_every_call_ends_in_an_answer_or_an_exception(face: str) -> None:
    assert main(["--face", face, "--seconds", "25"]) == 0


@pytest.mark.parametrize("face", ["python-threads", "java-threads"])
def test_threads_may_do_what_they_like_with_the_same_tensors(face: str) -> None:
    assert main(["--face", face, "--seconds", "6"]) == 0


READERS: dict[str, Callable[[Any], Any]] = {
    "shape": torch.zeros,
    "sizes": torch.ones(24).reshape,
    "data": torch.tensor,
    "index": lambda items: torch.ones(9)[items],
    "dims": lambda items: torch.ones(2, 2, 2, 2).sum(items),
}


@pytest.mark.parametrize("reader", READERS)
def test_a_list_may_change_while_it_is_read(reader: str) -> None:
    with contextlib.suppress(RuntimeError, IndexError, ValueError, TypeError):
        READERS[reader](shrinking())
