"""The comparison of a function's derivatives with finite differences that gradcheck makes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import onetape._C as _C
from onetape._C import Tensor
from onetape.autograd import _jacobians as jacobians
from onetape.autograd._jacobians import Direction, GradcheckError, as_tuple, is_differentiable, wanted

__all__ = ["Comparison", "recorded"]


def recorded(outputs: Any) -> list[Tensor]:
    return [y for y in as_tuple(outputs) if isinstance(y, Tensor) and y.requires_grad]


def _agree(a: Tensor, b: Tensor, rtol: float, atol: float) -> bool:
    dtype = _C.promote_types(a.dtype, b.dtype)
    return _C.allclose(a.to(dtype), b.to(dtype), rtol=rtol, atol=atol)


def _random_direction(t: Tensor, generator: Any) -> Tensor:
    """A flat vector of length 1, of the dtype of t's parts."""
    vector = _C.rand(t.numel(), generator=generator, dtype=_C.float64).to(jacobians.real_dtype(t))
    return vector / (vector * vector).sum().sqrt() if t.numel() else vector


@dataclass
class Comparison:
    """One call of gradcheck: the function, where it is checked, and how."""

    function: Callable[..., Any]
    inputs: tuple[Any, ...]
    eps: float
    atol: float
    rtol: float
    nondet_tol: float
    check_dtypes: bool
    fast: bool
    forward: bool = False
    part: str = ""  # "real" or "imaginary": of complex outputs, or in forward mode inputs
    complex_places: tuple[int, ...] = ()

    def run(self) -> None:
        outputs = as_tuple(self.function(*self.inputs))
        if not recorded(outputs):
            self._check_constant(outputs)
        elif self.fast:
            self._check_along(outputs)
        else:
            self._check_whole(outputs)

    def _check_constant(self, outputs: tuple[Any, ...]) -> None:
        """No output has a gradient: none may change."""
        for _, x in wanted(self.inputs):
            for table in jacobians.numerical_jacobians(self.function, self.inputs, x, len(outputs), self.eps):
                if (table != 0).any().item():
                    raise GradcheckError("Numerical gradient for function expected to be zero")

    # ---- whole Jacobians ----

    def _numerical(self, x: Tensor, outputs: tuple[Any, ...]) -> list[Tensor]:
        """With respect to x, of the outputs that are compared."""
        tables = jacobians.numerical_jacobians(self.function, self.inputs, x, len(outputs), self.eps)
        return [table for y, table in zip(outputs, tables, strict=True) if y.requires_grad]

    def _analytical(self) -> list[list[Tensor]]:
        """The same tables: for each input, for each output. Of new outputs: the inputs have been moved since."""
        outputs = as_tuple(self.function(*self.inputs))
        if self.forward:
            kept = [k for k, y in enumerate(filter(is_differentiable, outputs)) if y.requires_grad]
            differentiable = list(filter(is_differentiable, outputs))
            rows = [
                jacobians.forward_jacobians(self.function, self.inputs, i, differentiable, self.check_dtypes)
                for i, _ in wanted(self.inputs)
            ]
            return [[row[k] for k in kept] for row in rows]
        columns = [
            jacobians.checked_backward_jacobians(self.inputs, y, jacobians.units(y), self.nondet_tol, self.check_dtypes)
            for y in recorded(outputs)
        ]
        return [list(row) for row in zip(*columns, strict=True)]

    def _check_whole(self, outputs: tuple[Any, ...]) -> None:
        numerical = [self._numerical(x, outputs) for _, x in wanted(self.inputs)]
        analytical = self._analytical()
        for k in range(len(recorded(outputs))):
            for i, row in enumerate(numerical):
                if not _agree(analytical[i][k], row[k], self.rtol, self.atol):
                    raise GradcheckError(self._mismatch(analytical[i][k], row[k], k, i))

    def _mismatch(self, analytical: Any, numerical: Any, output: int, place: int) -> str:
        several = (place if self.forward else output) in self.complex_places
        kind = "inputs" if self.forward else "outputs"
        head = f"While considering the {self.part} part of complex {kind} only, " if several else ""
        mode = "computed with forward mode " if self.forward else ""
        return (
            f"{head}Jacobian {mode}mismatch for output {output} with respect to input {place},\n"
            f"numerical:{numerical}\nanalytical:{analytical}\n"
        )

    # ---- along one direction ----

    def _check_along(self, outputs: tuple[Any, ...]) -> None:
        generator = _C.Generator()
        compared = recorded(outputs)
        us: list[Direction] = []
        for _, x in wanted(self.inputs):
            first = _random_direction(x, generator)
            us.append((first, _random_direction(x, generator)) if x.is_complex() else first)
        vs = None if self.forward else [_random_direction(y, generator) for y in compared]
        for i, ((which, x), u) in enumerate(zip(wanted(self.inputs), us, strict=True)):
            slopes = jacobians.numerical_slopes(self.function, self.inputs, x, u, self.eps)
            numerical = [slope for y, slope in zip(outputs, slopes, strict=True) if y.requires_grad]
            analytical = self._slopes(which, i, u, vs)
            for k, (n, a) in enumerate(zip(numerical, analytical, strict=True)):
                if vs is not None:
                    n = (vs[k] * n).sum()
                if not _agree(a, n, self.rtol, self._scaled_atol(u, None if vs is None else vs[k])):
                    raise GradcheckError(self._mismatch(a, n, k, i) + self._whole_story(outputs, i, k))

    def _slopes(self, which: int, place: int, u: Direction, vs: list[Tensor] | None) -> list[Tensor]:
        """By automatic differentiation: each output along u, and with vs weighed by them."""
        outputs = as_tuple(self.function(*self.inputs))
        if vs is None:
            assert isinstance(u, Tensor)
            direction = u.reshape(self.inputs[which].shape)
            found = jacobians.tangents_along(self.function, self.inputs, which, direction, self.check_dtypes)
            kept = [y.requires_grad for y in filter(is_differentiable, outputs)]
            return [t for t, keep in zip(found, kept, strict=True) if keep]
        result = []
        for y, v in zip(recorded(outputs), vs, strict=True):
            seeds = [v.reshape(y.shape)]
            tables = jacobians.checked_backward_jacobians(self.inputs, y, seeds, self.nondet_tol, self.check_dtypes)
            row = tables[place][:, 0]
            if isinstance(u, tuple):
                result.append((jacobians.real(row) * u[0]).sum() + 1j * (jacobians.imag(row) * u[1]).sum())
            else:
                result.append((row * u).sum())
        return result

    def _scaled_atol(self, u: Direction, v: Tensor | None) -> float:
        parts = u if isinstance(u, tuple) else (u,)
        weight = 1.0 if v is None else float(v.sum().item())
        return self.atol * sum(float(part.sum().item()) for part in parts) * weight

    def _whole_story(self, outputs: tuple[Any, ...], place: int, output: int) -> str:
        _, x = wanted(self.inputs)[place]
        numerical = self._numerical(x, outputs)[output]
        analytical = self._analytical()[place][output]
        most = (numerical - analytical).abs().max()
        text = (
            "\nThe above quantities relating the numerical and analytical jacobians are computed \nin fast mode. See: "
            "https://github.com/pytorch/pytorch/issues/53876 for more background \nabout fast mode. Below, we "
            "recompute numerical and analytical jacobians in slow mode:\n\nNumerical:\n "
            f"{numerical}\nAnalytical:\n{analytical}\n\nThe "
            f"max per-element difference (slow mode) is: {most}.\n"
        )
        if _agree(analytical, numerical, self.rtol, self.atol):
            text += (
                "\nFast gradcheck failed but element-wise differences are small. This means that the\ntest might've "
                "passed in slow_mode! Call gradcheck with `fast_mode=False`."
            )
        return text
