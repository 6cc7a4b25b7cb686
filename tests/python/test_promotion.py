"""Which dtype a result has: for all pairs of dtypes, as in PyTorch."""

from __future__ import annotations

import json

import pytest

import onetape as torch
from tests.golden import promotion
from tests.golden.samples import DTYPES

GOLDEN = json.loads(promotion.PATH.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def products() -> dict[str, dict[str, dict[str, str | None]]]:
    return promotion.table(torch)


@pytest.mark.parametrize("first", DTYPES)
@pytest.mark.parametrize("kind", ["tensor", "zero-dim tensor", "number"])
def test_product(products: dict[str, dict[str, dict[str, str | None]]], kind: str, first: str) -> None:
    known = {second: dtype for second, dtype in GOLDEN[kind][first].items() if dtype}
    assert {second: products[kind][first][second] for second in known} == known
