"""Products of matrices, pooling and recurrent layers on the paths that only certain sizes and layouts take."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import numpy as np
import pytest

import onetape as torch
from onetape import nn

SIZES = [
    (4, 4, 4),
    (13, 17, 9),
    (5, 401, 33),
    (29, 5, 47),
    (64, 784, 128),
    (225, 385, 65),
    (6, 800, 1030),
    (450, 800, 40),
]


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def laid_out(rows: int, columns: int, layout: str) -> torch.Tensor:
    """A matrix by rows, by columns, or with gaps between all elements."""
    if layout == "rows":
        return torch.randn(rows, columns)
    if layout == "columns":
        return torch.randn(columns, rows).t()
    return torch.randn(2 * rows, 3 * columns)[::2, ::3]


@pytest.mark.parametrize("m, k, n", SIZES)
@pytest.mark.parametrize("left, right", list(itertools.product(["rows", "columns", "gaps"], repeat=2)))
def test_products_of_all_layouts(m: int, k: int, n: int, left: str, right: str) -> None:
    torch.manual_seed(0)
    a, b = laid_out(m, k, left), laid_out(k, n, right)
    expected = a.numpy().astype(np.float64) @ b.numpy().astype(np.float64)
    bound = 1e-6 * (np.abs(a.numpy()) @ np.abs(b.numpy())).max()
    assert np.abs((a @ b).numpy() - expected).max() < bound
    c = torch.randn(m, n)
    sums = torch.addmm(c, a, b, beta=-0.5, alpha=2)
    assert np.abs(sums.numpy() - (2 * expected - 0.5 * c.numpy())).max() < 3 * bound
    row = c[0]
    assert torch.equal(
        torch.addmm(row, a, b, beta=-0.5, alpha=2), torch.addmm(row.expand(m, n), a, b, beta=-0.5, alpha=2)
    )
    assert torch.equal(torch.addmm(row * float("nan"), a, b, beta=0), a @ b)


@pytest.mark.parametrize("n", [16, 90, 512, 513])
@pytest.mark.parametrize("m", [5, 32, 230])
def test_rows_of_any_distance_give_the_same_product(m: int, n: int) -> None:
    """Rows of a left factor are read where they stand unless they are in each other's way in a cache."""
    torch.manual_seed(0)
    a, b = torch.randn(m, 400), torch.randn(400, n)
    expected = a.t().contiguous().t() @ b
    for distance in [400, 512, 520, 1023, 1024, 1025, 1040, 2048]:
        rows = torch.randn(m, distance)[:, :400]
        rows.copy_(a)
        assert torch.equal(rows @ b, expected), distance


def test_a_product_does_not_read_what_it_overwrites() -> None:
    a, b = torch.randn(8, 8), torch.randn(8, 8)
    c = torch.full((8, 8), float("nan"))
    assert torch.equal(torch.addmm(c, a, b, beta=0), a @ b)
    assert torch.mm(a, b, out=c) is c and torch.equal(c, a @ b)


def lstm_step() -> list[torch.Tensor]:
    layer = nn.LSTM(48, 40, 2, bidirectional=True)
    inputs = torch.randn(9, 33, 48, requires_grad=True)
    out, (hidden, cell) = layer(inputs)
    (out.sin().sum() + hidden.sum() + cell.sum()).backward()
    return [out.detach(), inputs.grad, *(p.grad for p in layer.parameters())]


def gru_step() -> list[torch.Tensor]:
    layer = nn.GRU(30, 50)
    packed = nn.utils.rnn.pack_padded_sequence(torch.randn(12, 24, 30), torch.arange(12, 0, -1).repeat_interleave(2))
    out = layer(packed)[0].data
    out.sin().sum().backward()
    return [out.detach(), *(p.grad for p in layer.parameters())]


def product_step() -> list[torch.Tensor]:
    return [torch.randn(m, k) @ torch.randn(k, n) for m, k, n in SIZES]


def pool_step() -> list[torch.Tensor]:
    inputs = torch.randn(40, 30, 8, 8, requires_grad=True)
    out = nn.functional.max_pool2d(inputs, 2)
    out.sin().sum().backward()
    return [out.detach(), inputs.grad]


