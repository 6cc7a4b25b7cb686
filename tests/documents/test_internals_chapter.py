"""The chapter on PyTorch's internals: its listings as Python programs, with what they print."""

from __future__ import annotations

import re
from typing import Any

import pytest

import onetape as torch
from onetape.autograd import gradcheck


def printed(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out


# ---- tensors and their memory ----


def test_storage_is_shared_by_views(capsys: pytest.CaptureFixture[str]) -> None:
    x = torch.arange(12, dtype=torch.float32)
    print(f"x: {x}")
    print(f"elements of the storage: {x.storage().tolist()}")
    print(f"dtype of the storage: {x.storage().dtype}")
    print(f"size of the storage: {len(x.storage())}")

    y = x.view(3, 4)
    print(f"\ny:\n{y}")
    print(f"one storage? {y.storage().data_ptr() == x.storage().data_ptr()}")

    y[0, 0] = 99.0
    print(f"\nchanged y:\n{y}")
    print(f"x after the change of y: {x}")

    assert printed(capsys) == (
        "x: tensor([ 0.,  1.,  2.,  3.,  4.,  5.,  6.,  7.,  8.,  9., 10., 11.])\n"
        "elements of the storage: [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0]\n"
        "dtype of the storage: torch.float32\n"
        "size of the storage: 12\n"
        "\n"
        "y:\n"
        "tensor([[ 0.,  1.,  2.,  3.],\n"
        "        [ 4.,  5.,  6.,  7.],\n"
        "        [ 8.,  9., 10., 11.]])\n"
        "one storage? True\n"
        "\n"
        "changed y:\n"
        "tensor([[99.,  1.,  2.,  3.],\n"
        "        [ 4.,  5.,  6.,  7.],\n"
        "        [ 8.,  9., 10., 11.]])\n"
        "x after the change of y: tensor([99.,  1.,  2.,  3.,  4.,  5.,  6.,  7.,  8.,  9., 10., 11.])\n"
    )


def test_shape_and_strides(capsys: pytest.CaptureFixture[str]) -> None:
    t = torch.arange(12, dtype=torch.float32).view(3, 4)
    print(f"t:\n{t}")
    print(f"shape: {t.shape}")
    print(f"strides: {t.stride()}")
    print(f"contiguous? {t.is_contiguous()}")

    assert printed(capsys) == (
        "t:\n"
        "tensor([[ 0.,  1.,  2.,  3.],\n"
        "        [ 4.,  5.,  6.,  7.],\n"
        "        [ 8.,  9., 10., 11.]])\n"
        "shape: torch.Size([3, 4])\n"
        "strides: (4, 1)\n"
        "contiguous? True\n"
    )


def test_a_transposed_view_is_not_contiguous(capsys: pytest.CaptureFixture[str]) -> None:
    t = torch.arange(12, dtype=torch.float32).view(3, 4)
    t_transposed = t.t()
    print(f"\nt_transposed:\n{t_transposed}")
    print(f"shape: {t_transposed.shape}")
    print(f"strides: {t_transposed.stride()}")
    print(f"contiguous? {t_transposed.is_contiguous()}")
    print(f"one storage? {t_transposed.storage().data_ptr() == t.storage().data_ptr()}")

    assert printed(capsys) == (
        "\n"
        "t_transposed:\n"
        "tensor([[ 0.,  4.,  8.],\n"
        "        [ 1.,  5.,  9.],\n"
        "        [ 2.,  6., 10.],\n"
        "        [ 3.,  7., 11.]])\n"
        "shape: torch.Size([4, 3])\n"
        "strides: (1, 4)\n"
        "contiguous? False\n"
        "one storage? True\n"
    )


def test_contiguous_makes_a_copy_that_view_accepts(capsys: pytest.CaptureFixture[str]) -> None:
    t_transposed = torch.arange(12, dtype=torch.float32).view(3, 4).t()
    with pytest.raises(RuntimeError) as caught:
        t_transposed.view(-1)
    assert str(caught.value).startswith(
        "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
        "contiguous subspaces). Use .reshape(...) instead."
    )

    copy = t_transposed.contiguous()
    print(f"\ncontiguous? {copy.is_contiguous()}")
    print(f"strides: {copy.stride()}")
    print(f"one storage? {copy.storage().data_ptr() == t_transposed.storage().data_ptr()}")
    print(f"flat: {copy.view(-1)}")

    assert printed(capsys) == (
        "\n"
        "contiguous? True\n"
        "strides: (3, 1)\n"
        "one storage? False\n"
        "flat: tensor([ 0.,  4.,  8.,  1.,  5.,  9.,  2.,  6., 10.,  3.,  7., 11.])\n"
    )


# ---- the graph ----


def test_grad_fn_leads_back_through_the_graph(capsys: pytest.CaptureFixture[str]) -> None:
    a = torch.tensor([2.0, 3.0], requires_grad=True)
    b = a * 3
    c = b.mean()

    print(f"Tensor a: requires_grad={a.requires_grad}, grad_fn={a.grad_fn}")
    print(f"Tensor b: requires_grad={b.requires_grad}, grad_fn={b.grad_fn}")
    print(f"Tensor c: requires_grad={c.requires_grad}, grad_fn={c.grad_fn}")

    assert re.fullmatch(
        r"Tensor a: requires_grad=True, grad_fn=None\n"
        r"Tensor b: requires_grad=True, grad_fn=<MulBackward0 object at 0x[0-9a-f]+>\n"
        r"Tensor c: requires_grad=True, grad_fn=<MeanBackward0 object at 0x[0-9a-f]+>\n",
        printed(capsys),
    )
    nodes = [c.grad_fn]
    while nodes[-1].next_functions:
        nodes.append(nodes[-1].next_functions[0][0])
    assert [node.name() for node in nodes] == ["MeanBackward0", "MulBackward0", "AccumulateGrad"]
    assert nodes[-1].variable is a


def test_backward_fills_the_gradient_of_the_weight(capsys: pytest.CaptureFixture[str]) -> None:
    w = torch.randn(5, 3, requires_grad=True)
    x = torch.randn(1, 5)

    y = x @ w
    z = y.mean()
    z.backward()
    print(w.grad.shape)

    print(f"y comes from: {y.grad_fn}")
    print(f"z comes from: {z.grad_fn}")
    print(f"w.grad_fn: {w.grad_fn}")
    print(f"x.grad_fn: {x.grad_fn}")

    assert re.fullmatch(
        r"torch\.Size\(\[5, 3\]\)\n"
        r"y comes from: <MmBackward0 object at 0x[0-9a-f]+>\n"
        r"z comes from: <MeanBackward0 object at 0x[0-9a-f]+>\n"
        r"w\.grad_fn: None\n"
        r"x\.grad_fn: None\n",
        printed(capsys),
    )
    assert x.grad is None
    assert torch.allclose(w.grad, x.t().expand(5, 3) / 3)


def test_gradients_accumulate_until_they_are_cleared() -> None:
    torch.manual_seed(0)
    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    criterion = torch.nn.MSELoss()
    weights = torch.randn(4, 1)
    batches = [(inputs, inputs @ weights) for inputs in torch.randn(30, 8, 4)]

    losses = []
    for inputs, targets in batches:
        optimizer.zero_grad()
        outputs = model(inputs)
        loss = criterion(outputs, targets)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0] / 50

    inputs, targets = batches[0]
    optimizer.zero_grad()
    criterion(model(inputs), targets).backward()
    once = model.weight.grad.clone()
    criterion(model(inputs), targets).backward()
    assert torch.equal(model.weight.grad, 2 * once)


