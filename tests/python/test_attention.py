"""Attention keeps no more than blocks of its scores, and gives what other operators give."""

from __future__ import annotations

import pytest

import onetape as torch
from onetape import _C
from onetape.nn.functional import scaled_dot_product_attention

STEPS = 2048


def by_parts(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool) -> torch.Tensor:
    scores = q @ k.transpose(-2, -1) / q.size(-1) ** 0.5
    if causal:
        seen = torch.ones(q.size(-2), k.size(-2), dtype=torch.bool).tril()
        scores = scores.masked_fill(~seen, -float("inf"))
    return torch.softmax(scores, -1) @ v


@pytest.mark.parametrize("causal", [False, True])
def test_memory_grows_with_the_steps_alone(causal: bool) -> None:
    q, k, v = (torch.randn(1, 1, STEPS, 8).requires_grad_() for _ in range(3))
    _C.reset_peak_memory()
    before = _C.memory_stats()["live"]
    scaled_dot_product_attention(q, k, v, is_causal=causal).sum().backward()
    assert _C.memory_stats()["peak"] - before < STEPS * STEPS * 4 / 8


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(("queries", "keys"), [(300, 300), (130, 700), (700, 130), (1, 513)])
def test_blocks_give_what_the_whole_gives(queries: int, keys: int, causal: bool) -> None:
    torch.manual_seed(1)
    sizes = ((queries, 5), (keys, 5), (keys, 3))
    q, k, v = (torch.randn(2, 2, *size, dtype=torch.float64).requires_grad_() for size in sizes)
    weight = torch.randn(2, 2, queries, 3, dtype=torch.float64)
    found = scaled_dot_product_attention(q, k, v, is_causal=causal)
    expected = by_parts(q, k, v, causal)
    assert torch.allclose(found, expected, 1e-10, 1e-12)
    ours = torch.autograd.grad((found * weight).sum(), [q, k, v])
    theirs = torch.autograd.grad((expected * weight).sum(), [q, k, v])
    assert all(torch.allclose(a, b, 1e-9, 1e-11) for a, b in zip(ours, theirs, strict=True))


def test_a_row_that_sees_nothing_is_zero() -> None:
    q = torch.randn(1, 1, 3, 4).requires_grad_()
    mask = torch.tensor([[True, True, False], [False, False, False], [False, True, True]])
    found = scaled_dot_product_attention(q, q, q, mask)
    found.sum().backward()
    assert found[0, 0, 1].tolist() == [0.0] * 4
    assert q.grad is not None and bool(q.grad.isfinite().all())


def test_rows_that_are_not_numbers_stay_so() -> None:
    q = torch.randn(1, 1, 3, 4)
    q[0, 0, 1, 2] = float("nan")
    found = scaled_dot_product_attention(q, torch.randn(1, 1, 5, 4), torch.randn(1, 1, 5, 2))
    assert found.isnan().all(-1)[0, 0].tolist() == [False, True, False]


@pytest.mark.parametrize("mask_shape", [None, (1, STEPS), (2, 1, 1)])
def test_memory_grows_with_the_steps_alone_with_dropout_and_a_learnt_mask(mask_shape: tuple[int, ...] | None) -> None:
    q, k, v = (torch.randn(1, 2, STEPS, 8).requires_grad_() for _ in range(3))
    mask = None if mask_shape is None else torch.randn(*mask_shape).requires_grad_()
    _C.reset_peak_memory()
    before = _C.memory_stats()["live"]
    scaled_dot_product_attention(q, k, v, mask, 0.1).sum().backward()
    assert _C.memory_stats()["peak"] - before < 2 * STEPS * STEPS * 4 / 8
    assert mask is None or (mask.grad is not None and mask.grad.shape == mask.shape)


@pytest.mark.parametrize("p", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("mask_shape", [(300, 520), (2, 1, 520), (3, 1, 300, 1), (3, 2, 300, 520), (1, 1)])
def test_a_learnt_mask_and_dropout_give_what_the_whole_gives(mask_shape: tuple[int, ...], p: float) -> None:
    torch.manual_seed(1)
    q, k, v = (torch.randn(3, 2, n, d, dtype=torch.float64).requires_grad_() for n, d in ((300, 5), (520, 5), (520, 3)))
    mask = torch.randn(*mask_shape, dtype=torch.float64).requires_grad_()
    weight = torch.randn(3, 2, 300, 3, dtype=torch.float64)
    torch.manual_seed(2)
    found = scaled_dot_product_attention(q, k, v, mask, p, scale=-0.4)
    after = torch.rand(1)
    torch.manual_seed(2)
    weights = torch.nn.functional.dropout(torch.softmax(q @ k.transpose(-2, -1) * -0.4 + mask, -1), p)
    expected = weights @ v
    assert torch.equal(after, torch.rand(1))
    assert torch.allclose(found, expected, 1e-10, 1e-12)
    leaves = [q, k, v, mask]
    ours = torch.autograd.grad((found * weight).sum(), leaves)
    theirs = torch.autograd.grad((expected * weight).sum(), leaves)
    assert all(torch.allclose(a, b, 1e-9, 1e-10) for a, b in zip(ours, theirs, strict=True))


def test_a_mask_that_changed_is_noticed() -> None:
    q = torch.randn(1, 1, 3, 4).requires_grad_()
    mask = torch.zeros(3, 3)
    found = scaled_dot_product_attention(q, q, q, mask)
    mask.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        found.sum().backward()
