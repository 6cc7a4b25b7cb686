"""Optimizers give PyTorch's numbers and texts."""

from __future__ import annotations

import copy
import pickle

import pytest

import onetape as torch
from tests.golden.training import answers, averages, lbfgs, optimizers
from tests.golden.training.scenarios import Scenario, encoded


def check(group: str, scenario: Scenario, name: str, ulps: float = 0, scale: float = 0) -> None:
    answers.compare(encoded(torch, scenario(torch)), answers.read()[group][name], ulps, scale)


@pytest.mark.parametrize("name", optimizers.EXACT)
def test_exact(name: str) -> None:
    check("optimizers", optimizers.EXACT[name], name)


@pytest.mark.parametrize("name", optimizers.CLOSE)
def test_close(name: str) -> None:
    check("optimizers", optimizers.CLOSE[name], name, ulps=2, scale=0.5)


@pytest.mark.parametrize("name", optimizers.ROOTS)
def test_with_the_roots_of_pytorch(name: str) -> None:
    check("optimizers with PyTorch's roots", optimizers.ROOTS[name], name, ulps=8, scale=0.5)


@pytest.mark.parametrize("name", optimizers.HALF)
def test_half(name: str) -> None:
    of_matrices = name.split()[0] in optimizers.OTHER_SHAPES  # whose steps are made of more operators
    check("optimizers", optimizers.HALF[name], name, ulps=2 if of_matrices else 1, scale=0.5)


@pytest.mark.parametrize("name", lbfgs.EXACT)
def test_lbfgs_refuses(name: str) -> None:
    check("lbfgs", lbfgs.EXACT[name], name)


@pytest.mark.parametrize("name", lbfgs.CLOSE)
def test_lbfgs(name: str) -> None:
    """Sums of products are taken in another order than PyTorch's, which a step passes on."""
    check("lbfgs", lbfgs.CLOSE[name], name, ulps=8, scale=0.5)


@pytest.mark.parametrize("name", averages.EXACT)
def test_averages_refuse(name: str) -> None:
    check("averages", averages.EXACT[name], name)


@pytest.mark.parametrize("name", averages.CLOSE)
def test_averages(name: str) -> None:
    check("averages", averages.CLOSE[name], name, ulps=1, scale=0.5)


KINDS = list(optimizers.OPTIONS)
OF_ELEMENTS = [kind for kind in KINDS if kind not in optimizers.OTHER_SHAPES]
"""Optimizers that change each element by itself."""


def leaf(*values: float) -> torch.Tensor:
    return torch.tensor(values, requires_grad=True)


def step(optimizer: torch.optim.Optimizer, scale: float = 1.0) -> None:
    for group in optimizer.param_groups:
        for param in group["params"]:
            param.grad = scale * param.detach()
    optimizer.step()


@pytest.mark.parametrize("kind", KINDS)
def test_copies_and_pickles_go_on_alike(kind: str) -> None:
    start = [torch.tensor([[1.0, -2.0]], requires_grad=True), torch.tensor([[3.0]], requires_grad=True)]
    optimizer = getattr(torch.optim, kind)(start, lr=0.1)
    step(optimizer)
    others = [copy.deepcopy(optimizer), pickle.loads(pickle.dumps(optimizer))]
    for one in (optimizer, *others):
        step(one, 0.5)
    expected = [p.tolist() for p in optimizer.param_groups[0]["params"]]
    for one in others:
        assert [p.tolist() for p in one.param_groups[0]["params"]] == expected
        assert repr(one) == repr(optimizer)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("layout", ["transposed", "strided", "expanded gradient"])
def test_any_layout_of_memory(kind: str, layout: str) -> None:
    """Elements are changed where they are, whatever the strides; others are left alone."""
    values = torch.arange(1.0, 13.0).reshape(3, 4)
    whole = torch.stack([values, values], 2) if layout == "strided" else values.clone()
    view = {"transposed": lambda: whole.t(), "strided": lambda: whole[..., 0]}.get(layout, lambda: whole)()
    param = view.detach().requires_grad_()
    plain = view.detach().clone().contiguous().requires_grad_()
    one, other = (getattr(torch.optim, kind)([p], lr=0.1) for p in (param, plain))
    for k in range(3):
        grad = torch.full((1,), 0.5 * k - 0.7).expand(plain.shape)
        param.grad = grad if layout == "expanded gradient" else grad.contiguous()
        plain.grad = grad.contiguous()
        one.step()
        other.step()
    assert param.tolist() == plain.tolist()
    if layout == "strided":
        assert whole[..., 1].tolist() == values.tolist()