def test_no_grad_enable_grad_and_detach() -> None:
    model = torch.nn.Linear(2, 1)
    validation_data = torch.randn(3, 2)
    with torch.no_grad():
        predictions = model(validation_data)
        assert not predictions.requires_grad
        with torch.enable_grad():
            assert model(validation_data).requires_grad
    recorded = model(validation_data)
    cut = recorded.detach()
    assert recorded.requires_grad and not cut.requires_grad
    assert cut.data_ptr() == recorded.data_ptr()


# ---- functions of one's own ----


class Affine(torch.autograd.Function):
    """input · weightᵀ + bias, where there is a bias."""

    @staticmethod
    def forward(ctx: Any, input_tensor: torch.Tensor, weight: torch.Tensor, bias: Any = None) -> torch.Tensor:
        output = input_tensor.mm(weight.t())
        if bias is not None:
            output += bias.unsqueeze(0).expand_as(output)
        saved = [input_tensor, weight]
        if bias is not None:
            saved.append(bias)
        ctx.save_for_backward(*saved)
        return output

    @staticmethod
    def backward(ctx: Any, grad_output: torch.Tensor) -> Any:
        saved = ctx.saved_tensors
        input_tensor, weight = saved[0], saved[1]
        bias = saved[2] if len(saved) > 2 else None
        grad_input = grad_output.mm(weight)
        grad_weight = grad_output.t().mm(input_tensor)
        grad_bias = grad_output.sum(0) if bias is not None else None
        return grad_input, grad_weight, grad_bias


