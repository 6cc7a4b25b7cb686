"""autograd.functional, func and forward_ad give what PyTorch gives: values, flags, errors."""

from __future__ import annotations

import gc
import json
import math
import threading
from pathlib import Path
from typing import Any

import pytest

import onetape as torch
from onetape.autograd import forward_ad
from tests.golden.functional.answers import answer
from tests.golden.functional.scenarios import SCENARIOS

FILE = Path(__file__).resolve().parents[1] / "golden" / "functional" / "answers.json"
ANSWERS = json.loads(FILE.read_text(encoding="utf-8"))["answers"]


def assert_same(got: Any, expected: Any, where: str = "answer") -> None:
    if isinstance(expected, list):
        assert isinstance(got, list), f"{where}: {got}"
        assert len(got) == len(expected), where
        for place, (one, other) in enumerate(zip(got, expected, strict=True)):
            assert_same(one, other, f"{where}[{place}]")
    elif isinstance(expected, dict):
        assert isinstance(got, dict), f"{where}: {got}"
        assert list(got) == list(expected), f"{where}: {got}"
        for key, other in expected.items():
            assert_same(got[key], other, f"{where}[{key}]")
    elif isinstance(expected, float):
        assert math.isclose(got, expected, rel_tol=1e-12, abs_tol=1e-13), f"{where}: {got} instead of {expected}"
    else:
        assert got == expected, where


def vec(*values: float, **options: Any) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64, **options)


def tangent(t: torch.Tensor) -> list[float] | None:
    found = forward_ad.unpack_dual(t).tangent
    return None if found is None else found.tolist()


def test_nothing_stays_after_a_level() -> None:
    """Tangents and graphs that hold each other are freed when the level ends."""

    def work() -> None:
        x = vec(1, 2, requires_grad=True)
        with forward_ad.dual_level():
            d = forward_ad.make_dual(x, vec(1, -3))
            y = (d.exp() * 2).mul_(d).view(2, 1)
            tangents = forward_ad.unpack_dual(y).tangent
            assert tangents is not None
            torch.autograd.grad(y.sum(), x, retain_graph=True)
            torch.autograd.grad(tangents.sum(), x)

    work()
    gc.collect()
    before = torch._C.live_tensors()
    for _ in range(5):
        work()
    gc.collect()
    assert torch._C.live_tensors() == before


def test_a_level_belongs_to_its_thread() -> None:
    seen: list[Any] = []
    with forward_ad.dual_level():
        d = forward_ad.make_dual(vec(1, 2), vec(1, 1))

        def other() -> None:
            seen.append(tangent(d * 2))
            with forward_ad.dual_level():
                seen.append(tangent(forward_ad.make_dual(vec(3.0), vec(5.0)) * 2))

        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        assert tangent(d * 2) == [2, 2]
    assert seen == [None, [10]]


def test_levels_as_decorators_and_switched_off() -> None:
    @forward_ad.dual_level()
    def slope(x: torch.Tensor) -> list[float] | None:
        return tangent(forward_ad.make_dual(x, vec(1.0)).exp())

    assert slope(vec(0.0)) == [1]
    assert slope(vec(0.0)) == [1]
    with forward_ad.dual_level() as level:
        assert level == 0
        d = forward_ad.make_dual(vec(1.0), vec(1.0))
        with forward_ad._set_fwd_grad_enabled(False):
            hidden = d * 2
        assert tangent(hidden) is None
        assert tangent(d * 2) == [2]


def test_a_level_ends_with_an_error() -> None:
    with pytest.raises(KeyError), forward_ad.dual_level():
        raise KeyError
    assert torch._C._dual_level() == -1


def test_gradients_add_up_with_their_tangents() -> None:
    x = vec(1, 2, requires_grad=True)
    with forward_ad.dual_level():
        for _ in range(2):
            (forward_ad.make_dual(x, vec(1, -3)) ** 3).sum().backward()
        assert x.grad is not None
        assert x.grad.tolist() == [6, 24]
        assert tangent(x.grad) == [12, -72]