@pytest.mark.parametrize("step", [lstm_step, gru_step, product_step, pool_step])
def test_results_do_not_depend_on_the_number_of_threads(step: Callable[[], list[torch.Tensor]]) -> None:
    results = []
    for threads in (1, 2, 3):
        torch.set_num_threads(threads)
        torch.manual_seed(0)
        results.append(step())
    for other in results[1:]:
        assert all(torch.equal(a, b) for a, b in zip(results[0], other, strict=True))


def test_a_recurrent_layer_is_its_cell_step_by_step() -> None:
    torch.manual_seed(0)
    layer, cell = nn.LSTM(20, 24), nn.LSTMCell(20, 24)
    cell.load_state_dict({name.removesuffix("_l0"): value for name, value in layer.state_dict().items()})
    inputs = torch.randn(7, 30, 20)
    out, _ = layer(inputs)
    state = None
    for i in range(7):
        state = cell(inputs[i], state)
        assert torch.allclose(out[i], state[0], atol=1e-6)


LAYERS: list[Callable[[], nn.Module]] = [
    lambda: nn.RNN(24, 20, nonlinearity="relu"),
    lambda: nn.GRU(24, 20, 2, bidirectional=True),
    lambda: nn.GRU(24, 20, bias=False),
    lambda: nn.LSTM(24, 20, 2, bidirectional=True),
    lambda: nn.LSTM(24, 20, proj_size=7),
]


@pytest.mark.parametrize("make", LAYERS)
@pytest.mark.parametrize("lengths", [[6] * 20, [6] * 18 + [5, 3], [9] + [2] * 20, [5]], ids=str)
def test_recurrent_layers_in_both_precisions(make: Callable[[], nn.Module], lengths: list[int]) -> None:
    """Single precision has products of its own, step by step where there are many sequences."""
    torch.manual_seed(0)
    layer, inputs = make(), torch.randn(max(lengths), len(lengths), 24)
    found = []
    for dtype in (torch.float32, torch.float64):
        layer = layer.to(dtype)
        layer.zero_grad()
        x = inputs.to(dtype, copy=True).requires_grad_()
        out, _ = layer(nn.utils.rnn.pack_padded_sequence(x, torch.tensor(lengths)))
        out.data.sin().sum().backward()
        found.append([t.to(torch.float64) for t in (out.data.detach(), x.grad, *(p.grad for p in layer.parameters()))])
    for single, double in zip(*found, strict=True):
        assert torch.allclose(single, double, rtol=1e-4, atol=1e-4)


def test_the_gradient_of_a_weight_is_laid_out_like_the_weight() -> None:
    layer = nn.Linear(5, 3)
    layer(torch.randn(4, 5)).sum().backward()
    grad = layer.weight.grad
    assert grad is not None and grad.stride() == layer.weight.stride() == (5, 1)
    kept = grad.clone()
    layer(torch.randn(4, 5)).sum().backward()  # added to the memory that was taken over
    assert layer.weight.grad is grad and not torch.equal(kept, grad)


def test_a_gradient_that_others_see_is_copied() -> None:
    seen: list[torch.Tensor] = []
    weight = torch.randn(3, 5, requires_grad=True)
    turned = weight.t()
    turned.register_hook(seen.append)
    (torch.randn(4, 5) @ turned).sum().backward()
    assert weight.grad is not None
    before = weight.grad.clone()
    seen[0].zero_()
    assert torch.equal(weight.grad, before)


def pooled(values: list[list[float]]) -> tuple[list[float], list[int]]:
    out, places = nn.functional.max_pool2d(torch.tensor([[values]]), 2, return_indices=True)
    return out.flatten().tolist(), places.flatten().tolist()


def test_pooling_by_pairs() -> None:
    nan, inf = float("nan"), float("inf")
    values, places = pooled([[1, 2, -inf, -inf, 9], [4, 3, -inf, -inf, 9], [7, 7, nan, 1, 9], [7, 7, nan, 2, 9]])
    assert values[:3] == [4, -inf, 7] and np.isnan(values[3])
    assert places == [5, 2, 10, 17]  # the first of equals, and the last NaN


def test_gradients_of_pooling() -> None:
    inputs = torch.randn(2, 3, 6, 5, dtype=torch.float64, requires_grad=True)
    pool = nn.MaxPool2d(2)
    assert torch.autograd.gradcheck(pool, (inputs,))
    assert torch.autograd.gradgradcheck(pool, (inputs,))
