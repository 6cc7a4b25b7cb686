"""Random programs (tests/golden/programs) do what they do in PyTorch: values, gradients of gradients, hooks, errors.

``python -m tests.python.test_random_programs FILE`` compares the programs of another file, which make_programs wrote.
"""

from __future__ import annotations

import gzip
import json
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

import onetape as torch
from tests.golden.programs import smooth
from tests.golden.programs.generate import TOLERANCES, agree, answer_of
from tests.golden.programs.machine import Machine
from tests.golden.programs.make_programs import PATH, SMOOTH

GROUP = 100
"""So many programs are one test."""


def programs(path: Path) -> list[dict[str, Any]]:
    return json.loads(gzip.decompress(path.read_bytes()))["programs"]


PROGRAMS = programs(PATH)
SMOOTH_PROGRAMS = programs(SMOOTH)


def differences(stored: dict[str, Any]) -> list[str]:
    """What a program does otherwise than in PyTorch."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = answer_of(Machine(torch), stored["program"])
    tolerance = TOLERANCES[stored["dtype"]]
    lines = []
    for part in ("log", "registers"):
        expected = stored[part]
        if len(expected) != len(found[part]):
            lines.append(f"{len(found[part])} entries of {part}, {len(expected)} in PyTorch")
        for place, (a, b) in enumerate(zip(expected, found[part], strict=False)):
            if not agree(a, b, tolerance):
                lines.append(f"{part} {place}: {b}, but in PyTorch {a}")
    return lines


def report(stored: dict[str, Any], lines: list[str]) -> str:
    steps = "\n".join(f"    {json.dumps(step)}" for step in stored["program"])
    return f"program {stored['seed']}:\n{steps}\n" + "\n".join(lines)


@pytest.mark.parametrize("first", range(0, len(PROGRAMS), GROUP))
def test_as_pytorch(first: int) -> None:
    found = [report(stored, lines) for stored in PROGRAMS[first : first + GROUP] if (lines := differences(stored))]
    assert not found, "\n\n".join(found[:5])


@pytest.mark.parametrize("first", range(0, len(SMOOTH_PROGRAMS), GROUP))
def test_finite_differences(first: int) -> None:
    """First and second gradients of programs without kinks, against the change of values and of gradients."""
    for stored in SMOOTH_PROGRAMS[first : first + GROUP]:
        function, leaves = smooth.function_of(torch, stored["program"], stored["roots"])
        try:
            torch.autograd.gradcheck(function, leaves)
            torch.autograd.gradgradcheck(function, leaves, fast_mode=True)
        except RuntimeError as error:
            raise AssertionError(report(stored, [str(error)])) from error


def test_there_are_enough() -> None:
    assert len(PROGRAMS) >= 2000 and len(SMOOTH_PROGRAMS) >= 300
    everything = json.dumps(PROGRAMS)
    for word in ("modified by an inplace operation", "CopySlices", "a leaf Variable", "accumulated", "second time"):
        assert word in everything


if __name__ == "__main__":
    wrong = 0
    for program in programs(Path(sys.argv[1])):
        lines = differences(program)
        wrong += bool(lines)
        if lines:
            print(report(program, lines[:3]), flush=True)
    print(f"{wrong} programs differ")
