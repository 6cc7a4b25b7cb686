"""x[...] and x[...] = v: every kind of index, compared with NumPy; what is refused, and the gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import onetape as torch

INVALID = "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices "
KEYS: list[Any] = [
    0,
    -1,
    (1, 2),
    (1, -1, 0),
    slice(None),
    slice(1, None),
    slice(None, None, 2),
    slice(0, 100),
    slice(5, 2),
    slice(-2, None),
    (slice(None), 1),
    (slice(None), slice(1, 3), 2),
    (Ellipsis, 1),
    (0, Ellipsis),
    (Ellipsis, slice(None, None, 3)),
    None,
    (None, 0, None),
    (slice(None), None, 1),
    Ellipsis,
    (),
    True,
    False,
    [0, 1],
    [1],
    [[0, 1], [1, 0]],
    (slice(None), [0, 2]),
    ([0, 1], [2, 0]),
    (0, [1, 2]),
    ([[0], [1]], [1, 2]),
    np.int64(1),
    np.array([0, 1, 1]),
    np.array([True, False]),
    (slice(None), np.array([True, False, True])),
    range(2),
]


def as_tensor_key(key: Any) -> Any:
    """The same key with tensors in place of arrays and lists."""
    if isinstance(key, tuple):
        return tuple(as_tensor_key(k) for k in key)
    return torch.tensor(key) if isinstance(key, (list, np.ndarray)) else key


def as_numpy_key(key: Any) -> Any:
    return list(key) if isinstance(key, range) else key


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_get(key: Any) -> None:
    array = np.arange(24.0).reshape(2, 3, 4)
    t = torch.from_numpy(array)
    expected = array[as_numpy_key(key)]
    for each in (key, as_tensor_key(key)):
        result = t[each]
        assert isinstance(result, torch.Tensor)
        assert result.shape == expected.shape and result.tolist() == expected.tolist()


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_set(key: Any) -> None:
    for each in (key, as_tensor_key(key)):
        array = np.zeros((2, 3, 4))
        t = torch.zeros(2, 3, 4, dtype=torch.float64)
        array[as_numpy_key(key)] = 7
        t[each] = 7
        assert t.tolist() == array.tolist()


@pytest.mark.parametrize(
    "value", [5, 5.5, True, np.float32(2), np.arange(4.0), [1, 2, 3, 4], torch.arange(4), torch.tensor(3)]
)
def test_values(value: Any) -> None:
    array = np.zeros((2, 4))
    t = torch.zeros(2, 4)
    array[1] = value.numpy() if isinstance(value, torch.Tensor) else value
    t[1] = value
    assert t.tolist() == array.tolist()


def test_an_int_selects_before_lists_do() -> None:
    # NumPy counts the int among the lists here, and moves their dimension to the front.
    t = torch.arange(24).reshape(2, 3, 4)
    assert torch.equal(t[1, :, [1, 3]], t[1][:, [1, 3]])


def test_views_share_memory() -> None:
    t = torch.zeros(3, 4)
    t[1][2] = 5
    t[:, 0] += 1
    assert t[1].tolist() == [1.0, 0.0, 5.0, 0.0]
    assert t[1:, ::2].data_ptr() == t.data_ptr() + 16
    assert t[[0, 1]].data_ptr() != t.data_ptr()


@pytest.mark.parametrize(
    ("key", "error", "text"),
    [
        (3, IndexError, "index 3 is out of bounds for dimension 0 with size 2"),
        ((0, 5), IndexError, "index 5 is out of bounds for dimension 1 with size 3"),
        ((0, 0, 0), IndexError, "too many indices for tensor of dimension 2"),
        (
            "a",
            IndexError,
            INVALID + "(got str)",
        ),
        (
            1.5,
            IndexError,
            INVALID + "(got float)",
        ),
        (slice("a", None), TypeError, "slice indices must be integers or None or have an __index__ method"),
        (slice(None, None, -1), ValueError, "step must be greater than zero"),
        (slice(None, None, 0), ValueError, "slice step cannot be zero"),
    ],
)
def test_refused(key: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as raised:
        torch.zeros(2, 3)[key]
    assert str(raised.value) == text


def test_refused_on_a_number() -> None:
    with pytest.raises(IndexError, match="invalid index of a 0-dim tensor. Use `tensor.item\\(\\)`"):
        torch.tensor(1)[0]


def test_refused_assignments() -> None:
    t = torch.zeros(2, 3)
    with pytest.raises(TypeError, match="can't assign a str to a torch.FloatTensor"):
        t[0] = "a"
    with pytest.raises(TypeError, match="can't assign a NoneType to a torch.FloatTensor"):
        t[0] = None
    with pytest.raises(RuntimeError):
        t[0] = torch.ones(4)
    with pytest.raises(TypeError, match="Tensor does not support deleting items"):
        del t[0]
    assert t.sum().item() == 0


def test_huge_slice_bounds() -> None:
    t = torch.arange(5)
    assert t[: 2**80].tolist() == t.tolist() and t[-(2**80) :].tolist() == t.tolist()


def test_gradients() -> None:
    x = torch.arange(6.0, requires_grad=True)
    (x[1:4] * 2).sum().backward()
    assert x.grad is not None and x.grad.tolist() == [0, 2, 2, 2, 0, 0]
    x.grad = None
    x[[0, 0, 5]].sum().backward()
    assert x.grad is not None and x.grad.tolist() == [2, 0, 0, 0, 0, 1]
    y = x * 1
    y[2] = 10 * x[0]
    x.grad = None
    y.sum().backward()
    assert x.grad is not None and x.grad.tolist() == [11, 1, 0, 1, 1, 1]


def test_sequences() -> None:
    t = torch.arange(6).reshape(3, 2)
    assert len(t) == 3 and [row.tolist() for row in t] == [[0, 1], [2, 3], [4, 5]]
    assert reversed(t).tolist() == [[4, 5], [2, 3], [0, 1]]
    assert 4 in t and 9 not in t and torch.tensor(5) in t
    first, *rest = t
    assert first.tolist() == [0, 1] and len(rest) == 2
    with pytest.raises(TypeError, match=r"len\(\) of a 0-d tensor"):
        len(torch.tensor(1))
    with pytest.raises(TypeError, match="iteration over a 0-d tensor"):
        list(torch.tensor(1))
    with pytest.raises(
        RuntimeError, match="Tensor.__contains__ only supports Tensor or scalar, but you passed in a <class 'str'>"
    ):
        "a" in t  # noqa: B015


@pytest.mark.parametrize(
    "value", [torch.tensor(9), torch.tensor([9]), torch.tensor([[9]]), torch.tensor([9.0]).double()]
)
def test_a_single_value_behind_a_mask_is_converted(value: torch.Tensor) -> None:
    mask = torch.tensor([True, False, True, False])
    x = torch.zeros(4)
    x[mask] = value
    assert x.tolist() == [9, 0, 9, 0]
    x = torch.zeros(2, 2)
    x[mask.reshape(2, 2)] = value
    x[torch.tensor([False, True]), 1] = value
    assert x.tolist() == [[9, 0], [9, 9]]
    assert torch.zeros(4).index_put_((mask,), value).tolist() == [9, 0, 9, 0]


def test_other_values_behind_a_mask_are_not_converted() -> None:
    mask = torch.tensor([True, False, True, False])
    x = torch.zeros(4)
    for value, where, accumulate in (
        (torch.tensor([9, 8]), mask, False),
        (torch.tensor(9), mask, True),
        (torch.tensor(9), torch.tensor([0]), False),
    ):
        with pytest.raises(RuntimeError, match="^Index put requires the source and destination dtypes match"):
            x.index_put_((where,), value, accumulate)
    with pytest.raises(RuntimeError, match="^value cannot be converted to type float without overflow$"):
        x[mask] = torch.tensor(1j)
    assert x.tolist() == [0, 0, 0, 0]


def test_the_gradient_of_a_single_value_behind_a_mask() -> None:
    x = torch.zeros(4, requires_grad=True) * 1
    value = torch.tensor([2.0], dtype=torch.float64, requires_grad=True)
    x[torch.tensor([True, False, True, False])] = value
    (x * torch.tensor([1.0, 10, 100, 1000])).sum().backward()
    assert value.grad.tolist() == [101] and value.grad.dtype == torch.float64
