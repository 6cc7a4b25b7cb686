"""Python and Java in one process: the same tensors, one graph."""

import gc
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import onetape as torch
from onetape import _C, jvm


def leaf(*values: float) -> torch.Tensor:
    return torch.tensor(list(values), dtype=torch.float64, requires_grad=True)


def test_a_tensor_passes_both_ways_as_itself(border):
    x = leaf(1, 2, 3)
    back = jvm.from_java(border.same(x))
    assert back is x


def test_elements_are_shared_without_a_copy(border):
    x = torch.zeros(3)
    java = jvm.to_java(x)
    java.fill_(jvm.java_class("org.onetape.Scalar")(7.0))
    assert x.tolist() == [7, 7, 7]
    assert jvm.from_java(java).data_ptr() == x.data_ptr()


def test_an_attribute_survives_the_round_trip(border):
    x = leaf(1)
    x.note = "mine"
    java = jvm.to_java(x)
    del x
    gc.collect()
    assert jvm.from_java(java).note == "mine"


def test_one_graph_across_both_languages(border):
    x = leaf(1, 2, 3)
    y = jvm.call(border.square, x * 2)  # Java's node between Python's
    assert y.grad_fn.name() == "MulBackward0"
    y.sum().backward()
    assert x.grad.tolist() == [8, 16, 24]


def test_java_drives_backward(border):
    x = leaf(3)
    border.backward((x * x).sum())
    assert x.grad.tolist() == [6]


def test_a_java_function_in_pythons_graph(border):
    cube = jvm.function(jvm.java_class("Border$Cube")())
    x = leaf(1, 2)
    (cube(x) * 2).sum().backward()
    assert x.grad.tolist() == [6, 24]
    assert torch.autograd.gradcheck(cube, (leaf(0.5, -1.5),))


def test_a_java_function_is_differentiated_twice(border):
    cube = jvm.function(jvm.java_class("Border$Cube")())
    x = leaf(2)
    (first,) = torch.autograd.grad(cube(x).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    assert second.tolist() == [12]


def test_a_java_function_of_several_arguments_and_results(border):
    both = jvm.function(jvm.java_class("Border$ScaledProductAndSum")())
    a, b = leaf(1, 2), leaf(3, 4)
    product, total = both(a, b, 2.5)
    assert product.tolist() == [7.5, 20]
    assert total.tolist() == [4, 6]
    (product.sum() + total.sum()).backward()
    assert a.grad.tolist() == [8.5, 11]
    assert b.grad.tolist() == [3.5, 6]
    assert torch.autograd.gradcheck(lambda x, y: both(x, y, 2), (leaf(0.5, -1.5), leaf(2, 3)))


@pytest.mark.parametrize("tensor", [torch.tensor([1, 2]), torch.tensor(7), torch.tensor([1.5])])
def test_a_tensor_goes_where_java_takes_any_object(border, tensor):
    assert jvm.call(border.anything, tensor) is tensor


def test_a_python_function_in_javas_graph(border):
    class Triple(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 3

        @staticmethod
        def backward(ctx, grad):
            return grad * 3

    x = leaf(1, 2)
    y = border.applied(jvm.callback(Triple.apply), x)
    border.backward(jvm.from_java(y).sum())
    assert x.grad.tolist() == [6, 6]


def test_java_tensors_have_python_manners(border):
    y = border.square(leaf(1, 2, 3))
    assert (y + 1).tolist() == [2, 5, 10]
    assert (10 - y).tolist() == [9, 6, 1]
    assert (y * torch.tensor(2.0)).tolist() == [2, 8, 18]
    assert y[1].item() == 4
    assert len(y) == 3
    assert [one.item() for one in y] == [1, 4, 9]
    assert repr(y).startswith("tensor([1., 4., 9.], dtype=torch.float64")
    np.testing.assert_array_equal(jvm.from_java(y).detach().numpy(), [1, 4, 9])


def test_scopes_are_context_managers(border):
    before = _C.live_tensors()
    with jvm.java_class("org.onetape.MemoryScope")():
        border.square(torch.ones(4))
    gc.collect()
    assert _C.live_tensors() <= before + 1


def test_a_java_module_trains_in_pythons_loop(border):
    torch.manual_seed(0)
    net = jvm.module(jvm.java_class("Border$Net")())
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    x = torch.randn(64, 3)
    y = x @ torch.tensor([[1.0], [-2.0], [0.5]])
    losses = []
    for _ in range(60):
        loss = ((net(x) - y) * (net(x) - y)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.01 * losses[0]


def test_engine_errors_arrive_with_their_first_line(border):
    with pytest.raises(Exception, match=r"The size of tensor a \(3\) must match"):
        border.wrongShapes()


def test_java_exceptions_arrive_as_themselves(border):
    with pytest.raises(jvm.java_class("java.lang.IllegalArgumentException"), match="not today"):
        border.fails(torch.ones(1))


def test_an_exception_of_a_java_function_ends_pythons_backward(border):
    broken = jvm.function(jvm.java_class("Border$Broken")())
    x = leaf(1)
    with pytest.raises(Exception, match="backward is broken"):
        broken(x).sum().backward()
    assert x.grad is None


def test_starting_twice_is_harmless_and_other_classes_are_refused(border):
    jvm.start()
    with pytest.raises(RuntimeError, match="class path cannot grow"):
        jvm.start(["elsewhere.jar"])


def run_program(classes: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    package = Path(torch.__file__).resolve().parent.parent
    command = [sys.executable, "-m", "onetape.jvm", "-cp", str(classes), *arguments]
    environment = {**os.environ, "PYTHONPATH": str(package)}
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)


def test_a_program_runs_next_to_python(classes):
    done = run_program(classes, "Border", "a", "b")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "6.0 a,b\n"


def test_a_missing_program_is_named(classes):
    done = run_program(classes, "Nowhere")
    assert done.returncode == 1
    assert "Could not find or load main class Nowhere" in done.stderr


def test_the_border_keeps_graph_and_flag(border):
    x = leaf(1, 2)
    vector = jvm.java_class("org.onetape.TensorVector")(jvm.to_java(x))
    optional = jvm.java_class("org.onetape.TensorOptional")(jvm.to_java(x * x))
    assert jvm.from_java(vector.get(0)) is x
    assert jvm.from_java(jvm.to_java(x, "org.onetape.TorchTensor")) is x
    y = jvm.from_java(jvm.java_class("org.onetape.Tensor")(optional.get()))
    assert y.requires_grad
    assert y.grad_fn.name() == "MulBackward0"
    y.sum().backward()
    assert x.grad.tolist() == [2, 4]
