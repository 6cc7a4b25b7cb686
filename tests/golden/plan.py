"""Which cases of an operator have golden values: its samples, the dtypes for each, variants of the first one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from native.codegen.tables import Op
from tests.golden.samples import DTYPES, Arguments, DType, evaluate

EVERYDAY = ("bool", "int64", "float32", "float64", "complex128")
"""Dtypes for every sample; the others only for an operator's first sample and for special values."""
VARIANTS = {"empty": (0, 3), "scalar": ()}
"""Variants that give all values of a sample another shape."""
VARIANT_DTYPES = ("int64", "float64")
LAYOUT_DTYPES = ("int64", "float64")
"""Dtypes for which operands in other layouts are tried."""
COMPOSED = (
    "bilinear",
    "cross_entropy",
    "einsum",
    "gru",
    "gru_cell",
    "linear",
    "lstm",
    "lstm_cell",
    "matmul",
    "pad",
    "pairwise_distance",
    "rnn_relu",
    "rnn_relu_cell",
    "rnn_tanh",
    "rnn_tanh_cell",
    "scaled_dot_product_attention",
)
"""Operators that PyTorch makes of others, which differ with the layout: the nodes of their results have any name."""
BY_PARTS = (
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
)
"""Operators that PyTorch makes of the real and imaginary parts of complex numbers: the same holds for those."""
WRONG_LAYOUTS = ("conv_tbc", "ctc_loss", "local_response_norm", "median")
"""Operators for which PyTorch gives wrong values where a stride is 0, or which it refuses with unusual strides."""
DENSE_NUMBERS = ("gru_data", "lstm_data", "rnn_relu_data", "rnn_tanh_data")
"""Operators of which PyTorch reads a list of numbers as if it stood dense in memory, whatever its strides."""
IN_CPP = ("fractional_max_pool2d", "fractional_max_pool3d", "tensordot")
"""Functions whose arguments are others in PyTorch's Python than in its C++, from which Java has them."""
SEED = 0
"""The generator's seed before every call."""


@dataclass(frozen=True)
class Case:
    """One call of an operator. Dtype 'default' says that nothing in the call names one."""

    op: Op
    sample: str
    variant: str
    dtype: str

    @property
    def key(self) -> tuple[str, str, str]:
        return (self.sample, self.variant, self.dtype)

    @property
    def second_dtype(self) -> str:
        """The dtype of every second array."""
        mixed = self.variant == "mixed"
        return DTYPES[(DTYPES.index(self.dtype) + 5) % len(DTYPES)] if mixed else self.dtype

    @property
    def declared(self) -> bool:
        """Does the table say that the operator knows these dtypes?"""
        return {self.dtype, self.second_dtype} <= {"default", *self.op.dtypes}

    @property
    def may_be_wider(self) -> bool:
        """May dtypes be taken that are not declared: mixed with others or with numbers, or without elements?"""
        found = self.arguments()
        if self.variant == "mixed" or any(0 in array.shape for array in found.arrays()):
            return True
        places = [p for p in self.op.params if not p.keyword_only]
        given = [*zip(places, found.args, strict=False), *((p, found.kwargs.get(p.name)) for p in self.op.params)]
        return any("Scalar" in p.type and isinstance(value, (int, float, complex)) for p, value in given)

    def arguments(self) -> Arguments:
        dtype = "float32" if self.dtype == "default" else self.dtype
        if self.variant == "mixed":
            found = evaluate(self.op.id, self.sample, lambda place: self.second_dtype if place % 2 else dtype)
        else:
            found = evaluate(self.op.id, self.sample, dtype, VARIANTS.get(self.variant))
        if self.dtype != "default" and not found.values:
            return replace(found, kwargs={**found.kwargs, "dtype": DType(self.dtype)})
        return found


def is_public(op: Op) -> bool:
    return op.forms != ["engine"]


def plain_cases(op: Op) -> Iterator[Case]:
    """Every sample as it stands, for each of its dtypes."""
    takes_options = any(p.type == "Options" for p in op.params)
    for number, sample in enumerate(op.samples):
        found = evaluate(op.id, sample, "float32")
        if found.values:
            dtypes = DTYPES if number == 0 or "special(" in sample else EVERYDAY
        elif takes_options and "dtype" not in found.kwargs:
            dtypes = ("default", *DTYPES)
        else:
            dtypes = ("default",)
        for dtype in dtypes:
            yield Case(op, sample, "plain", dtype)


def variants(op: Op) -> Iterator[Case]:
    """The first sample with other shapes and with mixed dtypes, for operators whose values all have one shape there."""
    sample = op.samples[0]
    found = evaluate(op.id, sample, "float32")
    values = found.values
    if not values or len({v.shape for v in values}) > 1 or len(found.arrays()) > len(values):
        return
    for variant in VARIANTS:
        for dtype in VARIANT_DTYPES:
            yield Case(op, sample, variant, dtype)
    if len(values) == 2:
        for dtype in DTYPES:
            yield Case(op, sample, "mixed", dtype)
