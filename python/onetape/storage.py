"""The one-dimensional memory that tensors are views of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from onetape import _C
from onetape._C import Tensor, device, dtype

__all__ = ["TypedStorage", "UntypedStorage"]


class _Storage:
    """All elements of a tensor's memory, whatever part of it the tensor shows."""

    def __init__(self, elements: Tensor, tensor: Tensor | None = None) -> None:
        self._elements = elements
        self._tensor = elements if tensor is None else tensor

    def __len__(self) -> int:
        return self._elements.numel()

    def __getitem__(self, index: int) -> Any:
        if self.device.type == "meta":
            raise NotImplementedError("Not available for 'meta' device type")
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
        meta = self.device.type == "meta"
        lines = "...\n" if meta else "".join(f" {element}\n" for element in self.tolist())
        return f"{lines}[torch.storage.{self._kind()} of size {len(self)}]"

    def resizable(self) -> bool:
        """May the size change? Not that of memory that is NumPy's or a file's."""
        return _C._is_resizable(self._elements)

    def _resize(self, count: object) -> None:
        if isinstance(count, bool) or not isinstance(count, int):
            raise RuntimeError(f"resize_ expects an int, but got {type(count).__name__}")
        _C._resize_storage(self._elements, self._tensor, count * self.element_size())
        self._elements = _C._storage_tensor(self._elements, self._elements.dtype)

    def _kind(self) -> str:
        raise NotImplementedError


class UntypedStorage(_Storage):
    """The memory as bytes."""

    def resize_(self, size: int) -> UntypedStorage:
        """Gives the memory another size in bytes, for this storage and the tensor it was asked of.

        Shorter memory keeps its place: tensors that show more of it read what stands there, or zeros. Longer memory
        may be new; other views then keep the old one. RuntimeError: the memory belongs to others.
        """
        self._resize(size)
        return self

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
        return UntypedStorage(_C._storage_tensor(self._elements, _C.uint8), self._tensor)

    def resize_(self, size: int) -> None:
        """Gives the memory room for another number of elements; see UntypedStorage.resize_."""
        self._resize(size)

    def _kind(self) -> str:
        return f"TypedStorage(dtype={self.dtype}, device={self.device})"
