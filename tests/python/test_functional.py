"""Functions that the package makes of others."""

from __future__ import annotations

import pytest

import onetape as torch


def test_unique() -> None:
    t = torch.tensor([[3, 1], [1, 2]])
    assert torch.unique(t).tolist() == t.unique().tolist() == [1, 2, 3]
    output, inverse = torch.unique(t, return_inverse=True)
    assert output[inverse].tolist() == t.tolist()
    output, inverse, counts = torch.unique(t, return_inverse=True, return_counts=True)
    assert counts.tolist() == [2, 1, 1]
    with pytest.raises(NotImplementedError):
        torch.unique(t, dim=0)


def test_broadcast_shapes() -> None:
    assert torch.broadcast_shapes((2, 1), (3,), 1) == torch.Size([2, 3])
    assert torch.broadcast_shapes() == ()
    with pytest.raises(RuntimeError):
        torch.broadcast_shapes((2,), (3,))


def test_newaxis() -> None:
    assert torch.arange(3)[:, torch.newaxis].shape == (3, 1)


def test_both_forms_of_where() -> None:
    t = torch.tensor([1.0, -2.0, 0.0])
    assert torch.where(t > 0, t, 0).tolist() == [1.0, 0.0, 0.0]
    (places,) = torch.where(t)
    assert places.tolist() == [0, 1]


def test_tensors_one_by_one() -> None:
    a, b = torch.ones(2, 1), torch.ones(3)
    for made in (torch.broadcast_tensors(a, b), torch.broadcast_tensors([a, b])):
        assert [t.shape for t in made] == [(2, 3), (2, 3)]
    with pytest.raises(TypeError, match="expected Tensor as element 1 in argument 0, but got int"):
        torch.broadcast_tensors(a, 3)