def test_views_that_cannot_share_their_tangent() -> None:
    overlapping = torch.as_strided(torch.ones(1, dtype=torch.float64), (3,), (0,)).detach()
    with forward_ad.dual_level():
        d = forward_ad.make_dual(overlapping, vec(1, 2, 3))
        assert tangent(d * d) == [2, 4, 6]
        view = d[1:2]
        assert tangent(view) == [2]
        with pytest.raises(RuntimeError, match="^forward mode: a view whose tangent is not the same view"):
            view.mul_(2)
        assert overlapping.tolist() == [1, 1, 1]
        with pytest.raises(RuntimeError, match="tangent of a real tensor cannot be complex"):
            forward_ad.make_dual(vec(1.0), torch.tensor([1j], dtype=torch.complex128))


def test_numbers_with_tangents_stay_tensors() -> None:
    """Where an operator takes numbers, too, a tensor without dimension is not taken for one if it has a tangent."""
    with forward_ad.dual_level():
        bound = forward_ad.make_dual(torch.tensor(2.0), torch.tensor(5.0))
        assert tangent(torch.clamp(torch.tensor(3.0), bound, bound)) == 5.0


def test_transformations_of_others() -> None:
    """What PyTorch has no answer to compare with."""
    value, gradient = torch.func.value_and_grad(lambda x: (x**2).sum())(vec(1, 2))
    assert value.item() == 5
    assert gradient.tolist() == [2, 4]
    (value, aux), gradient = torch.func.value_and_grad(lambda x: ((x**2).sum(), "more"), has_aux=True)(vec(1, 2))
    assert aux == "more"
    assert not value.requires_grad
    assert torch.func.jacfwd(torch.sin)(torch.zeros(0)).shape == (0, 0)
    with pytest.raises(RuntimeError, match="^Only allowed values for randomness"):
        torch.func.jacfwd(torch.sin, randomness="some")


def test_a_module_gets_its_tensors_back_after_an_error() -> None:
    net = torch.nn.Linear(2, 1)
    weight = net.weight
    with pytest.raises(RuntimeError):
        torch.func.functional_call(net, {"weight": torch.ones(3, 3)}, torch.ones(2))
    with pytest.raises(AttributeError):
        torch.func.functional_call(net, {"child.weight": torch.ones(1)}, torch.ones(2))
    assert net.weight is weight
    torch.func.functional_call(net, {"other": torch.ones(1)}, torch.ones(2))
    assert not hasattr(net, "other")


def test_names_of_one_tensor() -> None:
    net = torch.nn.Sequential(torch.nn.Linear(2, 2, bias=False), torch.nn.Linear(2, 2, bias=False))
    net[1].weight = net[0].weight
    x, twice = torch.ones(2), 2 * torch.eye(2)
    call = torch.func.functional_call
    assert call(net, {"0.weight": twice}, x).tolist() == [4, 4]
    with pytest.raises(ValueError, match=r"^functional_call got multiple values for keys \['0.weight', '1.weight'\]"):
        call(net, {"0.weight": twice, "1.weight": torch.eye(2)}, x)
    assert call(net, {"0.weight": twice, "1.weight": torch.eye(2)}, x, tie_weights=False).tolist() == [2, 2]


def test_buffers_that_change_go_into_the_dict() -> None:
    class Counter(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("count", torch.zeros(()))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            self.count = self.count + 1
            return x * self.count

    module, state = Counter(), {"count": torch.tensor(5.0)}
    assert torch.func.functional_call(module, state, torch.ones(1)).tolist() == [6]
    assert state["count"].item() == 6
    assert module.count.item() == 0


def without_flags(value: Any) -> Any:
    """A Jacobian by forward mode has a history or not as the vectorized operators of PyTorch happen to go."""
    if isinstance(value, list):
        return [without_flags(item) for item in value]
    return {**value, "requires_grad": None} if isinstance(value, dict) and "tensor" in value else value


@pytest.mark.parametrize("name", SCENARIOS)
def test_scenario(name: str) -> None:
    got, expected = answer(torch, SCENARIOS[name]), ANSWERS[name]
    if "forward-mode" in name:
        got, expected = without_flags(got), without_flags(expected)
    assert_same(got, expected)
    assert torch._C._dual_level() == -1
