"""Convolutions over planes of few and of some more places, where the kernels change their way, against NumPy.

Elements are small integers, so that every sum is exact whatever its order.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import onetape as torch

Array = Any


@dataclass(frozen=True)
class Case:
    """A convolution whose result has `out` places."""

    batch: int
    channels: tuple[int, int]
    out: tuple[int, ...]
    kernel: tuple[int, ...]
    stride: int = 1
    padding: int = 0
    dilation: int = 1
    groups: int = 1

    def sizes(self) -> tuple[int, ...]:
        """Of the input's places."""
        reach = (self.dilation * (k - 1) + 1 - 2 * self.padding for k in self.kernel)
        return tuple((o - 1) * self.stride + r for o, r in zip(self.out, reach, strict=True))

    def operands(self, dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
        """Input, weight, bias and a gradient of the result."""
        torch.manual_seed(len(self.out) + sum(self.out))
        inner, outer = self.channels
        shapes = (
            (self.batch, inner, *self.sizes()),
            (outer, inner // self.groups, *self.kernel),
            (outer,),
            (self.batch, outer, *self.out),
        )
        x, weight, bias, grad = (torch.randint(-3, 4, shape).to(dtype) for shape in shapes)
        return x.requires_grad_(), weight.requires_grad_(), bias.requires_grad_(), grad

    def options(self) -> dict[str, int]:
        return {"stride": self.stride, "padding": self.padding, "dilation": self.dilation, "groups": self.groups}

    def taps(self) -> Iterator[tuple[tuple[int, ...], tuple[slice, ...]]]:
        """Each element of the kernel, and what it meets of the padded input."""
        for k in itertools.product(*map(range, self.kernel)):
            starts = [i * self.dilation for i in k]
            met = (slice(b, b + (o - 1) * self.stride + 1, self.stride) for b, o in zip(starts, self.out, strict=True))
            yield k, tuple(met)

    def parts(self) -> Iterator[tuple[slice, slice]]:
        """The channels of input and result in each group."""
        inner, outer = (c // self.groups for c in self.channels)
        for g in range(self.groups):
            yield slice(g * inner, (g + 1) * inner), slice(g * outer, (g + 1) * outer)

    def expected(self, x: Array, weight: Array, bias: Array, grad: Array) -> tuple[Array, Array, Array]:
        """The result, and the gradients of input and weight."""
        wide = np.pad(x, [(0, 0), (0, 0), *[(self.padding, self.padding)] * len(self.out)])
        wide_grad, weight_grad = np.zeros_like(wide), np.zeros_like(weight)
        result = np.zeros_like(grad) + bias.reshape(-1, *[1] * len(self.out))
        for (k, met), (inner, outer) in itertools.product(self.taps(), self.parts()):
            seen = (slice(None), inner, *met)
            tap = (outer, slice(None), *k)
            result[:, outer] += np.einsum("nc...,mc->nm...", wide[seen], weight[tap], optimize=True)
            wide_grad[seen] += np.einsum("nm...,mc->nc...", grad[:, outer], weight[tap], optimize=True)
            weight_grad[tap] += np.einsum("nm...,nc...->mc", grad[:, outer], wide[seen], optimize=True)
        inside = tuple(slice(self.padding, self.padding + size) for size in self.sizes())
        return result, wide_grad[(slice(None), slice(None), *inside)], weight_grad


CASES = [
    *(Case(6, (32, 40), (s, s), (3, 3), padding=1) for s in range(1, 9)),
    *(Case(5, (32, 24), (s,), (5,), padding=2) for s in (1, 3, 7, 12, 23, 24, 25, 40)),
    *(Case(3, (16, 24), (d, 2, s), (3, 2, 3)) for d, s in ((1, 1), (2, 3), (3, 5), (2, 12))),
    *(Case(4, (48, 72), (4, s), (3, 3), padding=1, groups=3) for s in (1, 2, 4, 6)),
    *(Case(4, (24, 32), (3, 3), (3, 3), stride=s, padding=p) for s in (2, 3) for p in (0, 1)),
    *(Case(4, (24, 32), (s, 2), (3, 2), dilation=2, padding=1) for s in (1, 3, 6)),
    Case(4, (24, 32), (2, 3), (3, 3), stride=2, dilation=3, padding=2, groups=2),
    Case(3, (32, 24), (2, 2, 2), (2, 3, 2), stride=2, dilation=2, padding=1, groups=4),
    Case(1, (64, 48), (2, 2), (3, 3), padding=1),
    Case(1, (64, 48), (1, 1), (3, 3), padding=1),
    Case(40, (64, 80), (2, 2), (1, 1)),
    Case(33, (8, 8), (2, 2), (3, 3), padding=1, groups=8),
    Case(240, (64, 64), (4, 4), (3, 3), padding=1),
]


def check(case: Case, dtype: torch.dtype) -> None:
    x, weight, bias, grad = case.operands(dtype)
    convolution = getattr(torch.nn.functional, f"conv{len(case.out)}d")
    result = convolution(x, weight, bias, **case.options())
    result.backward(grad)
    found = (result, x.grad, weight.grad)
    expected = case.expected(*(t.detach().numpy() for t in (x, weight, bias, grad)))
    for ours, theirs in zip(found, expected, strict=True):
        assert ours is not None
        np.testing.assert_array_equal(ours.detach().numpy(), theirs)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_convolution(case: Case) -> None:
    check(case, torch.float32)


@pytest.mark.parametrize("case", [*CASES[:5], *CASES[8:12]], ids=str)
def test_convolution_in_double_precision(case: Case) -> None:
    check(case, torch.float64)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_transposed_convolution(case: Case) -> None:
    """From the result's side to the input's; its gradients are a convolution and the same sums."""
    x, weight, _, grad = case.operands(torch.float32)
    bias = torch.arange(float(case.channels[0])).requires_grad_()
    y = grad.detach().requires_grad_()
    transposed = getattr(torch.nn.functional, f"conv_transpose{len(case.out)}d")
    result = transposed(y, weight, bias, **case.options())
    assert result.shape == x.shape
    result.backward(x.detach())
    arrays = [t.detach().numpy() for t in (x, weight, grad)]
    forward, spread, of_weight = case.expected(arrays[0], arrays[1], np.zeros(case.channels[1], np.float32), arrays[2])
    of_bias = bias.detach().numpy().reshape(-1, *[1] * len(case.out))
    np.testing.assert_array_equal(result.detach().numpy(), spread + of_bias)
    assert y.grad is not None
    assert weight.grad is not None
    np.testing.assert_array_equal(y.grad.numpy(), forward)
    np.testing.assert_array_equal(weight.grad.numpy(), of_weight)


@pytest.mark.parametrize("threads", [1, 2])
def test_results_do_not_depend_on_the_threads(threads: int) -> None:
    torch.manual_seed(3)
    x, weight, grad = torch.randn(16, 64, 4, 4), torch.randn(96, 64, 3, 3), torch.randn(16, 96, 4, 4)
    before = torch.get_num_threads()
    found = []
    try:
        for count in (1, threads):
            torch.set_num_threads(count)
            a, w = x.clone().requires_grad_(), weight.clone().requires_grad_()
            y = torch.nn.functional.conv2d(a, w, padding=1)
            y.backward(grad)
            found.append((y, a.grad, w.grad))
    finally:
        torch.set_num_threads(before)
    assert all(torch.equal(a, b) for a, b in zip(*found, strict=True))
