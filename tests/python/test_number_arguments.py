"""Numbers given as arguments: which ones a dtype can hold, what integers do at the ends of their range."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import onetape as torch

BYTES = torch.tensor([0, 1, 3, 200, 255], dtype=torch.uint8)
MASK = torch.tensor([True, False])


def two(dtype: torch.dtype) -> torch.Tensor:
    return torch.ones(2, dtype=dtype)


def test_the_largest_unsigned_number_is_a_divisor_like_any_other() -> None:
    by = torch.tensor(255, dtype=torch.uint8)
    assert (BYTES // by).tolist() == [0, 0, 0, 0, 1]
    assert (BYTES % by).tolist() == [0, 1, 3, 200, 0]
    assert BYTES.fmod(by).tolist() == [0, 1, 3, 200, 0]
    assert torch.div(BYTES, by, rounding_mode="trunc").tolist() == [0, 0, 0, 0, 1]
    assert (BYTES // -1).tolist() == [0, 0, 0, 0, 1]
    assert (BYTES % -1).tolist() == [0, 1, 3, 200, 0]
    assert (BYTES.clone().floor_divide_(by)).tolist() == [0, 0, 0, 0, 1]


@pytest.mark.parametrize("dtype", [torch.int8, torch.int16, torch.int32, torch.int64])
def test_the_least_signed_number_divided_by_minus_one(dtype: torch.dtype) -> None:
    low = torch.iinfo(dtype).min
    x = torch.tensor([low, 5], dtype=dtype)
    assert (x // -1).tolist() == [low, -5]
    assert (x % -1).tolist() == [0, 0]
    assert x.fmod(-1).tolist() == [0, 0]


def refuse(name: str) -> str:
    return f"value cannot be converted to type {name} without overflow"


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: two(torch.uint8) ** 300, refuse("uint8_t")),
        (lambda: two(torch.int8).pow_(128), refuse("int8_t")),
        (lambda: two(torch.int32) ** 2**31, refuse("int")),
        (lambda: two(torch.float16) ** 70000, refuse("c10::Half")),
        (lambda: two(torch.uint8).add(1, alpha=300), refuse("uint8_t")),
        (lambda: two(torch.int16).sub(two(torch.int16), alpha=2**40), refuse("int16_t")),
        (lambda: torch.rsub(two(torch.int8), 1, alpha=-300), refuse("int8_t")),
        (lambda: two(torch.float32).add(1, alpha=1e300), refuse("float")),
        (lambda: torch.where(MASK, two(torch.uint8), 300), refuse("uint8_t")),
        (lambda: torch.where(MASK, -200, two(torch.int8)), refuse("int8_t")),
        (lambda: torch.where(MASK, two(torch.int32), 1e300), refuse("float")),
        (lambda: torch.addcmul(two(torch.uint8), two(torch.uint8), two(torch.uint8), value=300), refuse("uint8_t")),
        (lambda: torch.addcmul(two(torch.float16), two(torch.float16), two(torch.float16), value=1j), refuse("float")),
        (lambda: torch.lerp(two(torch.float32), two(torch.float32), 1e300), refuse("float")),
        (lambda: torch.nn.functional.threshold(two(torch.uint8), 1, 300), refuse("uint8_t")),
        (lambda: two(torch.float32).clamp(min=1e300), refuse("float")),
        (lambda: two(torch.float16).clamp(-70000, 0), refuse("c10::Half")),
        (lambda: two(torch.uint8).clamp(min=300), "Clamp min value 300 is outside the representable range of Byte"),
        (lambda: two(torch.int8).clamp_(max=-129), "Clamp max value -129 is outside the representable range of Char"),
        (
            lambda: two(torch.int32).clamp_min(2**40),
            "Clamp min value 1.09951e+12 is outside the representable range of Int",
        ),
    ],
)
def test_numbers_that_a_dtype_does_not_hold(call: Callable[[], object], text: str) -> None:
    with pytest.raises(RuntimeError) as raised:
        call()
    assert str(raised.value) == text


def test_bounds_beyond_the_range_of_a_dtype_bound_nothing() -> None:
    assert BYTES.clamp(-5, 300).tolist() == BYTES.tolist()
    assert BYTES.clamp(min=-1).tolist() == BYTES.tolist()
    assert torch.tensor([-128, 127], dtype=torch.int8).clamp(-1000, 1000).tolist() == [-128, 127]
    assert two(torch.float32).clamp(max=float("inf")).tolist() == [1, 1]


def test_complex_bounds_are_refused() -> None:
    for x in (two(torch.int64), two(torch.float32)):
        with pytest.raises(NotImplementedError, match="^clamp is not supported for complex types$"):
            x.clamp(min=1j)
        with pytest.raises(NotImplementedError, match="^clamp is not supported for complex types$"):
            x.clamp(0, 1j)


def test_bools_to_the_power_of_a_bool() -> None:
    assert (MASK**True).tolist() == [True, False]
    assert (MASK**False).tolist() == [True, True]
    assert MASK.clone().pow_(False).tolist() == [True, True]
    with pytest.raises(NotImplementedError, match="\"pow\" not implemented for 'Bool'"):
        MASK**MASK


@pytest.mark.parametrize("exponent", [0, 0.0, 0j])
def test_every_complex_number_to_the_power_of_zero_is_one(exponent: complex) -> None:
    z = torch.tensor([0j, 1 + 1j, complex("inf"), complex("nan")], requires_grad=True)
    powers = z**exponent
    assert powers.tolist() == [1, 1, 1, 1]
    assert powers.grad_fn.name() == "PowBackward0"
    powers.sum().abs().backward()
    assert z.grad.tolist()[:2] == [0, 0]
    assert (z.detach() ** 1).tolist()[:2] == [0, 1 + 1j]


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64, torch.complex64])
def test_only_bits_are_inverted(dtype: torch.dtype) -> None:
    with pytest.raises(
        TypeError, match=r"^~ \(operator.invert\) is only implemented on integer and Boolean-type tensors$"
    ):
        ~two(dtype)
    with pytest.raises(NotImplementedError, match='^"bitwise_not_cpu" not implemented for'):
        two(dtype).bitwise_not()


def test_complex_numbers_as_real_ones() -> None:
    assert int(torch.tensor(3 + 0j)) == 3
    assert float(torch.tensor([2.5 + 0j])) == 2.5
    with pytest.raises(RuntimeError, match=refuse("int64_t")):
        int(torch.tensor(1 + 2j))
    with pytest.raises(RuntimeError, match=refuse("double")):
        float(torch.tensor(1 + 2j))


@pytest.mark.parametrize("change", ["bitwise_and_", "bitwise_or_", "remainder_", "lt_"])
def test_what_does_not_fit_in_place_is_told_before_what_is_not_implemented(change: str) -> None:
    small = torch.tensor(1, dtype=torch.complex64 if change == "lt_" else torch.float32)
    other = torch.ones(2, dtype=torch.complex64)
    with pytest.raises(RuntimeError, match=r"^output with shape \[\] doesn't match the broadcast shape \[2\]$"):
        getattr(small, change)(other)
    assert small.item() == 1
    if change != "lt_":
        with pytest.raises(
            RuntimeError, match="^result type ComplexFloat can't be cast to the desired output type Int$"
        ):
            getattr(torch.ones(2, dtype=torch.int32), change)(other)


def test_one_number_may_fill_an_expanded_tensor() -> None:
    base = torch.arange(3.0)
    base.expand(2, 3).fill_(4)
    assert base.tolist() == [4, 4, 4]
    base.expand(2, 3).zero_()
    assert base.tolist() == [0, 0, 0]
    for change in (lambda t: t.fill_(torch.tensor(1.0)), lambda t: t.mul_(2), lambda t: t.copy_(base)):
        with pytest.raises(
            RuntimeError, match="^unsupported operation: more than one element of the written-to tensor"
        ):
            change(base.expand(2, 3))
    assert base.tolist() == [0, 0, 0]


# ---- integers beyond int64: PyTorch's answers ----

LARGE = 2**63
LARGEST = 2**64 - 1
NO_INT64 = "value cannot be converted to type int64_t without overflow"


@pytest.mark.parametrize("large", [LARGE, LARGEST])
def test_integers_beyond_int64_among_floats(large: int) -> None:
    x = torch.ones(2)
    near = float(large)
    for result in (
        x + large,
        large + x,
        torch.add(x, large),
        torch.full((2,), large, dtype=torch.float32),
        torch.ones(2).fill_(large),
        x.masked_fill(x > 0, large),
        torch.where(x > 0, large, x),
        torch.add(torch.zeros(2), x, alpha=large),
    ):
        assert result.tolist() == [near, near]
        assert result.dtype == torch.float32
    assert torch.scalar_tensor(large).item() == near
    assert (x < large).tolist() == [True, True]
    assert x.clamp(max=large).tolist() == [1, 1]
    assert (x**large).tolist() == [1, 1]
    assert torch.lerp(x, x, large).tolist() == [1, 1]
    steps = torch.arange(0, large, 2**62, dtype=torch.float32)
    assert steps.tolist() == [0, 2.0**62] if large == LARGE else [0, 2.0**62, 2.0**63, 3 * 2.0**62]


def test_integers_beyond_int64_among_integers() -> None:
    i = torch.ones(2, dtype=torch.int64)
    assert (i + LARGE).tolist() == [-(2**63) + 1] * 2
    assert (i + LARGEST).tolist() == [0, 0]
    assert (BYTES * LARGEST).tolist() == [0, 255, 253, 56, 1]
    assert (i // LARGE).tolist() == [-1, -1]
    assert (i & LARGEST).tolist() == [1, 1]
    assert (i << LARGE).tolist() == [0, 0]
    assert (i == LARGE).tolist() == [False, False]
    assert (i < LARGE).tolist() == [False, False]
    assert i.clamp(max=LARGE).tolist() == [1, 1]
    with pytest.raises(RuntimeError, match="Clamp min value 9.22337e"):
        i.clamp(min=LARGE)
    for call in (
        lambda: torch.full((2,), LARGE),
        lambda: torch.full((2,), LARGE, dtype=torch.int64),
        lambda: i.fill_(LARGE),
        lambda: i.masked_fill(i > 0, LARGE),
        lambda: torch.where(i > 0, LARGE, i),
        lambda: torch.add(i, i, alpha=LARGE),
        lambda: i**LARGE,
        lambda: torch.arange(LARGE, LARGE + 2),
    ):
        with pytest.raises(RuntimeError, match=NO_INT64):
            call()
    for call in (lambda: torch.tensor(LARGE), lambda: i.sum(LARGE), lambda: i.__setitem__(0, LARGE)):
        with pytest.raises((ValueError, TypeError), match="Overflow when unpacking long long"):
            call()
    with pytest.raises(OverflowError, match="int too big to convert"):
        i + 2**64
    with pytest.raises(OverflowError, match="can't convert negative int to unsigned"):
        i + (-(2**63) - 1)