class AffineSavingNone(torch.autograd.Function):
    """The chapter's first version: it also saves a bias that is None."""

    @staticmethod
    def forward(ctx: Any, input_tensor: torch.Tensor, weight: torch.Tensor, bias: Any = None) -> torch.Tensor:
        output = input_tensor.mm(weight.t())
        if bias is not None:
            output += bias.unsqueeze(0).expand_as(output)
        ctx.save_for_backward(input_tensor, weight, bias)
        return output

    @staticmethod
    def backward(ctx: Any, grad_output: torch.Tensor) -> Any:
        input_tensor, weight, bias = ctx.saved_tensors
        return grad_output.mm(weight), grad_output.t().mm(input_tensor), None if bias is None else grad_output.sum(0)


def test_a_function_of_ones_own(capsys: pytest.CaptureFixture[str]) -> None:
    x = torch.randn(3, 10, requires_grad=True)
    w = torch.randn(5, 10, requires_grad=True)
    b = torch.randn(5, requires_grad=True)

    y = Affine.apply(x, w, b)
    loss = y.mean()
    loss.backward()

    print("gradient of x:", x.grad is not None)
    print("gradient of w:", w.grad is not None)
    print("gradient of b:", b.grad is not None)
    assert printed(capsys) == "gradient of x: True\ngradient of w: True\ngradient of b: True\n"

    assert y.grad_fn.name() == "AffineBackward"
    other = [t.detach().clone().requires_grad_() for t in (x, w, b)]
    (other[0] @ other[1].t() + other[2]).mean().backward()
    for mine, builtin in zip((x, w, b), other, strict=True):
        assert torch.allclose(mine.grad, builtin.grad)


@pytest.mark.parametrize("function", [Affine, AffineSavingNone])
def test_gradcheck_with_and_without_bias(function: Any, capsys: pytest.CaptureFixture[str]) -> None:
    x_check = torch.randn(3, 10, dtype=torch.double, requires_grad=True)
    w_check = torch.randn(5, 10, dtype=torch.double, requires_grad=True)
    b_check = torch.randn(5, dtype=torch.double, requires_grad=True)

    inputs = (x_check, w_check, b_check)
    is_correct = gradcheck(function.apply, inputs, eps=1e-6, atol=1e-4)
    print("gradients are right:", is_correct)

    def without_bias(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return function.apply(x, w, None)

    is_correct_no_bias = gradcheck(without_bias, (x_check, w_check), eps=1e-6, atol=1e-4)
    print("gradients without bias are right:", is_correct_no_bias)

    assert printed(capsys) == "gradients are right: True\ngradients without bias are right: True\n"
