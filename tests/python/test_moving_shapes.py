"""Gradients and saved tensors whose sizes, dtype or indices a program changes while a backward pass needs them.

No such program is right. It gets an error, or the gradient as if nothing had happened, and nobody reads outside of
memory; PyTorch gives the same errors where it looks.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import onetape as torch
from onetape.autograd import forward_ad
from onetape.nn import functional as F


def leaf(*shape: int) -> torch.Tensor:
    return torch.arange(float(np.prod(shape)), dtype=torch.float64).reshape(shape).requires_grad_()


def forget(_: Any) -> None:
    """Answers as a hook that keeps the gradient."""


SIZES = "has changed the size of value"


def test_a_hook_that_changes_its_gradient_in_place_changes_no_other() -> None:
    x, y = leaf(2, 2), leaf(2, 2)
    weight = torch.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=torch.float64)
    z = x + y  # both get the same gradient
    x.register_hook(lambda g: forget(g.t_()))
    (z * weight).sum().backward()
    assert x.grad.tolist() == weight.t().tolist()
    assert y.grad.tolist() == weight.tolist()


@pytest.mark.parametrize(
    "change",
    [
        lambda g: g.t_(),
        lambda g: g.resize_(7),
        lambda g: g.set_(),
        lambda g: setattr(g, "data", torch.ones(3, dtype=torch.float64)),
    ],
)
@pytest.mark.parametrize("where", ["tensor", "leaf", "prehook", "posthook"])
def test_a_hook_may_not_change_sizes(change: Callable[[Any], Any], where: str) -> None:
    x = leaf(2, 3)
    y = x * 2

    def changed(grads: Any) -> None:
        change(grads[0] if isinstance(grads, tuple) else grads)

    if where == "posthook":
        y.grad_fn.register_hook(lambda inputs, outputs: changed(inputs))
    elif where == "prehook":
        y.grad_fn.register_prehook(changed)
    else:
        (x if where == "leaf" else y).register_hook(changed)
    with pytest.raises(RuntimeError, match=SIZES):
        y.sum().backward()
    assert x.grad is None


def test_a_gradient_that_others_know_is_used_as_it_was() -> None:
    given = torch.ones(2, 3, dtype=torch.float64)
    x = leaf(2, 3)
    y = x.sin()
    y.register_hook(lambda g: forget(given.resize_(1)))
    y.backward(given)
    assert given.shape == (1,)
    assert x.grad.tolist() == x.cos().tolist()

    kept: list[torch.Tensor] = []

    class Keeping(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, t: torch.Tensor) -> torch.Tensor:
            return t * 1

        @staticmethod
        def backward(ctx: Any, g: torch.Tensor) -> torch.Tensor:
            kept.append(g * 1)
            return kept[0]

    x = leaf(2, 3)
    y = x.sin()
    y.retain_grad()
    y.register_hook(lambda g: forget(kept[0].resize_(1)))
    y.register_hook(lambda g: forget(kept[0].resize_(9)))
    Keeping.apply(y).sum().backward()
    assert x.grad.tolist() == x.cos().tolist()
    assert y.grad.shape == (2, 3)


def test_a_retained_gradient_is_another_name() -> None:
    x = leaf(2, 2)
    y = x.sin()
    y.retain_grad()
    x.register_hook(lambda g: forget(y.grad.resize_(1)))
    y.sum().backward()
    assert x.grad.tolist() == x.cos().tolist()


def test_a_result_that_is_given_other_data() -> None:
    x = leaf(2, 3)
    y = x.exp()
    y.data = torch.ones(2, 3, dtype=torch.float64)
    y.sum().backward()
    assert x.grad.tolist() == leaf(2, 3).exp().tolist()
    for data, kind in ((torch.ones(4, dtype=torch.float64), "got \\[4\\]"), (torch.ones(3, 2), "got \\[3, 2\\]")):
        x = leaf(2, 3)
        y = x.exp()
        y.data = data
        with pytest.raises(RuntimeError, match=rf"returned an invalid gradient at index 0 - {kind} but expected"):
            y.sum().backward()
        assert x.grad is None
    x = leaf(2, 3)
    y = x * 1
    y.data = torch.ones(2, 3)  # another dtype only
    y.sum().backward()
    assert x.grad.dtype == torch.float64


def test_a_saved_tensor_that_is_given_other_data() -> None:
    x, w = leaf(2, 3), torch.ones(2, 3, dtype=torch.float64)
    y = (x * w).sum()
    w.data = torch.full((2, 3), 4.0, dtype=torch.float64)  # as in PyTorch nobody notices
    y.backward()
    assert x.grad.tolist() == [[4, 4, 4], [4, 4, 4]]
    for data in (torch.ones(5, dtype=torch.float64), torch.ones(2, 3), torch.ones(3, 2, dtype=torch.float64)):
        w = torch.ones(2, 3, dtype=torch.float64)
        y = (leaf(2, 3) * w).sum()
        w.data = data
        with pytest.raises(RuntimeError, match="was given other sizes or another dtype"):
            y.backward()


def test_sizes_may_change_often_before_a_tensor_is_saved() -> None:
    w = torch.ones(2, dtype=torch.float64, requires_grad=True)
    for n in range(600):
        w.data = torch.ones(n % 7, dtype=torch.float64)
    w.data = torch.tensor([2.0, 3.0], dtype=torch.float64)
    w.square().sum().backward()
    assert w.grad.tolist() == [4, 6]
    y = w.square().sum()
    w.data = torch.ones(3, dtype=torch.float64)
    with pytest.raises(RuntimeError):  # the gradient no longer fits
        y.backward()


def test_an_unpack_hook_gives_the_shape_that_was_packed() -> None:
    for answer in (lambda t: t[0], lambda t: t.t(), lambda t: torch.ones(7, dtype=torch.float64)):
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t, answer):
            y = leaf(2, 3).square().sum()
        with pytest.raises(RuntimeError, match="Output of saved tensor unpack_hook has shape|The size of tensor a"):
            y.backward()
    x = leaf(2, 3)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.float(), lambda t: t):
        y = x.square().sum()
    y.backward()  # a narrower dtype is widened again
    assert x.grad.tolist() == (x * 2).tolist()


def test_a_tangent_that_is_given_other_sizes() -> None:
    with forward_ad.dual_level():
        tangent = torch.ones(2, 3, dtype=torch.float64)
        dual = forward_ad.make_dual(leaf(2, 3).detach(), tangent)
        forward_ad.unpack_dual(dual).tangent.resize_(1)
        tangent.resize_(1)
        try:
            result = forward_ad.unpack_dual(dual.sin()).tangent
        except RuntimeError as error:
            assert "different size" in str(error)
        else:
            assert result.shape == (2, 3)


WILD = np.array([10**9, -(10**9), 2**62], dtype=np.int64)


def picked(name: str, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """A result that is differentiated by indices, and those."""
    index = torch.tensor([[0, 1, 0], [1, 0, 1]])
    if name in ("max", "min", "sort", "median", "cummax"):
        values, places = getattr(x, name)(1)
        return values, places
    if name == "topk":
        values, places = x.topk(2, 1)
        return values, places
    if name == "max_pool":
        values, places = F.max_pool2d(x[None, None], 2, 1, return_indices=True)
        return values, places
    calls: dict[str, Callable[[], torch.Tensor]] = {
        "gather": lambda: x.gather(0, index),
        "scatter": lambda: x.scatter(0, index, x * 2),
        "scatter_add": lambda: x.scatter_add(0, index, x * 2),
        "take": lambda: x.take(index),
        "index": lambda: x[index],
        "index_select": lambda: x.index_select(0, index[0]),
        "index_add": lambda: x.index_add(1, index[:, 0], x[:, :2]),
        "embedding": lambda: F.embedding(index, x),
        "embedding by frequency": lambda: F.embedding(index, x, scale_grad_by_freq=True),
        "nll_loss": lambda: F.nll_loss(x, index[0, :2]),
        "cross_entropy": lambda: F.cross_entropy(x, index[0, :2]),
        "repeat_interleave": lambda: x.repeat_interleave(index[0, :2], 0),
        "max_unpool": lambda: F.max_unpool2d(x[None, None], index[None, None], 1, output_size=(2, 3)),
    }
    return calls[name](), index


NAMES = """max min sort median cummax topk max_pool gather scatter scatter_add take index index_select
index_add embedding nll_loss cross_entropy repeat_interleave max_unpool""".split()


@pytest.mark.parametrize("wild", WILD.tolist())
@pytest.mark.parametrize("name", [*NAMES, "embedding by frequency"])
def test_indices_that_are_written_to_behind_the_graph_lead_nowhere(name: str, wild: int) -> None:
    x = leaf(2, 3)
    values, index = picked(name, x)
    index.numpy()[...] = wild
    try:
        values.sum().backward()
    except (RuntimeError, IndexError):
        assert x.grad is None
    else:
        assert x.grad.shape == (2, 3)
