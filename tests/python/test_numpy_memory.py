"""NumPy may be told to free, move or shrink an array's elements; a tensor that shows them keeps them."""

import gc

import numpy as np
import pytest

import onetape as torch

N = 1 << 18


def churn() -> None:
    """Memory that was freed is used again."""
    for _ in range(4):
        np.full(N, 7.0)


STATES = {
    "empty": lambda array: array.__setstate__((1, (0,), array.dtype, False, b"")),
    "others": lambda array: array.__setstate__((1, (3,), array.dtype, False, b"x" * 24)),
}


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("part", [slice(None), slice(5, None, 2)])
def test_an_array_gets_other_elements(state: str, part: slice) -> None:
    array = np.ones(N)
    x = torch.from_numpy(array[part])
    second = torch.from_numpy(array)
    STATES[state](array)
    churn()
    assert x.sum().item() == x.numel()
    x.fill_(2)
    assert second[5].item() == 2


def test_an_array_refuses_to_be_resized() -> None:
    array = np.ones(N)
    x = torch.from_numpy(array)
    with pytest.raises(ValueError, match="cannot resize"):
        array.resize((3,), refcheck=False)
    assert x[-1] == 1
    array[0] = 5
    assert x[0] == 5


def test_an_array_owns_its_elements_again_when_the_tensors_have_gone() -> None:
    array = np.ones((3, 4), order="F")
    x = torch.from_numpy(array)
    y = torch.from_numpy(array[1:])
    assert not array.flags.owndata
    del x
    gc.collect()
    assert not array.flags.owndata
    del y
    gc.collect()
    assert array.flags.owndata
    assert array.base is None
    array.resize((30,), refcheck=False)
    assert array[:12].sum() == 12


def test_an_array_may_go_before_its_tensor() -> None:
    x = torch.from_numpy(np.full(N, 3.0))
    gc.collect()
    churn()
    assert x.mean() == 3


def test_bytes_are_held() -> None:
    owner = bytearray(b"\1" * N)
    x = torch.frombuffer(owner, dtype=torch.uint8)
    with pytest.raises(BufferError):
        owner.clear()
    view = memoryview(owner)
    y = torch.frombuffer(view, dtype=torch.uint8)
    with pytest.raises(BufferError):
        view.release()
    assert x.sum() == y.sum() == N
