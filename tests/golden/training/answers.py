"""Reads the stored answers and compares others with them."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tests.golden import store

FILE = Path(__file__).with_name("answers.json.gz")


@cache
def read() -> dict[str, Any]:
    return json.loads(gzip.decompress(FILE.read_bytes()))


def is_tensor(value: Any) -> bool:
    return isinstance(value, dict) and set(value) == {"dtype", "shape", "data"}


def compare(got: Any, expected: Any, ulps: float = 0, scale: float = 0, where: str = "answer") -> None:
    """Asserts that two encoded answers agree; numbers may differ by `ulps` units in the last place.

    scale: numbers smaller than this are measured in the last place of this number.
    """
    if is_tensor(expected):
        assert {**got, "data": 0} == {**expected, "data": 0}, where
        mine, theirs = (store.elements(x["data"], x["dtype"]) for x in (got, expected))
        if not ulps:
            assert np.array_equal(mine, theirs, equal_nan=True), f"{where}: {mine} instead of {theirs}"
            return
        if np.iscomplexobj(theirs):
            mine, theirs = (np.stack([x.real, x.imag]) for x in (mine, theirs))
        unit = np.spacing(np.maximum(np.abs(theirs), np.asarray(scale, theirs.dtype)))
        if expected["dtype"] == "bfloat16":
            unit = unit * 2**16  # kept as float32
        both_nan = np.isnan(mine) & np.isnan(theirs)
        worst = np.max(np.where(both_nan, 0, np.abs(mine - theirs) / unit), initial=0.0)
        assert worst <= ulps, f"{where}: {worst} units in the last place: {mine} instead of {theirs}"
    elif isinstance(expected, dict):
        assert list(got) == list(expected), where
        for key in expected:
            compare(got[key], expected[key], ulps, scale, f"{where}[{key}]")
    elif isinstance(expected, list):
        assert len(got) == len(expected), where
        for i, (mine, theirs) in enumerate(zip(got, expected)):
            compare(mine, theirs, ulps, scale, f"{where}[{i}]")
    elif isinstance(expected, float) and ulps:
        assert abs(got - expected) <= ulps * np.spacing(max(abs(expected), scale)), where
    else:
        assert got == expected, where
