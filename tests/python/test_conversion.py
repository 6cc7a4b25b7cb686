"""to() in all its forms, Python's numbers, properties, copying and pickling."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

import onetape as torch


def test_to() -> None:
    t = torch.ones(2)
    assert t.to(torch.float64).dtype is torch.float64
    assert t.to("cpu") is t and t.to(torch.device("cpu")) is t and t.to(torch.float32) is t
    assert t.to("cpu", torch.int32).dtype is torch.int32
    assert t.to(torch.zeros(1, dtype=torch.int8)).dtype is torch.int8
    assert t.to(dtype=torch.int8).dtype is torch.int8 and t.to(device="cpu") is t
    assert t.to(torch.float32, copy=True) is not t and t.to("cpu", copy=True) is not t
    assert t.to(torch.float64, False, True, memory_format=torch.preserve_format).dtype is torch.float64
    assert t.to() is t and t.to(None) is t and t.cpu() is t


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        ("bool", torch.bool), ("byte", torch.uint8), ("char", torch.int8), ("short", torch.int16), ("int", torch.int32),
        ("long", torch.int64), ("half", torch.float16), ("bfloat16", torch.bfloat16), ("float", torch.float32),
        ("double", torch.float64), ("cfloat", torch.complex64), ("cdouble", torch.complex128),
    ],
)  # fmt: skip
def test_casts(name: str, dtype: torch.dtype) -> None:
    t = torch.tensor([0, 1, 2])
    assert getattr(t, name)().dtype is dtype
    assert t.type(dtype).dtype is dtype
    assert t.type(t.type(dtype).type()).dtype is dtype


def test_type() -> None:
    assert torch.ones(1).type() == "torch.FloatTensor" and torch.ones(1, dtype=torch.bool).type() == "torch.BoolTensor"
    assert torch.ones(1).type("torch.DoubleTensor").dtype is torch.float64
    with pytest.raises(ValueError, match="invalid type: 'foo'"):
        torch.ones(1).type("foo")


def test_casts_are_recorded() -> None:
    x = torch.ones(2, requires_grad=True)
    y = x.double()
    assert y.grad_fn.name() == "ToCopyBackward0"
    y.sum().backward()
    assert x.grad is not None and x.grad.dtype is torch.float32


def test_item() -> None:
    for number in (1.5, 3, True, 2j):
        value = torch.tensor(number).item()
        assert value == number and type(value) is type(number)
    assert torch.ones(1, 1).item() == 1.0
    with pytest.raises(RuntimeError, match="a Tensor with 6 elements cannot be converted to Scalar"):
        torch.ones(2, 3).item()


def test_tolist() -> None:
    t = torch.arange(6).reshape(2, 3)
    assert t.tolist() == [[0, 1, 2], [3, 4, 5]] and t.t().tolist() == [[0, 3], [1, 4], [2, 5]]
    assert torch.tensor(2.5).tolist() == 2.5 and torch.zeros(2, 0).tolist() == [[], []]
    assert torch.tensor([True]).tolist() == [True] and torch.tensor([1 + 2j]).tolist() == [1 + 2j]
    assert torch.tensor([1.5], dtype=torch.bfloat16).tolist() == [1.5]


def test_python_numbers() -> None:
    assert float(torch.tensor(2)) == 2.0 and int(torch.tensor(2.7)) == 2 and complex(torch.tensor(2.0)) == 2 + 0j
    assert bool(torch.tensor(0.0)) is False and bool(torch.ones(1, 1)) is True
    assert [10, 20, 30][torch.tensor(1)] == 20 and range(5)[torch.tensor(2)] == 2
    assert f"{torch.tensor(1.5):.2f}" == "1.50" and f"{torch.tensor(7)}" == "7"
    for call in (lambda: float(torch.ones(2)), lambda: int(torch.ones(0))):
        with pytest.raises(ValueError, match="only one element tensors can be converted to Python scalars"):
            call()
    with pytest.raises(RuntimeError, match="Boolean value of Tensor with more than one value is ambiguous"):
        bool(torch.ones(2))
    with pytest.raises(RuntimeError, match="Boolean value of Tensor with no values is ambiguous"):
        bool(torch.ones(0))
    with pytest.raises(TypeError, match="only integer tensors of a single element can be converted to an index"):
        [1, 2][torch.tensor(1.0)]
    with pytest.raises(TypeError, match=r"unsupported format string passed to Tensor.__format__"):
        f"{torch.ones(2):.2f}"
    with pytest.warns(UserWarning, match="Converting a tensor with requires_grad=True to a scalar"):
        assert float(torch.tensor(2.0, requires_grad=True)) == 2.0


def test_properties() -> None:
    t = torch.zeros(2, 3, 4, dtype=torch.float64)[:, 1:]
    assert t.shape == t.size() == (2, 2, 4) and t.size(1) == 2 and t.size(-1) == 4 and t.size(dim=0) == 2
    assert t.stride() == (12, 4, 1) and t.stride(0) == 12 and t.storage_offset() == 4
    assert t.ndim == t.dim() == t.ndimension() == 3 and t.numel() == t.nelement() == 16
    assert t.itemsize == t.element_size() == 8 and t.nbytes == 128
    assert t.is_floating_point() and not t.is_complex() and t.is_signed()
    assert t.is_cpu and not t.is_cuda and not t.is_sparse and t.get_device() == -1
    assert t._is_view() and t._base is not None and not t.is_contiguous()
    assert t.untyped_storage().nbytes() == 192 and len(t.storage()) == 24
    assert t._version == 0 and t.add_(1) is t and t._version == 1
    with pytest.raises(IndexError, match=r"Dimension out of range \(expected to be in range of \[-3, 2\], but got 5\)"):
        t.size(5)


def test_questions_and_small_methods() -> None:
    t = torch.arange(4)
    assert t.is_same_size(torch.ones(4)) and not t.is_same_size(torch.ones(2, 2))
    assert t.is_set_to(t[:]) and not t.is_set_to(t[1:])
    assert torch.tensor(2).is_nonzero() and +t is t
    assert t.type_as(torch.ones(1)).dtype is torch.float32
    assert t.where(t > 1, -1).tolist() == [-1, -1, 2, 3]
    assert torch.detach(torch.ones(1, requires_grad=True)).requires_grad is False
    with pytest.raises(RuntimeError, match="Boolean value of Tensor with more than one value is ambiguous"):
        t.is_nonzero()


def test_transposed_properties() -> None:
    t = torch.arange(6).reshape(2, 3)
    assert t.T.tolist() == t.mT.tolist() == t.H.tolist() == [[0, 3], [1, 4], [2, 5]]
    assert torch.tensor([[1 + 2j]]).H.tolist() == [[1 - 2j]] and torch.ones(3).T.shape == (3,)
    with pytest.warns(UserWarning, match="on tensors of dimension other than 2"):
        assert torch.ones(2, 3, 4).T.shape == (4, 3, 2)
    with pytest.raises(
        RuntimeError, match="tensor.mT is only supported on matrices or batches of matrices. Got 1-D tensor."
    ):
        torch.ones(3).mT  # noqa: B018


def test_storage() -> None:
    t = torch.arange(3.0)
    storage = t.storage()
    assert storage.tolist() == [0.0, 1.0, 2.0] and storage.dtype is torch.float32 and len(storage) == 3
    assert repr(storage) == " 0.0\n 1.0\n 2.0\n[torch.storage.TypedStorage(dtype=torch.float32, device=cpu) of size 3]"
    storage[1] = 5
    assert t.tolist() == [0.0, 5.0, 2.0] and storage[1] == 5.0
    assert storage == t[1:].storage() and storage != torch.ones(1).storage()
    assert len(storage.untyped()) == 12 and t.untyped_storage()[7] == storage.untyped().tolist()[7]


# ---- copying ----


def test_copy() -> None:
    t = torch.ones(2, requires_grad=True)
    t.note = [1]
    other = copy.copy(t)
    assert other is not t and other.requires_grad and other.note is t.note


def test_deepcopy() -> None:
    t = torch.ones(2, 3, requires_grad=True)
    t.grad = torch.ones(2, 3)
    t.note = [1]
    other: Any = copy.deepcopy(t)
    assert other.requires_grad and other.is_leaf and other.grad is not t.grad and other.note is not t.note
    assert other.data_ptr() != t.data_ptr() and other.tolist() == t.tolist()
    base = torch.arange(6)
    pair = copy.deepcopy([base, base[2:], base.view(2, 3).t()])
    pair[0][3] = 100
    assert pair[1][1].item() == 100 and pair[2].stride() == (1, 3) and base[3].item() == 3
    with pytest.raises(RuntimeError, match="Only Tensors created explicitly by the user"):
        copy.deepcopy(t * 2)


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickle(protocol: int) -> None:
    for dtype in (torch.bool, torch.int64, torch.float32, torch.bfloat16, torch.complex128):
        t = torch.arange(6).reshape(2, 3).to(dtype).t()
        t.note = "kept"
        back = pickle.loads(pickle.dumps(t, protocol))
        assert back.dtype is dtype and back.tolist() == t.tolist() and back.note == "kept"
    assert pickle.loads(pickle.dumps(torch.ones(2, requires_grad=True), protocol)).requires_grad
