"""The one-dimensional memory that tensors are views of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from onetape import _C
from onetape._C import Tensor, device, dtype

__all__ = ["TypedStorage", "UntypedStorage"]


class _Storage:
    """All elements of a tensor's memory, whatever part of it the tensor shows."""

    def __init__(self, elements: Tensor) -> None:
        self._elements = elements

    def __len__(self) -> int:
        return self._elements.numel()

    def __getitem__(self, index: int) -> Any:
        return self._elements[index].item()

    def __setitem__(self, index: int | slice, value: float) -> None:
        self._elements[index] = value

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def __eq__(self, other: object) -> bool:
        """Is it the same memory?"""
        return type(self) is type(other) and self.data_ptr() == other.data_ptr()

    def __hash__(self) -> int:
        return hash(self.data_ptr())

    def size(self) -> int:
        """Number of elements."""
        return len(self)

    def tolist(self) -> list[Any]:
        """The elements as a list."""
        elements: list[Any] = self._elements.tolist()
        return elements

    def data_ptr(self) -> int:
        """The address of the first element."""
        return self._elements.data_ptr()

    def nbytes(self) -> int:
        """The size of the memory."""
        return self._elements.nbytes

    def element_size(self) -> int:
        """Bytes of an element."""
        return self._elements.itemsize

    @property
    def device(self) -> device:
        """Where the memory is."""
        return self._elements.device

    def __repr__(self) -> str:
        lines = "".join(f" {element}\n" for element in self.tolist())
        return f"{lines}[torch.storage.{self._kind()} of size {len(self)}]"

    def _kind(self) -> str:
        raise NotImplementedError


class UntypedStorage(_Storage):
    """The memory as bytes."""

    def _kind(self) -> str:
        return f"UntypedStorage(device={self.device})"


class TypedStorage(_Storage):
    """The memory as elements of one dtype."""

    @property
    def dtype(self) -> dtype:
        """The type of the elements."""
        return self._elements.dtype

    def untyped(self) -> UntypedStorage:
        """The same memory as bytes."""
        return UntypedStorage(_C._storage_tensor(self._elements, _C.uint8))

    def _kind(self) -> str:
        return f"TypedStorage(dtype={self.dtype}, device={self.device})"
