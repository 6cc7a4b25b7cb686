"""Tapes: recording, guards, what is refused, and what a run gives and changes."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import onetape as torch
from onetape import jit, nn


def same(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and a.detach().numpy().tobytes() == b.detach().numpy().tobytes()


def gelu(x: torch.Tensor) -> torch.Tensor:
    return x * 0.5 * (1 + torch.tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))


def test_runs_the_operators_again() -> None:
    tape = jit.record(gelu, torch.randn(3, 4))
    for _ in range(3):
        x = torch.randn(3, 4)
        assert same(tape(x), gelu(x))


def test_large_and_scalar() -> None:
    for shape in [(), (1,), (100_003,), (300, 401)]:
        tape = jit.record(gelu, torch.randn(shape))
        for _ in range(3):
            x = torch.randn(shape)
            assert same(tape(x), gelu(x))


def test_several_inputs_and_outputs() -> None:
    tape = jit.record(lambda x, y: (x + y, x.sum(), y), torch.ones(2), torch.ones(2))
    x, y = torch.randn(2), torch.randn(2)
    for _ in range(3):
        total, summed, same_y = tape(x, y)
        assert same(total, x + y)
        assert same(summed, x.sum())
        assert same_y is y


def test_outputs_are_new_every_time() -> None:
    tape = jit.record(lambda x: x * 2, torch.ones(2))
    results = [tape(torch.full((2,), float(i))) for i in range(4)]
    assert [r[0].item() for r in results] == [0, 2, 4, 6]


def test_output_that_is_a_view_of_an_intermediate() -> None:
    tape = jit.record(lambda x: (x * 2).t()[0], torch.ones(2, 3))
    results = [tape(torch.full((2, 3), float(i))) for i in range(4)]
    assert [r.tolist() for r in results] == [[0, 0], [2, 2], [4, 4], [6, 6]]


def test_parameters_are_read_where_they_are() -> None:
    layer = nn.Linear(3, 2)
    with torch.no_grad():
        tape = jit.record(layer, torch.ones(4, 3))
        x = torch.randn(4, 3)
        for _ in range(3):
            assert same(tape(x), layer(x))
            layer.weight.add_(1)
        layer.weight.data = torch.randn(2, 3)
        assert same(tape(x), layer(x))
    assert {id(t) for t in tape.captured} == {id(layer.weight), id(layer.bias)}


def test_gradients_flow_through_a_run() -> None:
    layer = nn.Linear(3, 2)
    tape = jit.record(layer, torch.ones(4, 3))
    x = torch.randn(4, 3, requires_grad=False)
    for function in (layer, tape):
        layer.zero_grad()
        function(x).square().sum().backward()
        if function is layer:
            expected = layer.weight.grad.clone()
    assert same(layer.weight.grad, expected)


def test_second_derivative_of_a_run() -> None:
    x = torch.tensor([0.3, -2.0], requires_grad=True)
    tape = jit.record(gelu, x)
    (first,) = torch.autograd.grad(tape(x).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    (wanted,) = torch.autograd.grad(gelu(x).sum(), x, create_graph=True)
    assert same(first, wanted)
    assert same(second, torch.autograd.grad(wanted.sum(), x)[0])


def test_backward_inside() -> None:
    w = torch.tensor([1.0, 2.0], requires_grad=True)

    def step(x: torch.Tensor) -> torch.Tensor:
        loss = (w * x).square().sum()
        loss.backward()
        return loss.detach()

    tape = jit.record(step, torch.ones(2))
    for _ in range(3):
        x = torch.randn(2)
        w.grad = None
        loss = step(x)
        expected = w.grad
        w.grad = None
        assert same(tape(x), loss)
        assert same(w.grad, expected)


def test_gradient_that_is_there_is_added_to() -> None:
    w = torch.ones(2, requires_grad=True)
    w.grad = torch.zeros(2)
    held = w.grad

    def step(x: torch.Tensor) -> torch.Tensor:
        (w * x).sum().backward()
        return x

    tape = jit.record(step, torch.ones(2))
    tape(torch.full((2,), 2.0))
    tape(torch.full((2,), 3.0))
    assert w.grad is held
    assert held.tolist() == [6, 6]


# ---- changes in place, views, constants, random numbers ----


def test_changes_in_place() -> None:
    def step(x: torch.Tensor) -> torch.Tensor:
        y = x.clone()
        row = y[0]
        row.mul_(3)
        y[1] = 7
        y.add_(1)
        return y

    tape = jit.record(step, torch.ones(2, 3))
    for _ in range(3):
        x = torch.randn(2, 3)
        assert same(tape(x), step(x))


def test_input_changed_in_place() -> None:
    tape = jit.record(lambda x: x.add_(1), torch.zeros(2))
    x = torch.zeros(2)
    for _ in range(3):
        assert tape(x) is x
    assert x.tolist() == [3, 3]


def test_buffers_are_changed_where_they_are() -> None:
    def normalized(module: nn.Module) -> tuple[Any, Any]:
        torch.manual_seed(3)
        inputs = [torch.randn(8, 4) for _ in range(4)]
        return inputs, module

    norm, twin = nn.BatchNorm1d(4), nn.BatchNorm1d(4)
    inputs, _ = normalized(norm)
    with torch.no_grad():
        tape = jit.record(norm, inputs[0])
        twin(inputs[0])
        for x in inputs[1:]:
            assert same(tape(x), twin(x))
    assert same(norm.running_mean, twin.running_mean)
    assert same(norm.running_var, twin.running_var)
    assert norm.num_batches_tracked.item() == 4


def test_constants_are_new_every_time() -> None:
    def count(x: torch.Tensor) -> torch.Tensor:
        total = torch.tensor([1.0, 2.0])
        total.add_(x)
        return total

    tape = jit.record(count, torch.ones(2))
    for _ in range(3):
        assert tape(torch.ones(2)).tolist() == [2, 3]


def test_dead_operators_are_dropped_and_common_ones_joined() -> None:
    def wasteful(x: torch.Tensor) -> torch.Tensor:
        x.exp()
        return x.sin() * x.sin()

    assert len(jit.record(lambda x: (x.exp(), x.sin())[1], torch.ones(2))) == 1
    tape = jit.record(wasteful, torch.ones(2))
    x = torch.randn(2)
    assert all(same(tape(x), wasteful(x)) for _ in range(3))


# ---- guards ----


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (torch.ones(3), "input 0 has shape [3] but had [2] when recorded"),
        (torch.ones(2, dtype=torch.float64), "input 0 is torch.float64 but was torch.float32 when recorded"),
        (torch.ones(4)[::2], "input 0 has strides [2] but had [1] when recorded"),
        (torch.ones(2, requires_grad=True), "input 0 requires a gradient but did not when recorded"),
    ],
)
def test_other_forms_are_refused(other: torch.Tensor, why: str) -> None:
    tape = jit.record(lambda x: x * 2, torch.ones(2))
    assert tape.mismatch(other) == why
    with pytest.raises(RuntimeError, match="^Tape: ") as info:
        tape(other)
    assert str(info.value) == f"Tape: {why}"
    assert tape(torch.ones(2)).tolist() == [2, 2]


def test_wrong_calls() -> None:
    tape = jit.record(lambda x: x * 2, torch.ones(2))
    with pytest.raises(RuntimeError, match="given 0 tensors but was recorded with 1"):
        tape()
    with pytest.raises(TypeError, match="argument 0 must be a Tensor, not int"):
        tape(3)
    with pytest.raises(TypeError, match="keyword"):
        tape(x=torch.ones(2))
    with pytest.raises(TypeError):
        jit.Tape()


def test_captured_tensor_of_another_form() -> None:
    layer = nn.Linear(2, 2)
    tape = jit.record(layer, torch.ones(1, 2))
    layer.bias.data = torch.ones(1)
    assert tape.mismatch(torch.ones(1, 2)) == "captured tensor 1 has shape [1] but had [2] when recorded"


def test_trace_records_again_or_refuses() -> None:
    strict = jit.trace(gelu, torch.ones(2))
    with pytest.raises(RuntimeError, match="on_change='record'"):
        strict(torch.ones(3))
    lenient = jit.trace(gelu, (torch.ones(2),), on_change="record")
    for size in (2, 3, 4, 3, 2):
        x = torch.randn(size)
        assert same(lenient(x), gelu(x))
    assert len(lenient.tapes) == 3
    with pytest.raises(ValueError, match="on_change"):
        jit.trace(gelu, torch.ones(2), on_change="guess")


def test_trace_of_structures_and_other_arguments() -> None:
    def function(pair: Any, scale: float, *, flip: bool) -> Any:
        return {"sum": pair["a"] + pair["b"], "parts": [pair["a"] * scale, (-pair["b"] if flip else pair["b"],)]}

    traced = jit.trace(function, ({"a": torch.ones(2), "b": torch.ones(2)}, 2.0), example_kwarg_inputs={"flip": True})
    given = {"a": torch.randn(2), "b": torch.randn(2)}
    got, wanted = traced(given, 2.0, flip=True), function(given, 2.0, flip=True)
    assert same(got["sum"], wanted["sum"])
    assert same(got["parts"][1][0], wanted["parts"][1][0])
    with pytest.raises(RuntimeError, match="put together otherwise"):
        traced(given, 3.0, flip=True)


def test_traced_module() -> None:
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.5), nn.Linear(8, 2)).eval()
    traced = jit.trace(model, torch.ones(1, 4), on_change="record")
    x = torch.randn(1, 4)
    assert isinstance(traced, nn.Module)
    assert same(traced(x), model(x))
    assert list(traced.state_dict()) == list(model.state_dict())
    traced.train()
    torch.manual_seed(0)
    expected = model(x)
    torch.manual_seed(0)
    assert same(traced(x), expected)


# ---- what is refused ----


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x * x.sum().item(),
        lambda x: x if x.sum() > 0 else -x,
        lambda x: x[x > 0],
        lambda x: torch.nonzero(x),
        lambda x: torch.tensor(x.tolist()),
        lambda x: torch.from_numpy(x.numpy() + 1),
        lambda x: x * float(x.max()),
        lambda x: x if torch.equal(x, x) else -x,
        lambda x: torch.tensor(np.asarray(x)),
        lambda x: torch.tensor(memoryview(x)),
    ],
)
def test_what_depends_on_elements(function: Any) -> None:
    with pytest.raises(RuntimeError, match="^Tape: "):
        jit.record(function, torch.ones(3))
    assert jit.record(lambda x: x + 1, torch.ones(2))(torch.ones(2)).tolist() == [2, 2]


def test_failures_end_the_recording() -> None:
    def fails(x: torch.Tensor) -> torch.Tensor:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        jit.record(fails, torch.ones(2))
    with pytest.raises(TypeError, match="must return tensors"):
        jit.record(lambda x: 3, torch.ones(2))
    with pytest.raises(TypeError, match="takes tensors"):
        jit.record(lambda x: x, 3)  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match="given as two inputs"):
        x = torch.ones(2)
        jit.record(lambda a, b: a + b, x, x)
    with pytest.raises(RuntimeError, match="being recorded already"):
        jit.record(lambda a: jit.record(lambda b: b, torch.ones(1))(a), torch.ones(1))
    assert not jit.is_tracing()
    assert not jit.is_scripting()


def test_script_is_refused_with_the_reason() -> None:
    with pytest.raises(NotImplementedError, match="use jit.trace"):
        jit.script(gelu)
    assert jit.ignore(gelu) is gelu
    assert jit.unused(gelu) is gelu
    assert jit.export(gelu) is gelu


def test_printing_while_recording(capsys: pytest.CaptureFixture[str]) -> None:
    def talks(x: torch.Tensor) -> torch.Tensor:
        print(x, x.sum())
        return x + 1

    tape = jit.record(talks, torch.ones(2))
    assert capsys.readouterr().out == "tensor([1., 1.]) tensor(2.)\n"
    assert len(tape) == 1


# ---- threads, memory ----


def test_threads_share_a_tape() -> None:
    tape = jit.record(lambda x: gelu(x).sum(0), torch.ones(64, 64))
    wrong = []

    def work(seed: int) -> None:
        for i in range(50):
            x = torch.full((64, 64), float(seed * 100 + i) / 1000)
            if not same(tape(x), gelu(x).sum(0)):
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_tape_records_into_another() -> None:
    inner = jit.record(gelu, torch.ones(2))
    outer = jit.record(lambda x: inner(x) + 1, torch.ones(2))
    x = torch.randn(2)
    assert same(outer(x), gelu(x) + 1)


def test_eager_results_do_not_change_by_recording() -> None:
    x = torch.randn(5, requires_grad=True)
    with_tape = []
    jit.record(lambda y: with_tape.append(gelu(y)) or gelu(y), x)
    assert same(with_tape[0], gelu(x))
    assert with_tape[0].grad_fn is not None
