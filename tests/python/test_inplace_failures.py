"""An in-place operator that fails at one element leaves all elements, and the version, as they were."""

import pytest

import onetape as torch

N = 100_003  # more than one thread's share
INDEX = torch.zeros(N, dtype=torch.int64)
INDEX[-1] = N + 5


def divisor(dtype=torch.int64):
    zero_at_the_end = torch.full((N,), 7, dtype=dtype)
    zero_at_the_end[-1] = 0
    return zero_at_the_end


def probabilities():
    p = torch.full((N,), 0.5)
    p[-1] = 7
    return p


NINES = torch.full((N,), 9)

CASES = {
    "floor_divide_": lambda x: x.floor_divide_(divisor()),
    "div_ trunc": lambda x: x.div_(divisor(), rounding_mode="trunc"),
    "div_ floor": lambda x: x.div_(divisor(), rounding_mode="floor"),
    "remainder_": lambda x: x.remainder_(divisor()),
    "fmod_": lambda x: x.fmod_(divisor()),
    "narrow divisor": lambda x: x.remainder_(divisor(torch.int8)),
    "by itself": lambda x: x.flip(0).copy_(x).remainder_(x),
    "by zero": lambda x: x.remainder_(0),
    "floor_divide out": lambda x: torch.floor_divide(NINES, divisor(), out=x),
    "remainder out": lambda x: torch.remainder(NINES, divisor(), out=x),
    "fmod out": lambda x: torch.fmod(NINES, divisor(), out=x),
    "div out": lambda x: torch.div(NINES, divisor(), rounding_mode="floor", out=x),
    "pow_": lambda x: x.pow_(-1),
    "index_put_": lambda x: x.index_put_((INDEX,), torch.tensor(9)),
    "index_put_ accumulate": lambda x: x.index_put_((INDEX,), NINES, accumulate=True),
    "setitem": lambda x: x.__setitem__(INDEX, 9),
    "put_": lambda x: x.put_(INDEX, NINES),
    "scatter_": lambda x: x.scatter_(0, INDEX, NINES),
    "scatter_ value": lambda x: x.scatter_(0, INDEX, 9),
    "scatter_add_": lambda x: x.scatter_add_(0, INDEX, NINES),
    "index_add_": lambda x: x.index_add_(0, INDEX, NINES),
    "index_copy_": lambda x: x.index_copy_(0, INDEX, NINES),
    "index_fill_": lambda x: x.index_fill_(0, INDEX, 9),
    "masked_scatter_": lambda x: x.masked_scatter_(torch.ones(N, dtype=torch.bool), NINES[:5]),
    "bernoulli_": lambda x: x.bernoulli_(probabilities()),
    "gather out": lambda x: torch.gather(NINES, 0, INDEX, out=x),
    "index_select out": lambda x: torch.index_select(NINES, 0, INDEX, out=x),
}


@pytest.mark.parametrize("case", CASES)
def test_the_operand_is_as_it_was(case):
    x = torch.arange(N)
    version = x._version
    with pytest.raises((RuntimeError, IndexError)):
        CASES[case](x)
    assert torch.equal(x, torch.arange(N))
    assert x._version == version


@pytest.mark.parametrize("name", ["floor_divide_", "remainder_", "fmod_"])
@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64])
def test_views_stay_as_they_were(name, dtype):
    base = torch.arange(24, dtype=torch.int64).to(dtype).reshape(4, 6)
    before = base.clone()
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        getattr(base.t()[1:], name)(torch.tensor([5, 3, 2, 0], dtype=dtype))
    assert torch.equal(base, before)


def test_in_place_division_of_integers_still_works():
    x = torch.arange(10)
    assert x.floor_divide_(torch.tensor(3)).tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3]
    y = torch.arange(10)
    assert y[2:].remainder_(y[:8] + 1).tolist() == [i % (i - 1) for i in range(2, 10)]
    assert y._version == 1
    least = torch.tensor([-(2**63)])
    assert least.floor_divide_(-1).tolist() == [-(2**63)]
    assert torch.tensor([7.0]).floor_divide_(0).tolist() == [float("inf")]