@pytest.mark.parametrize("kind", OF_ELEMENTS)
def test_large_groups_are_shared_among_threads(kind: str) -> None:
    big = torch.linspace(-1, 1, 100_003)
    one, parts = big.clone().requires_grad_(), [p.clone().requires_grad_() for p in big.split(1000)]
    first = getattr(torch.optim, kind)([one], lr=0.1)
    second = getattr(torch.optim, kind)(parts, lr=0.1)
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        for _ in range(3):
            step(first)
            step(second)
    finally:
        torch.set_num_threads(before)
    assert torch.equal(one.detach(), torch.cat([p.detach() for p in parts]))


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_changes_where_an_operand_does_not_fit(kind: str) -> None:
    good, bad = torch.tensor([[1.0, 2.0]], requires_grad=True), torch.tensor([[3.0]], requires_grad=True)
    optimizer = getattr(torch.optim, kind)([good, bad], lr=0.1)
    step(optimizer)
    before = [good.tolist(), bad.tolist(), repr(optimizer.state)]
    good.grad = torch.ones(1, 2)
    for name, value in optimizer.state.get(bad, {}).items():
        if value.dim():
            optimizer.state[bad][name] = torch.zeros(7)
            with pytest.raises(RuntimeError, match="goes with a tensor of shape"):
                optimizer.step()
            optimizer.state[bad][name] = 3
            with pytest.raises(TypeError, match="must be a Tensor"):
                optimizer.step()
            optimizer.state[bad][name] = value
    assert [good.tolist(), bad.tolist(), repr(optimizer.state)] == before


@pytest.mark.parametrize("kind", optimizers.OTHER_SHAPES)
def test_empty_matrices_stay(kind: str) -> None:
    """PyTorch divides by their size and stops."""
    empty, other = torch.ones(2, 0, requires_grad=True), torch.ones(2, 2, requires_grad=True)
    optimizer = getattr(torch.optim, kind)([empty, other], lr=0.1)
    step(optimizer)
    step(optimizer)
    assert empty.shape == (2, 0)
    assert other.ne(1).any()


def test_states_and_groups_of_the_wrong_kind() -> None:
    param = leaf(1.0)
    optimizer = torch.optim.Adam([param])
    param.grad = torch.ones(1)
    group = optimizer.param_groups[0]
    for key, value, error in (
        ("lr", "fast", TypeError),
        ("betas", (0.9,), IndexError),
        ("betas", 3, TypeError),
        ("params", (param,), TypeError),
        ("params", [3], TypeError),
    ):
        before = group[key]
        group[key] = value
        with pytest.raises(error):
            optimizer.step()
        group[key] = before
    optimizer.state[param] = 3  # type: ignore[assignment]
    with pytest.raises(TypeError, match="the state of a parameter must be a dict"):
        optimizer.step()
    assert param.tolist() == [1.0]


def test_step_is_counted_in_the_default_dtype() -> None:
    torch.set_default_dtype(torch.float64)
    try:
        optimizer = torch.optim.NAdam([leaf(1.0)])
        step(optimizer)
    finally:
        torch.set_default_dtype(torch.float32)
    state = next(iter(optimizer.state.values()))
    assert state["step"].dtype == state["mu_product"].dtype == torch.float64


def test_a_step_counts_as_a_change_in_place() -> None:
    param = leaf(1.0, 2.0)
    product = param * param
    optimizer = torch.optim.Adam([param])
    step(optimizer)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.sum().backward()


def test_hooks_of_every_optimizer() -> None:
    from onetape.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

    seen: list[str] = []
    handles = [
        register_optimizer_step_pre_hook(lambda optimizer, args, kwargs: seen.append("before")),
        register_optimizer_step_post_hook(lambda optimizer, args, kwargs: seen.append("after")),
    ]
    one, two = torch.optim.SGD([leaf(1.0)]), torch.optim.Rprop([leaf(1.0)])
    one.register_step_pre_hook(lambda optimizer, args, kwargs: seen.append("own"))
    step(one)
    step(two)
    for handle in handles:
        handle.remove()
    step(two)
    assert seen == ["before", "own", "after", "before", "after"]
    one.register_step_pre_hook(lambda optimizer, args, kwargs: 3)
    with pytest.raises(RuntimeError, match="must return None or a tuple"):
        step(one)


@pytest.mark.parametrize("name", ["SparseAdam", "Newton"])
def test_what_is_left_out(name: str) -> None:
    with pytest.raises(AttributeError, match=f"module 'onetape.optim' has no attribute '{name}'"):
        getattr(torch.optim, name)


def test_differentiable_steps_are_refused() -> None:
    for kind in OF_ELEMENTS:  # the others have no such option
        with pytest.raises(NotImplementedError, match="differentiable=True is not supported"):
            getattr(torch.optim, kind)([leaf(1.0)], differentiable=True)


def test_clear_grads_cuts_the_graph_behind_them() -> None:
    param = leaf(1.0, 2.0)
    (param**3).sum().backward(create_graph=True)
    optimizer = torch.optim.SGD([param], lr=0.1)
    assert param.grad is not None and param.grad.requires_grad
    optimizer.zero_grad(set_to_none=False)
    assert param.grad is not None and not param.grad.requires_grad
    assert param.grad.tolist() == [0.0, 0.0]
    optimizer.zero_grad()
    assert param.grad is None


def test_clipping_warns_where_there_is_nothing_to_clip() -> None:
    utils = torch.nn.utils
    with pytest.warns(UserWarning, match="is an empty generator, no gradient clipping will occur"):
        assert utils.clip_grad_norm_((p for p in ()), 1.0) == 0
    param = leaf(3.0, 4.0)
    param.grad = param.detach().clone()
    with pytest.warns(FutureWarning, match="clip_grad_norm` is now deprecated"):
        assert utils.clip_grad_norm(param, 1.0) == 5
    total = utils.get_total_norm(param.grad, float("inf"))
    utils.clip_grads_with_norm_([param, leaf(1.0)], 0.25, total)
    assert float(utils.get_total_norm([param.grad], float("inf"))) == pytest.approx(0.25, rel=1e-4)
