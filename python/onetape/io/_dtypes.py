"""The names that file formats give to dtypes."""

from __future__ import annotations

from onetape import _C
from onetape._C import Tensor, dtype

STORAGES: dict[str, dtype] = {
    "FloatStorage": _C.float32,
    "DoubleStorage": _C.float64,
    "HalfStorage": _C.float16,
    "BFloat16Storage": _C.bfloat16,
    "LongStorage": _C.int64,
    "IntStorage": _C.int32,
    "ShortStorage": _C.int16,
    "CharStorage": _C.int8,
    "ByteStorage": _C.uint8,
    "BoolStorage": _C.bool,
    "ComplexFloatStorage": _C.complex64,
    "ComplexDoubleStorage": _C.complex128,
}
"""PyTorch's storage classes, as .pt files name them."""

NUMPY: dict[str, dtype] = {
    "f4": _C.float32,
    "f8": _C.float64,
    "f2": _C.float16,
    "i8": _C.int64,
    "i4": _C.int32,
    "i2": _C.int16,
    "i1": _C.int8,
    "u1": _C.uint8,
    "b1": _C.bool,
    "c8": _C.complex64,
    "c16": _C.complex128,
}
"""NumPy's codes of dtypes, without the byte order."""

SAFETENSORS: dict[str, dtype] = {
    "F32": _C.float32,
    "F64": _C.float64,
    "F16": _C.float16,
    "BF16": _C.bfloat16,
    "I64": _C.int64,
    "I32": _C.int32,
    "I16": _C.int16,
    "I8": _C.int8,
    "U8": _C.uint8,
    "BOOL": _C.bool,
    "C64": _C.complex64,
}


def storage_name(kind: dtype) -> str:
    """PyTorch's storage class of a dtype."""
    return _STORAGE_NAMES[kind]


def numpy_name(kind: dtype) -> str | None:
    """NumPy's code of a dtype; None if NumPy has no such dtype."""
    return _NUMPY_NAMES.get(kind)


def safetensors_name(kind: dtype) -> str | None:
    """The name of a dtype in safetensors files; None if they have no such dtype."""
    return _SAFETENSORS_NAMES.get(kind)


_STORAGE_NAMES = {kind: name for name, kind in STORAGES.items()}
_NUMPY_NAMES = {kind: name for name, kind in NUMPY.items()}
_SAFETENSORS_NAMES = {kind: name for name, kind in SAFETENSORS.items()}


def swapped(data: Tensor, kind: dtype) -> Tensor:
    """Bytes of elements in the other byte order; complex numbers are two numbers."""
    width = kind.itemsize // 2 if kind.is_complex else kind.itemsize
    return data if width == 1 else data.view(-1, width).flip(1).reshape(-1)
