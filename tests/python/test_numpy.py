"""NumPy both ways without copying, mixed arithmetic, buffers and DLPack."""

from __future__ import annotations

import gc
import weakref
from array import array as array_type
from typing import Any

import numpy as np
import pytest

import onetape as torch

NAMES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128"]


@pytest.mark.parametrize("name", NAMES)
def test_round_trip(name: str) -> None:
    array = np.arange(6).reshape(2, 3).astype(name)
    t = torch.from_numpy(array)
    assert t.dtype is getattr(torch, name)
    assert t.data_ptr() == array.ctypes.data
    back = t.numpy()
    assert back.dtype == array.dtype and back.ctypes.data == array.ctypes.data
    assert np.array_equal(back, array)


@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (1,), (2, 3, 4)])
def test_shapes(shape: tuple[int, ...]) -> None:
    array = np.ones(shape)
    assert torch.from_numpy(array).shape == shape
    assert torch.ones(shape).numpy().shape == shape


def test_strides() -> None:
    array = np.arange(24.0).reshape(2, 3, 4)
    for view in (array.T, array[:, ::2], array[1:, 1, ::3], np.broadcast_to(array[0, 0], (3, 4)).copy()):
        t = torch.from_numpy(view)
        assert t.tolist() == view.tolist()
        assert np.array_equal(t.numpy(), view)
    t = torch.arange(6).reshape(2, 3).t()
    assert t.numpy().strides == (8, 24) and t.numpy().tolist() == t.tolist()
    expanded = torch.ones(1).expand(3)
    assert expanded.numpy().strides == (0,)


def test_changes_show_on_both_sides() -> None:
    array = np.zeros(3)
    t = torch.from_numpy(array)
    t[1] = 5
    array[2] = 6
    assert array.tolist() == [0, 5, 6] and t.tolist() == [0, 5, 6]
    back = t.numpy()
    back[0] = 4
    assert t[0].item() == 4


def test_who_keeps_whom_alive() -> None:
    array = np.ones(1000)
    reference = weakref.ref(array)
    t = torch.from_numpy(array)
    del array
    gc.collect()
    assert reference() is not None and t.sum().item() == 1000
    del t
    gc.collect()
    assert reference() is None
    back = torch.full((1000,), 2.0).numpy()
    gc.collect()
    assert back.sum() == 2000


def test_refused_arrays() -> None:
    with pytest.raises(ValueError, match="At least one stride in the given numpy array is negative"):
        torch.from_numpy(np.arange(3)[::-1])
    with pytest.raises(ValueError, match="given numpy array has byte order different from the native byte order"):
        torch.from_numpy(np.arange(3, dtype=">i4"))
    with pytest.raises(TypeError, match=r"can't convert np.ndarray of type numpy.str_. The only supported types are"):
        torch.from_numpy(np.array(["a"]))
    with pytest.raises(TypeError, match=r"can't convert np.ndarray of type numpy.datetime64"):
        torch.from_numpy(np.array(["2020-01-01"], dtype="datetime64[D]"))
    with pytest.raises(TypeError, match=r"can't convert np.ndarray of type numpy.object_"):
        torch.from_numpy(np.array([None]))
    with pytest.raises(TypeError, match=r"expected np.ndarray \(got list\)"):
        torch.from_numpy([1])
    records = np.zeros(2, dtype=[("a", "i4"), ("b", "i1")])
    with pytest.raises((ValueError, TypeError)):
        torch.from_numpy(records["a"])


def test_read_only_array() -> None:
    array = np.zeros(2)
    array.flags.writeable = False
    with pytest.warns(UserWarning, match="The given NumPy array is not writable"):
        torch.from_numpy(array)
    assert torch.tensor(array).tolist() == [0.0, 0.0]


def test_refused_tensors() -> None:
    x = torch.ones(2, requires_grad=True)
    text = r"Can't call numpy\(\) on Tensor that requires grad. Use tensor.detach\(\).numpy\(\) instead."
    for call in (x.numpy, lambda: np.asarray(x), (x * 2).numpy):
        with pytest.raises(RuntimeError, match=text):
            call()
    assert x.detach().numpy().tolist() == [1.0, 1.0]
    assert x.numpy(force=True).tolist() == [1.0, 1.0]
    with pytest.raises(TypeError, match="Got unsupported ScalarType BFloat16"):
        torch.ones(1, dtype=torch.bfloat16).numpy()


def test_array_protocol() -> None:
    t = torch.arange(4)
    assert np.asarray(t).ctypes.data == t.data_ptr()
    assert np.array(t).ctypes.data != t.data_ptr()
    assert np.asarray(t, dtype=np.float32).dtype == np.float32
    assert np.array([torch.tensor(1.0), torch.tensor(2.0)]).tolist() == [1.0, 2.0]
    assert t.__array__(np.float64).dtype == np.float64
    assert t.__array__(copy=True).ctypes.data != t.data_ptr()


def test_mixed_arithmetic_gives_tensors() -> None:
    t = torch.ones(2)
    array = np.array([2.0, 3.0])
    for result in (t + array, array + t, array * t, t - array, array - t, array / t, array**t):
        assert isinstance(result, torch.Tensor) and result.dtype is torch.float64
    assert (array - t).tolist() == [1.0, 2.0]
    assert (t < array).tolist() == [True, True]
    assert (array == t).tolist() == [False, False]
    assert isinstance(np.sqrt(t), torch.Tensor) or np.sqrt(t).tolist() == [1.0, 1.0]


