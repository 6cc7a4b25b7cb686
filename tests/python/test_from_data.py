"""torch.tensor and its relatives: dtypes, shapes, what is copied, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import onetape as torch


@pytest.mark.parametrize(
    ("data", "shape", "dtype"),
    [
        (1, (), torch.int64),
        (1.5, (), torch.float32),
        (True, (), torch.bool),
        (2j, (), torch.complex64),
        ([1, 2], (2,), torch.int64),
        ((1, 2.0), (2,), torch.float32),
        ([1, True, 2.5], (3,), torch.float32),
        ([True, 2], (2,), torch.int64),
        ([1, 2j], (2,), torch.complex64),
        ([[1, 2], [3, 4]], (2, 2), torch.int64),
        ([], (0,), torch.float32),
        ([[], []], (2, 0), torch.float32),
        ([[[]]], (1, 1, 0), torch.float32),
        (range(3), (3,), torch.int64),
        (np.float32(3), (), torch.float32),
        (np.float64(3), (), torch.float32),
        ([np.int16(3)], (1,), torch.int16),
        (np.array([1, 2], dtype="int16"), (2,), torch.int16),
        (np.zeros((2, 3)), (2, 3), torch.float64),
        ([np.ones(2), np.ones(2)], (2, 2), torch.float64),
        ([torch.tensor(1), torch.tensor(2.5)], (2,), torch.float32),
    ],
)
def test_inference(data: Any, shape: tuple[int, ...], dtype: torch.dtype) -> None:
    t = torch.tensor(data)
    assert t.shape == shape and t.dtype is dtype
    assert t.is_leaf and not t.requires_grad


@pytest.mark.parametrize(
    ("data", "error", "text"),
    [
        ([[1, 2], [3]], ValueError, "expected sequence of length 2 at dim 1 (got 1)"),
        ([[1], 2], TypeError, "not a sequence"),
        ([1, [2]], TypeError, "'list' object cannot be interpreted as an integer"),
        ("a", TypeError, "new(): invalid data type 'str'"),
        (b"a", TypeError, "new(): invalid data type 'bytes'"),
        (["a"], ValueError, "too many dimensions 'str'"),
        (None, RuntimeError, "Could not infer dtype of NoneType"),
        ([1, None], RuntimeError, "Could not infer dtype of NoneType"),
        ({1: 2}, RuntimeError, "Could not infer dtype of dict"),
        (object(), RuntimeError, "Could not infer dtype of object"),
        (2**70, ValueError, "Overflow when unpacking long long"),
        ([torch.ones(2)], ValueError, "only one element tensors can be converted to Python scalars"),
    ],
)
def test_refused(data: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as raised:
        torch.tensor(data)
    assert str(raised.value) == text


@pytest.mark.parametrize(
    ("data", "dtype", "text"),
    [
        (300, torch.uint8, "value cannot be converted to type uint8 without overflow"),
        ([300], torch.uint8, "value cannot be converted to type uint8 without overflow"),
        (1e10, torch.int32, "value cannot be converted to type int32 without overflow"),
        (float("nan"), torch.int64, "value cannot be converted to type int64 without overflow"),
    ],
)
def test_ranges(data: Any, dtype: torch.dtype, text: str) -> None:
    with pytest.raises(RuntimeError) as raised:
        torch.tensor(data, dtype=dtype)
    assert str(raised.value) == text


def test_given_dtypes() -> None:
    assert torch.tensor([1.5, 2], dtype=torch.int64).tolist() == [1, 2]
    assert torch.tensor(-1, dtype=torch.uint8).item() == 255
    assert torch.tensor(70000.0, dtype=torch.float16).item() == float("inf")
    assert torch.tensor([1, 0], dtype=bool).tolist() == [True, False]
    assert torch.tensor(True, dtype=torch.float32).item() == 1.0
    with pytest.raises(TypeError, match="must be real number, not complex"):
        torch.tensor(2j, dtype=torch.float32)


def test_a_list_that_holds_itself() -> None:
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(ValueError, match="too many dimensions 'list'"):
        torch.tensor(loop)


def test_a_list_that_changes_while_it_is_read() -> None:
    class Shrinks:
        def __float__(self) -> float:
            data.clear()
            return 1.0

    data: list[Any] = [1.0, Shrinks(), 3.0]
    with pytest.raises((RuntimeError, ValueError, TypeError)):
        torch.tensor(data)


def test_requires_grad() -> None:
    assert torch.tensor(1.0, requires_grad=True).requires_grad
    with pytest.raises(RuntimeError, match="Only Tensors of floating point and complex dtype can require gradients"):
        torch.tensor(1, requires_grad=True)


def test_copies() -> None:
    array = np.zeros(2)
    t = torch.tensor(array)
    array[0] = 5
    assert t.tolist() == [0.0, 0.0]
    source = torch.ones(2, requires_grad=True)
    with pytest.warns(UserWarning, match="To copy construct from a tensor"):
        copied = torch.tensor(source)
    assert not copied.requires_grad and copied.data_ptr() != source.data_ptr()


def test_as_tensor() -> None:
    array = np.zeros(2)
    t = torch.as_tensor(array)
    array[0] = 5
    assert t.tolist() == [5.0, 0.0]
    assert torch.as_tensor(t) is t
    assert torch.as_tensor(t, dtype=torch.float32).dtype is torch.float32
    assert torch.as_tensor([1, 2]).tolist() == [1, 2]


def test_asarray() -> None:
    array = np.arange(4.0)
    assert torch.asarray(array).data_ptr() == array.ctypes.data
    assert torch.asarray(array, copy=True).data_ptr() != array.ctypes.data
    assert torch.asarray(bytearray(4)).dtype is torch.uint8
    assert torch.asarray([1, 2.0], requires_grad=True).requires_grad
    t = torch.ones(2)
    assert torch.asarray(t) is t and torch.asarray(t, copy=True) is not t
    with pytest.raises(ValueError, match="can't alias arbitrary sequence into a tensor"):
        torch.asarray([1, 2], copy=False)
    with pytest.raises(ValueError, match="can't alias tensor with dtype 'Double' into dtype 'Float'"):
        torch.asarray(array, dtype=torch.float32, copy=False)


def test_frombuffer() -> None:
    memory = bytearray(8)
    t = torch.frombuffer(memory, dtype=torch.int32)
    memory[0] = 7
    assert t.tolist() == [7, 0]
    t[1] = 1
    assert memory[4] == 1
    assert torch.frombuffer(memory, dtype=torch.int32, count=1, offset=4).tolist() == [1]
    with pytest.raises(BufferError):
        memory.append(1)  # the tensors use the memory
    for arguments in ({"count": 3}, {"offset": 9}, {"count": 0}, {"offset": -1}):
        with pytest.raises(ValueError):
            torch.frombuffer(memory, dtype=torch.int32, **arguments)
    with pytest.raises(ValueError, match="object does not implement Python buffer protocol"):
        torch.frombuffer(3, dtype=torch.int32)
    with pytest.warns(UserWarning, match="not writable"):
        assert torch.frombuffer(b"ab", dtype=torch.uint8).tolist() == [97, 98]


def test_new_tensor() -> None:
    assert torch.ones(2, dtype=torch.float64).new_tensor([1, 2]).dtype is torch.float64
    assert torch.ones(1).new_tensor([1.5], dtype=torch.int32).tolist() == [1]
    assert torch.ones(1, dtype=torch.int32).new_tensor([1.5]).tolist() == [1]


def test_calling_the_class() -> None:
    assert torch.Tensor([1, 2]).dtype is torch.float32
    assert torch.Tensor(2, 3).shape == (2, 3) and torch.Tensor(torch.Size([2])).shape == (2,)
    assert torch.Tensor().shape == (0,) and torch.Tensor((2, 3)).tolist() == [2.0, 3.0]
    with pytest.raises(TypeError):
        torch.Tensor(2.5)
