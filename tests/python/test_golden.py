"""The golden files are complete: every sample of every table has its answer, from the arguments that it has now."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np
import pytest

from native.codegen.tables import Op
from tests.golden import samples, store
from tests.golden.plan import plain_cases
from tests.python.support.operators import OPERATORS

REMEDY = f"run: {store.MAKE} {{}} (needs PyTorch)"


def stale(op: Op) -> Iterator[str]:
    """What the golden file lacks of an operator, or has otherwise."""
    stored = store.read(op.family)["ops"].get(op.id)
    if stored is None:
        yield "the operator has no golden values"
        return
    facts = store.facts_of(op)
    if {key: stored[key] for key in facts} != facts:
        yield "its signature has changed"
    if stored.get("absent"):
        return
    cases = {(c["sample"], c["variant"], c["dtype"]): c for c in stored["cases"]}
    for case in plain_cases(op):
        found = cases.pop(case.key, None)
        arguments = case.arguments()
        if found is None:
            yield f"no value for ({case.sample}) with {case.dtype}"
        elif json.dumps(found["args"]) != json.dumps(store.encode(arguments.args)):
            yield f"the arguments of ({case.sample}) with {case.dtype} have changed"
        elif ("undeclared" in found) and case.declared:
            yield f"{case.dtype} was not declared when ({case.sample}) was run"
    for sample, variant, dtype in cases:
        if sample not in op.samples:
            yield f"({sample}), {variant}, {dtype} stands in no table"


@pytest.mark.parametrize("op", [pytest.param(op, id=op.id) for op in OPERATORS.values()])
def test_every_sample_has_a_value(op: Op) -> None:
    problems = [*stale(op)]
    assert not problems, "\n".join([f"{op.file}:{op.line}: {op.id}", *problems[:5], REMEDY.format(op.family)])


def test_no_value_without_operator() -> None:
    families = {op.family for op in OPERATORS.values()}
    for path in store.FOLDER.glob("*.json.gz"):
        family = path.name.removesuffix(".json.gz")
        assert family in families, f"{path.name} belongs to no table"
        gone = store.read(family)["ops"].keys() - OPERATORS.keys()
        assert not gone, f"{path.name} has values of {sorted(gone)}; {REMEDY.format(family)}"


def test_files_are_small() -> None:
    sizes = {path.name: path.stat().st_size for path in store.FOLDER.glob("*.json.gz")}
    assert all(size < 1_000_000 for size in sizes.values()), sizes


# ---- the samples' language ----

DTYPES = pytest.mark.parametrize("dtype", samples.DTYPES)


@DTYPES
def test_makers_keep_their_promises(dtype: str) -> None:
    text = "real(40), pos(40), apart(40), unit(40), prob(40), index(40, high=5), mask(40)"
    real, pos, apart, unit, prob, index, mask = (a.view for a in samples.evaluate("op", text, dtype).args)
    assert index.dtype == np.int64 and set(index.tolist()) <= set(range(5))
    assert mask.dtype == np.bool_ and 0 < mask.sum() < 40
    for values in (real, pos, apart, unit, prob):
        assert values.dtype == samples.storage_dtype(dtype)
    if dtype in samples.INTEGRAL:
        assert len(set(real.tolist())) == len(set(apart.tolist())) == 40
        assert pos.min() > 0 and not (apart == 0).any()
    if dtype in samples.FLOATING:
        ranges = ((real, -2, 2), (pos, 0.2, 3), (apart, -2, 2), (unit, -0.95, 0.95), (prob, 0.05, 0.95))
        for values, low, high in ranges:
            assert len(set(values.tolist())) == 40
            assert values.min() > low and values.max() < high
            assert np.abs(values - np.round(values)).min() > 0.05
        assert np.abs(apart).min() > 0.3 and apart.min() < 0 < apart.max()


@DTYPES
def test_floating_values_are_the_same_in_every_dtype(dtype: str) -> None:
    if dtype in samples.FLOATING:
        (wide,) = samples.evaluate("op", "real(6, 6)", "float64").args
        (narrow,) = samples.evaluate("op", "real(6, 6)", dtype).args
        np.testing.assert_array_equal(narrow.view.astype("float64"), wide.view)


@DTYPES
def test_values_survive_storing(dtype: str) -> None:
    for text in (
        "real(3, 4).t()[1:], [pos(2), unit(3)], result(real(2)), dim=-1",
        "special(10)[::2], True, 1.5, None, int8",
    ):
        arguments = samples.evaluate("op", text, dtype)
        encoded = store.encode(arguments.args)
        again = store.encode(store.decode(encoded))
        assert repr(again) == repr(encoded)
    array = store.decode(store.encode(samples.evaluate("op", "real(3, 4).t()[1:]", dtype).args))[0]
    assert (array.shape, array.strides, array.offset) == ((3, 3), (1, 4), 1)


def test_values_stay_when_other_samples_come() -> None:
    first = samples.evaluate("op", "real(2)", "float64").args[0].view.tolist()
    assert first == samples.evaluate("op", "real(2)", "float64").args[0].view.tolist()
    assert first != samples.evaluate("other", "real(2)", "float64").args[0].view.tolist()
    a, b = samples.evaluate("op", "real(4), real(4)", "float64").args
    assert a.view.tolist() != b.view.tolist()


def test_samples_cannot_reach_python() -> None:
    with pytest.raises(samples.SampleError, match="'open' is not defined"):
        samples.evaluate("op", "open('x')", "float64")
