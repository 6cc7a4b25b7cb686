"""Limits of the dtypes."""

from __future__ import annotations

from onetape import _C
from onetape._C import dtype

__all__ = ["finfo", "iinfo"]

# bits, eps, largest, smallest normal, smallest, decimal digits
_FLOATS: dict[dtype, tuple[int, float, float, float, float, float]] = {
    _C.float16: (16, 2.0**-10, 65504.0, 2.0**-14, 2.0**-24, 1e-3),
    _C.bfloat16: (16, 2.0**-7, (2 - 2.0**-7) * 2.0**127, 2.0**-126, 2.0**-133, 1e-2),
    _C.float32: (32, 2.0**-23, (2 - 2.0**-23) * 2.0**127, 2.0**-126, 2.0**-149, 1e-6),
    _C.float64: (64, 2.0**-52, (2 - 2.0**-52) * 2.0**1023, 2.0**-1022, 2.0**-1074, 1e-15),
}


class finfo:
    """Limits of a floating dtype: bits, eps, max, min, tiny, smallest_normal, resolution."""

    def __init__(self, dtype: dtype | None = None) -> None:
        wanted = dtype if dtype is not None else _C.get_default_dtype()
        real = wanted.to_real() if wanted.is_complex else wanted
        if real not in _FLOATS:
            raise TypeError(f"torch.finfo() requires a floating point input type. Use torch.iinfo to handle '{wanted}'")
        self.bits, self.eps, self.max, self.smallest_normal, _, self.resolution = _FLOATS[real]
        self.min = -self.max
        self.tiny = self.smallest_normal
        self.dtype = repr(real).removeprefix("torch.")

    def __repr__(self) -> str:
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, eps={self.eps:g}, "
            f"smallest_normal={self.smallest_normal:g}, tiny={self.tiny:g}, dtype={self.dtype})"
        )


class iinfo:
    """Limits of an integer dtype: bits, max, min."""

    def __init__(self, dtype: dtype) -> None:
        if dtype.is_floating_point or dtype.is_complex or dtype is _C.bool:
            raise TypeError(f"torch.iinfo() requires an integer input type. Use torch.finfo to handle '{dtype}'")
        self.bits = 8 * dtype.itemsize
        signed = dtype.is_signed
        self.max = 2 ** (self.bits - 1) - 1 if signed else 2**self.bits - 1
        self.min = -(2 ** (self.bits - 1)) if signed else 0
        self.dtype = repr(dtype).removeprefix("torch.")

    def __repr__(self) -> str:
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"
