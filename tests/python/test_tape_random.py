"""Random numbers on tapes: drawn anew in every run, from the same generator, in the order of the function."""

from __future__ import annotations

import pytest

import onetape as torch
from onetape import jit, nn


def same(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and a.detach().numpy().tobytes() == b.detach().numpy().tobytes()


def test_random_numbers_are_drawn_as_ever() -> None:
    drop = nn.Dropout(0.5)
    tape = jit.record(lambda x: drop(x) + torch.rand(4), torch.ones(4))
    for seed in range(3):
        torch.manual_seed(seed)
        expected = [drop(torch.ones(4)) + torch.rand(4) for _ in range(2)]
        torch.manual_seed(seed)
        assert all(same(tape(torch.ones(4)), e) for e in expected)


def test_dead_operators_that_draw_are_kept() -> None:
    def draw(x: torch.Tensor) -> torch.Tensor:
        torch.rand(3)
        return x + torch.rand(2)

    tape = jit.record(draw, torch.ones(2))
    for _ in range(3):
        torch.manual_seed(1)
        expected = draw(torch.ones(2))
        torch.manual_seed(1)
        assert same(tape(torch.ones(2)), expected)


def test_attention_draws_what_it_drops() -> None:
    """Two calls are no common ones, though attention has no generator among its parameters."""

    def both(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        first = nn.functional.scaled_dot_product_attention(x, x, x, dropout_p=0.5)
        return first, nn.functional.scaled_dot_product_attention(x, x, x, dropout_p=0.5)

    tape = jit.record(both, torch.randn(1, 2, 6, 4))
    for seed in range(3):
        x = torch.randn(1, 2, 6, 4)
        torch.manual_seed(seed)
        expected = both(x)
        torch.manual_seed(seed)
        first, second = tape(x)
        assert not same(first, second)
        assert same(first, expected[0])
        assert same(second, expected[1])


@pytest.mark.parametrize("learns", [False, True])
def test_gradient_of_attention_with_dropout_and_mask(learns: bool) -> None:
    """Backward draws again from the states that the run has kept, not from those of the recording."""

    def gradients(q: torch.Tensor, k: torch.Tensor, mask: torch.Tensor) -> list[torch.Tensor]:
        out = nn.functional.scaled_dot_product_attention(q, k, k, attn_mask=mask, dropout_p=0.4)
        return list(torch.autograd.grad(out.square().sum(), [q, k, mask] if learns else [q, k]))

    def given() -> list[torch.Tensor]:
        sizes = [(2, 2, 70, 4), (2, 2, 5, 4), (70, 5)]
        made = [torch.randn(size).requires_grad_() for size in sizes[:2]]
        return [*made, torch.randn(sizes[2]).requires_grad_(learns)]

    tape = jit.record(gradients, *given())
    for seed in range(3):
        inputs = given()
        torch.manual_seed(seed)
        expected = gradients(*inputs)
        torch.manual_seed(seed)
        assert all(map(same, tape(*inputs), expected))
