"""dtypes, devices, shapes and the other small values."""

from __future__ import annotations

import copy
import pickle

import pytest

import onetape as torch

DTYPES = [
    torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64,
    torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64, torch.complex128,
]  # fmt: skip


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtype(dtype: torch.dtype) -> None:
    name = repr(dtype).removeprefix("torch.")
    assert getattr(torch, name) is dtype
    assert torch.zeros(1, dtype=dtype).dtype is dtype
    assert pickle.loads(pickle.dumps(dtype)) is dtype
    assert copy.deepcopy(dtype) is dtype
    assert dtype.itemsize == torch.zeros(1, dtype=dtype).itemsize
    assert dtype.is_floating_point == ("float" in name)
    assert dtype.is_complex == ("complex" in name)
    assert dtype.is_signed == (name not in ("bool", "uint8"))


def test_other_names_of_dtypes() -> None:
    assert torch.float is torch.float32 and torch.double is torch.float64 and torch.half is torch.float16
    assert torch.int is torch.int32 and torch.long is torch.int64 and torch.short is torch.int16
    assert torch.cfloat is torch.complex64 and torch.cdouble is torch.complex128
    assert torch.complex64.to_real() is torch.float32 and torch.float64.to_complex() is torch.complex128


def test_dtypes_are_not_made() -> None:
    with pytest.raises(TypeError):
        torch.dtype()


def test_layouts() -> None:
    assert repr(torch.strided) == "torch.strided" and repr(torch.preserve_format) == "torch.preserve_format"
    assert torch.zeros(1).layout is torch.strided
    assert pickle.loads(pickle.dumps(torch.strided)) is torch.strided
    assert torch.zeros(2, 3).is_contiguous(memory_format=torch.contiguous_format)
    assert torch.zeros(1, layout=torch.strided).clone(memory_format=torch.preserve_format).shape == (1,)


def test_device() -> None:
    cpu = torch.device("cpu")
    assert repr(cpu) == "device(type='cpu')" and str(cpu) == "cpu"
    assert cpu.type == "cpu" and cpu.index is None
    assert repr(torch.device("cuda:1")) == "device(type='cuda', index=1)"
    assert torch.device("cuda", 1) == torch.device("cuda:1") and str(torch.device("cuda", 1)) == "cuda:1"
    assert torch.device(type="cpu", index=0).index == 0
    assert torch.device(cpu) == cpu and torch.device(0).type == "cuda"
    assert hash(torch.device("cpu")) == hash(cpu) and cpu != "cpu"
    assert pickle.loads(pickle.dumps(torch.device("cuda:1"))) == torch.device("cuda:1")


@pytest.mark.parametrize("name", ["foo", "cpu:x", "", "cuda:-1", "cuda:1:2"])
def test_names_that_are_no_device(name: str) -> None:
    with pytest.raises(RuntimeError):
        torch.device(name)


def test_missing_devices() -> None:
    assert not torch.cuda.is_available() and torch.cuda.device_count() == 0
    for call in (lambda: torch.ones(2).cuda(), lambda: torch.ones(2).to("cuda"), lambda: torch.ones(2, device="cuda")):
        with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
            call()


def test_size() -> None:
    size = torch.zeros(2, 3).shape
    assert repr(size) == "torch.Size([2, 3])" and size == (2, 3) and size.numel() == 6
    assert torch.Size([]).numel() == 1
    four = (4,)
    assert type(size[:1]) is torch.Size and size[0] == 2
    assert type(size + four) is torch.Size and type(four + size) is torch.Size and type(size * 2) is torch.Size
    assert torch.Size((torch.tensor(2), 3)) == (2, 3)
    assert pickle.loads(pickle.dumps(size)) == size and type(pickle.loads(pickle.dumps(size))) is torch.Size
    assert {size: 1}[torch.Size([2, 3])] == 1
    with pytest.raises(TypeError, match=r"torch.Size\(\) takes an iterable of 'int' \(item 0 is 'float'\)"):
        torch.Size([1.5])


def test_limits() -> None:
    assert repr(torch.finfo(torch.float32)) == (
        "finfo(resolution=1e-06, min=-3.40282e+38, max=3.40282e+38, eps=1.19209e-07, smallest_normal=1.17549e-38, "
        "tiny=1.17549e-38, dtype=float32)"
    )
    assert repr(torch.iinfo(torch.int8)) == "iinfo(min=-128, max=127, dtype=int8)"
    assert torch.iinfo(torch.uint8).max == 255 and torch.finfo().bits == 32
    assert torch.finfo(torch.float64).eps == 2.0**-52 and torch.finfo(torch.bfloat16).max == 3.3895313892515355e38
    with pytest.raises(TypeError):
        torch.finfo(torch.int32)
    with pytest.raises(TypeError):
        torch.iinfo(torch.float32)


def test_default_dtype() -> None:
    assert torch.get_default_dtype() is torch.float32
    torch.set_default_dtype(torch.float64)
    try:
        assert torch.tensor(1.5).dtype is torch.float64 and torch.zeros(1).dtype is torch.float64
        assert torch.tensor(1j).dtype is torch.complex128 and torch.tensor([1, 2.0]).dtype is torch.float64
    finally:
        torch.set_default_dtype(torch.float32)
    with pytest.raises(TypeError, match="only floating-point types are supported as the default type"):
        torch.set_default_dtype(torch.int32)


def test_promotion_functions() -> None:
    assert torch.result_type(torch.tensor(1), 2.5) is torch.float32
    assert torch.result_type(torch.ones(1, dtype=torch.int8), 2) is torch.int8
    assert torch.promote_types(torch.int8, torch.uint8) is torch.int16
    assert torch.can_cast(torch.int32, torch.float32) and not torch.can_cast(torch.float32, torch.int32)


def test_questions() -> None:
    t = torch.zeros(2, 3)
    assert torch.is_tensor(t) and not torch.is_tensor(1)
    assert torch.is_floating_point(t) and not torch.is_complex(t) and torch.is_signed(t) and torch.numel(t) == 6


def test_threads() -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    assert torch.get_num_threads() == 1
    torch.set_num_threads(before)
    with pytest.raises(RuntimeError):
        torch.set_num_threads(0)