def test_mixed_arithmetic_is_recorded() -> None:
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    (np.array([2.0, 3.0]) * x).sum().backward()
    assert x.grad is not None and x.grad.tolist() == [2.0, 3.0]


def test_memoryview() -> None:
    t = torch.arange(6, dtype=torch.int32).reshape(2, 3)
    view = memoryview(t)
    assert view.shape == (2, 3) and view.format == "i" and view.tolist() == [[0, 1, 2], [3, 4, 5]]
    view[0, 1] = 9
    assert t[0, 1].item() == 9
    with pytest.raises(BufferError):
        memoryview(torch.ones(2, requires_grad=True))
    assert bytes(t.t()) == t.t().numpy().tobytes()


# ---- DLPack ----


@pytest.mark.parametrize("name", [*NAMES, "bfloat16"])
def test_dlpack_round_trip(name: str) -> None:
    t = torch.arange(6).reshape(2, 3).to(getattr(torch, name)).t()
    back = torch.from_dlpack(t)
    assert back.dtype is t.dtype and back.tolist() == t.tolist()
    assert back.stride() == t.stride() and back.data_ptr() == t.data_ptr()
    assert torch.from_dlpack(t.__dlpack__()).tolist() == t.tolist()
    assert torch.from_dlpack(t.__dlpack__(max_version=(1, 0))).tolist() == t.tolist()


def test_dlpack_with_numpy() -> None:
    t = torch.arange(4.0)
    array = np.from_dlpack(t)
    assert array.ctypes.data == t.data_ptr()
    back = torch.from_dlpack(np.arange(3.0))
    assert back.tolist() == [0.0, 1.0, 2.0]


def test_dlpack_keeps_the_owner_alive() -> None:
    array = np.ones(10)
    reference: Any = weakref.ref(array)
    t = torch.from_dlpack(array)
    del array
    gc.collect()
    assert reference() is not None
    del t
    gc.collect()
    assert reference() is None


def test_dlpack_capsule_is_taken_once() -> None:
    capsule = torch.ones(2).__dlpack__()
    torch.from_dlpack(capsule)
    with pytest.raises(RuntimeError, match="DLTensor capsules can be consumed only once"):
        torch.from_dlpack(capsule)
    del capsule
    torch.ones(2).__dlpack__()  # nobody takes it


def test_dlpack_options() -> None:
    t = torch.ones(2)
    assert t.__dlpack_device__() == (1, 0)
    assert torch.from_dlpack(t.__dlpack__(copy=True)).data_ptr() != t.data_ptr()
    with pytest.raises(BufferError, match="Can't export tensors that require gradient"):
        torch.ones(1, requires_grad=True).__dlpack__()
    with pytest.raises(BufferError):
        t.__dlpack__(dl_device=(2, 0))


def test_array_namespace() -> None:
    assert torch.ones(1).__array_namespace__() is torch


def test_capsules_of_dlpack() -> None:
    from onetape.utils import dlpack

    x = torch.arange(6.0).reshape(2, 3).t()
    capsule = dlpack.to_dlpack(x)
    same = dlpack.from_dlpack(capsule)
    assert same.tolist() == x.tolist() and same.data_ptr() == x.data_ptr() and same.stride() == (1, 3)
    with pytest.raises(RuntimeError, match="^from_dlpack received an invalid capsule"):
        dlpack.from_dlpack(capsule)
    with pytest.raises(BufferError, match="^Can't export tensors that require gradient"):
        dlpack.to_dlpack(torch.ones(2, requires_grad=True))
    array = np.arange(3.0)
    assert torch.utils.dlpack.from_dlpack(array).tolist() == [0, 1, 2]


SHARED = {
    "from_numpy": torch.from_numpy,
    "as_tensor": torch.as_tensor,
    "asarray": torch.asarray,
    "from_dlpack": torch.from_dlpack,
    "frombuffer": lambda a: torch.frombuffer(a, dtype=torch.float64),
    "memoryview": lambda a: torch.frombuffer(memoryview(a), dtype=torch.float64),
    "part": lambda a: torch.from_numpy(a[5:]),
    "part of a part": lambda a: torch.from_dlpack(a[5:][1:]),
    "view": lambda a: torch.from_numpy(a)[3:],
}


@pytest.mark.parametrize("how", SHARED)
def test_an_array_is_not_resized_under_a_tensor(how: str) -> None:
    """NumPy can be told not to look at references; that would leave the tensor with memory that is gone."""
    array = np.arange(100_000, dtype=np.float64)
    tensor = SHARED[how](array)
    before = tensor.sum().item()
    for checks in (True, False):
        with pytest.raises(ValueError, match="cannot resize"):
            array.resize(10, refcheck=checks)
    assert tensor.sum().item() == before
    del tensor
    gc.collect()
    array.resize(10, refcheck=False)
    assert array.shape == (10,)


@pytest.mark.parametrize("kind", [bytearray, lambda size: array_type("B", bytes(size))])
def test_bytes_are_not_resized_under_a_tensor(kind: Any) -> None:
    memory = kind(80_000)
    tensor = torch.frombuffer(memory, dtype=torch.float64)[1:]
    for change in (lambda: memory.extend(b"more"), lambda: memory.__delitem__(slice(0, 100)), lambda: memory.pop()):
        with pytest.raises(BufferError):
            change()
    view = memoryview(memory)
    other = torch.frombuffer(view, dtype=torch.float64)
    with pytest.raises(BufferError):
        memory.pop()
    assert tensor.sum().item() == other.sum().item() == 0
    del tensor, other
    view.release()
    memory.pop()
