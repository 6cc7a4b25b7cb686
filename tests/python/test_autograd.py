"""backward, grad, hooks, modes and nodes, seen from Python."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import pytest

import onetape as torch


def leaf(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float32, requires_grad=True)


def test_backward_forms() -> None:
    x = leaf(1, 2)
    (x * 3).backward(torch.ones(2))
    (x * 3).sum().backward()
    torch.autograd.backward((x * 3).sum())
    torch.autograd.backward([x * 3, x * 2], [torch.ones(2), torch.ones(2)])
    assert x.grad is not None and x.grad.tolist() == [14.0, 14.0]


def test_inputs() -> None:
    x, y = leaf(1), leaf(2)
    z = (x * y).sum()
    z.backward(inputs=[x], retain_graph=True)
    assert x.grad is not None and y.grad is None
    z.backward(inputs=y)
    assert y.grad is not None and x.grad.tolist() == [2.0]
    with pytest.raises(RuntimeError, match=r"`inputs` argument to `backward\(\)` cannot be empty."):
        z.backward(inputs=[])


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda x: x.backward(), "grad can be implicitly created only for scalar outputs"),
        (lambda x: torch.ones(1).backward(), "element 0 of tensors does not require grad and does not have a grad_fn"),
        (
            lambda x: (x * 2).backward(torch.ones(3)),
            "Mismatch in shape: grad_output[0] has a shape of torch.Size([3]) and output[0] has a shape of "
            "torch.Size([2]).",
        ),
        (lambda x: torch.autograd.backward([x.sum()], [None, None]), "got 1 tensors and 2 gradients"),
        (
            lambda x: torch.ones(1).register_hook(print),
            "cannot register a hook on a tensor that doesn't require gradient",
        ),
        (lambda x: torch.ones(1).retain_grad(), "can't retain_grad on Tensor that has requires_grad=False"),
    ],
)
def test_refused(call: Any, text: str) -> None:
    with pytest.raises(RuntimeError) as raised:
        call(leaf(1, 2))
    assert str(raised.value) == text


def test_grad() -> None:
    x, y = leaf(2), leaf(3)
    (gx,) = torch.autograd.grad((x * y).sum(), x)
    assert gx.tolist() == [3.0] and x.grad is None
    gx, gy = torch.autograd.grad(x * y, (x, y), grad_outputs=torch.tensor([2.0]))
    assert gx.tolist() == [6.0] and gy.tolist() == [4.0]
    assert torch.autograd.grad(x * 2, (x, y), torch.ones(1), allow_unused=True)[1] is None
    assert torch.autograd.grad(x * 2, (x, y), torch.ones(1), materialize_grads=True)[1].tolist() == [0.0]
    with pytest.raises(RuntimeError, match="The differentiated Tensor at index 1 appears to not have been used"):
        torch.autograd.grad(x * 2, (x, y), torch.ones(1))
    with pytest.raises(RuntimeError, match="One of the differentiated Tensors does not require grad"):
        torch.autograd.grad(x * 2, torch.ones(1), torch.ones(1))
    assert torch.autograd.grad(x * 2, x, torch.ones(3, 1), is_grads_batched=True)[0].tolist() == [[2.0]] * 3


def test_higher_orders() -> None:
    x = leaf(2)
    y = (x**4).sum()
    for expected in (32.0, 48.0, 48.0, 24.0):
        (grad,) = torch.autograd.grad(y, x, create_graph=True)
        assert grad.item() == expected
        y = grad.sum()


def test_requires_grad() -> None:
    x = torch.ones(2)
    assert x.requires_grad_() is x and x.requires_grad
    x.requires_grad = False
    assert not x.requires_grad
    with pytest.raises(RuntimeError, match="requires_grad must be a bool"):
        x.requires_grad = 1
    with pytest.raises(
        TypeError, match=r"requires_grad_\(\): argument 'requires_grad' \(position 1\) must be bool, not int"
    ):
        x.requires_grad_(1)
    with pytest.raises(RuntimeError, match="you can only change requires_grad flags of leaf variables"):
        (leaf(1) * 2).requires_grad = False


def test_grad_property() -> None:
    x = leaf(1, 2)
    x.grad = torch.ones(2)
    del x.grad
    assert x.grad is None
    with pytest.raises(TypeError, match="assigned grad expected to be a Tensor or None but got grad of type int"):
        x.grad = 1
    with pytest.raises(
        RuntimeError, match=r"attempting to assign a gradient of size '\[3\]' to a tensor of size '\[2\]'"
    ):
        x.grad = torch.ones(3)
    with pytest.raises(RuntimeError, match="attempting to assign a gradient with dtype"):
        x.grad = torch.ones(2, dtype=torch.float64)
    with pytest.warns(UserWarning, match="The .grad attribute of a Tensor that is not a leaf Tensor is being accessed"):
        assert (x * 2).grad is None


def test_retain_grad() -> None:
    x = leaf(1)
    y = x * 2
    y.retain_grad()
    assert y.retains_grad
    (y * 3).sum().backward()
    assert y.grad is not None and y.grad.tolist() == [3.0]


def test_detach_and_data() -> None:
    x = leaf(1, 2)
    d = x.detach()
    assert not d.requires_grad and d.data_ptr() == x.data_ptr() and d.is_leaf
    assert x.data.requires_grad is False
    x.data.add_(1)
    assert x._version == 0 and x.tolist() == [2.0, 3.0]
    x.data = torch.ones(3)
    assert x.shape == (3,) and x.requires_grad
    y = x * 2
    assert y.detach_() is y and y.is_leaf and not y.requires_grad
    with pytest.raises(RuntimeError, match="Can't detach views in-place"):
        (x * 2)[:1].detach_()


# ---- hooks ----


def test_tensor_hooks() -> None:
    x = leaf(1)
    calls: list[float] = []
    first = x.register_hook(lambda grad: calls.append(grad.item()))
    x.register_hook(lambda grad: grad * 10)
    (x * 3).sum().backward()
    assert calls == [3.0] and x.grad is not None and x.grad.item() == 30.0
    first.remove()
    first.remove()
    (x * 3).sum().backward()
    assert calls == [3.0]


def test_hook_of_a_result_survives_collection() -> None:
    x = leaf(2)
    y = x * 3
    calls: list[int] = []
    y.register_hook(lambda grad: calls.append(1))
    gc.collect()
    y.sum().backward()
    assert calls == [1]


def test_hook_errors() -> None:
    x = leaf(1)
    x.register_hook(lambda grad: 3)
    with pytest.raises(TypeError, match="expected Variable, but hook returned 'int'"):
        (x * 2).sum().backward()

    def fails(grad: torch.Tensor) -> None:
        raise KeyError("mine")

    y = leaf(1)
    y.register_hook(fails)
    with pytest.raises(KeyError, match="mine"):
        (y * 2).sum().backward()


def test_handle_as_context() -> None:
    x = leaf(1)
    with x.register_hook(lambda grad: grad * 100):
        (x * 1).sum().backward()
    (x * 1).sum().backward()
    assert x.grad is not None and x.grad.item() == 101.0


def test_post_accumulate_hook() -> None:
    x = leaf(1)
    got: list[float] = []
    handle = x.register_post_accumulate_grad_hook(lambda t: got.append(t.grad.item()))
    (x * 2).sum().backward()
    handle.remove()
    (x * 2).sum().backward()
    assert got == [2.0]
    with pytest.raises(RuntimeError, match="post accumulate grad hooks cannot be registered on non-leaf tensors"):
        (x * 2).register_post_accumulate_grad_hook(print)


def test_node_hooks() -> None:
    x = leaf(1)
    y = x * 3
    seen: list[tuple[Any, ...]] = []
    y.grad_fn.register_prehook(lambda grads: (grads[0] * 2,))
    handle = y.grad_fn.register_hook(lambda inputs, outputs: seen.append((inputs[0].item(), outputs[0].item())))
    y.sum().backward(retain_graph=True)
    handle.remove()
    y.sum().backward()
    assert seen == [(6.0, 2.0)] and x.grad is not None and x.grad.item() == 12.0


# ---- nodes ----


def test_nodes() -> None:
    x, w = leaf(1), leaf(2)
    y = x * w
    node = y.grad_fn
    assert node is y.grad_fn and node.name() == type(node).__name__ == "MulBackward0"
    assert repr(node).startswith("<MulBackward0 object at 0x")
    assert isinstance(node, torch.autograd.graph.Node)
    (first, i), (second, _) = node.next_functions
    assert first.name() == "AccumulateGrad" and first.variable is x and second.variable is w and i == 0
    node.metadata["note"] = 1
    assert y.grad_fn.metadata == {"note": 1}
    assert (x * 2).grad_fn.next_functions[1] == (None, 0)
    assert x.grad_fn is None and (y.output_nr, y.is_leaf) == (0, False)
    with pytest.raises(TypeError):
        torch.autograd.graph.Node()


# ---- modes ----


def test_modes() -> None:
    x = leaf(1)
    with torch.no_grad():
        assert not torch.is_grad_enabled() and not (x * 2).requires_grad
        with torch.enable_grad():
            assert (x * 2).requires_grad
        assert not torch.is_grad_enabled()
    with torch.set_grad_enabled(False):
        assert not torch.is_grad_enabled()
    assert torch.is_grad_enabled()
    torch.set_grad_enabled(False)
    assert not torch.is_grad_enabled()
    torch.set_grad_enabled(True)
    with torch.inference_mode():
        assert not torch.is_grad_enabled()
    with torch.no_grad(), torch.inference_mode(False):
        assert (x * 2).requires_grad  # inference_mode(False) is plain recording, as in PyTorch


def test_mode_ends_with_an_exception() -> None:
    with pytest.raises(KeyError), torch.no_grad():
        raise KeyError
    assert torch.is_grad_enabled()


def test_decorators() -> None:
    @torch.no_grad()
    def off(x: torch.Tensor) -> bool:
        """Kept."""
        return torch.is_grad_enabled()

    @torch.no_grad
    def also_off() -> bool:
        return torch.is_grad_enabled()

    @torch.enable_grad()
    def on() -> bool:
        return torch.is_grad_enabled()

    @torch.set_grad_enabled(False)
    def set_off() -> bool:
        return torch.is_grad_enabled()

    assert torch.is_grad_enabled()
    assert not off(leaf(1)) and not also_off() and not set_off() and off.__doc__ == "Kept."
    with torch.no_grad():
        assert on()


def test_decorated_generator() -> None:
    @torch.no_grad()
    def modes() -> Iterator[bool]:
        try:
            for _ in range(2):
                yield torch.is_grad_enabled()
        except ValueError:
            yield torch.is_grad_enabled()

    generator = modes()
    assert next(generator) is False and torch.is_grad_enabled()
    assert generator.throw(ValueError()) is False and torch.is_grad_enabled()
    assert list(modes()) == [False, False] and torch.is_grad_enabled()


def test_gradcheck_finds_a_wrong_gradient() -> None:
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            return grad * 3

    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    with pytest.raises(RuntimeError, match="Jacobian mismatch for output 0 with respect to input 0"):
        torch.autograd.gradcheck(Wrong.apply, (x,))
    assert not torch.autograd.gradcheck(Wrong.apply, (x,), raise_exception=False)
    with pytest.raises(ValueError, match="gradcheck expects at least one input tensor to require gradient"):
        torch.autograd.gradcheck(lambda t: t, (torch.ones(1),))


def test_a_view_that_shows_elements_several_times_after_its_base_was_changed() -> None:
    weights = torch.tensor([[1.0, 10.0], [100.0, 1000.0]])
    x = leaf(1, 2, 3)
    base = x * 1
    overlapping = base.as_strided((2, 2), (1, 1))
    expanded = base.expand(2, 3)
    base.mul_(1)
    assert overlapping.grad_fn.name() == expanded.grad_fn.name() == "AsStridedBackward0"
    (grad,) = torch.autograd.grad((overlapping * weights).sum(), x, retain_graph=True)
    assert grad.tolist() == [1, 110, 1000]
    (grad,) = torch.autograd.grad((expanded**2).sum(), x, create_graph=True)
    assert grad.tolist() == [4, 8, 12]
    (second,) = torch.autograd.grad((grad**2).sum(), x)
    assert second.tolist() == [32, 64, 96]


def test_a_strided_view_of_a_view_that_shows_elements_several_times() -> None:
    x = torch.arange(12.0, requires_grad=True)
    weights = torch.tensor([[1.0, 10.0], [100.0, 1000.0]])
    overlapping = (x * 1).as_strided((2, 2), (1, 1))
    again = overlapping.as_strided((2, 2), (1, 1))
    by_x, by_view = torch.autograd.grad((again * weights).sum(), [x, overlapping])
    assert by_x.tolist() == [1, 110, 1000, *[0] * 9]
    assert by_view.tolist() == [[1, 55], [55, 1000]]  # the two places of the second element share its gradient
    expanded = (x * 1)[:2].expand(3, 2)
    by_x, by_view = torch.autograd.grad((expanded.as_strided((2, 2), (1, 1))[:, 0] ** 2).sum(), [x, expanded])
    assert by_x.tolist() == [0, 2, *[0] * 10]
    assert torch.allclose(by_view, torch.tensor([0, 2 / 3]).expand(3, 2))


def test_second_derivatives_of_strided_views() -> None:
    def outside(x: torch.Tensor) -> torch.Tensor:
        return (x * x)[2:4].as_strided((3, 2), (1, 1), 1).exp().sum()

    def overlapping(x: torch.Tensor) -> torch.Tensor:
        y = x * x
        overlapping = y.unfold(0, 3, 1).as_strided((4,), (2,))
        return (overlapping**3).sum() + (y.expand(2, 8).as_strided((2, 2), (3, 2)) ** 3).sum()

    x = torch.linspace(-1, 1, 8, dtype=torch.float64, requires_grad=True)
    (gradient,) = torch.autograd.grad(outside(x), x)
    # What lies outside of the tensor that is viewed gets no gradient, as in PyTorch.
    expected = torch.tensor([0, 0, -2.0599, -0.5832, 0, 0, 0, 0], dtype=torch.float64)
    assert torch.allclose(gradient, expected, atol=1e-4)
    assert torch.autograd.gradcheck(overlapping, x)
    assert torch.autograd.gradgradcheck(lambda x: outside(x) + overlapping(x), x)


def test_nodes_of_reshapes() -> None:
    x = torch.ones(4, 3, 2, requires_grad=True) * 1
    names = {
        "ViewBackward0": (x.reshape(-1), x.flatten(), x[1:].flatten()),
        "ReshapeAliasBackward0": (x[:, :2].reshape(4, 4), x[:, :2].flatten(1), x.transpose(0, 1).reshape(3, 4, 2, 1)),
        "UnsafeViewBackward0": (x[:, 0].reshape(-1), x.transpose(0, 1).reshape(-1)),
    }
    for name, results in names.items():
        assert {result.grad_fn.name() for result in results} == {name}
    assert x[:, :2].reshape(4, 4).stride() == (6, 1)
    assert torch.ones(2, 3, requires_grad=True).T.grad_fn.name() == "PermuteBackward0"
