"""The profiler: what it sees of operators, nodes of the graph and named blocks, and when."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from typing import Any

import pytest

import onetape as torch
from onetape.autograd.profiler_util import EventList, FunctionEvent
from onetape.profiler import (
    ProfilerAction,
    ProfilerActivity,
    profile,
    record_function,
    schedule,
    supported_activities,
)


def step() -> None:
    model = torch.nn.Linear(64, 32)
    with record_function("forward"):
        loss = model(torch.ones(16, 64)).relu().sum()
    loss.backward()


@pytest.fixture(scope="module")
def prof() -> Iterator[profile]:
    with profile(record_shapes=True, profile_memory=True, with_stack=True) as recorded:
        step()
    yield recorded


def one(events: EventList[FunctionEvent], name: str) -> FunctionEvent:
    (found,) = [event for event in events if event.name == name]
    return found


# ---- events ----


def test_operators_nodes_and_blocks_are_seen_once(prof: profile) -> None:
    events = prof.events()
    for name, scope in (
        ("aten::addmm", 0),
        ("aten::relu", 0),
        ("AddmmBackward0", 1),
        ("ReluBackward0", 1),
        ("forward", 7),
    ):
        assert one(events, name).scope == scope
    assert [event.name for event in events].count("torch::autograd::AccumulateGrad") == 2


def test_what_runs_inside_another_has_it_as_parent(prof: profile) -> None:
    events = prof.events()
    addmm = one(events, "aten::addmm")
    chain = []
    parent = addmm.cpu_parent
    while parent is not None:
        chain.append(parent.name)
        assert parent.time_range.start <= addmm.time_range.start
        assert addmm.time_range.end <= parent.time_range.end
        parent = parent.cpu_parent
    assert chain == ["aten::linear", "forward"]
    matmuls = [event for event in events if event.name == "aten::mm"]
    assert matmuls and all(event.cpu_parent and event.cpu_parent.name == "AddmmBackward0" for event in matmuls)


def test_times_add_up(prof: profile) -> None:
    events = prof.events()
    top = sum(event.cpu_time_total for event in events if event.cpu_parent is None)
    assert events.self_cpu_time_total == pytest.approx(top)
    for event in events:
        assert event.self_cpu_time_total >= 0
        assert event.cpu_time_total == event.time_range.elapsed_us() > 0
    starts = [event.time_range.start for event in events]
    assert starts == sorted(starts)


def test_backward_is_linked_to_forward(prof: profile) -> None:
    events = prof.events()
    for name, forward in (
        ("AddmmBackward0", "aten::addmm"),
        ("ReluBackward0", "aten::relu"),
        ("SumBackward0", "aten::sum"),
    ):
        node = one(events, name)
        assert node.forward is not None
        assert node.forward.name == forward
        assert node.sequence_nr == node.forward.sequence_nr >= 0
        assert node.fwd_thread == node.forward.thread
        assert node.stack == node.forward.stack
    leaf = next(event for event in events if event.name == "torch::autograd::AccumulateGrad")
    assert (leaf.forward, leaf.sequence_nr) == (None, -1)


def test_the_innermost_operator_is_the_one_that_recorded(prof: profile) -> None:
    with profile() as recorded:
        x = torch.ones(3, 3, requires_grad=True)
        (x * 2.0).mean().backward()
    events = recorded.events()
    first = next(event for event in events if event.name == "aten::mul")
    assert one(events, "MulBackward0").forward is first
    node = one(events, "MeanBackward0")
    assert node.forward is not None and node.forward.name == "aten::mean"


def test_shapes(prof: profile) -> None:
    addmm = one(prof.events(), "aten::addmm")
    assert addmm.input_shapes[:3] == [[32], [16, 64], [64, 32]]
    assert addmm.input_dtypes[:3] == ["float32"] * 3
    assert one(prof.events(), "AddmmBackward0").input_shapes == [[16, 32]]
    with profile(record_shapes=True) as recorded:
        torch.cat([torch.ones(1, 2, 3, 4, 5), torch.ones(1, 2, 3, 4, 5)])
        torch.ones(()) + 1
    cat = one(recorded.events(), "aten::cat")
    assert cat.structured_input_shapes[0] == [[1, 2, 3, 4, 5], [1, 2, 3, 4, 5]]
    assert cat.input_shapes[0] == []
    assert one(recorded.events(), "aten::add").input_shapes[0] == []
    with profile() as plain:
        torch.ones(2) + 1
    assert one(plain.events(), "aten::add").input_shapes == []


def test_memory(prof: profile) -> None:
    with profile(profile_memory=True) as recorded:
        with record_function("made"):
            x = torch.ones(1000)
        with record_function("freed"):
            del x
        with record_function("both"):
            torch.ones(500) + 1
    events = recorded.events()
    assert one(events, "made").cpu_memory_usage == 4000
    assert one(events, "freed").cpu_memory_usage == -4000
    assert one(events, "both").cpu_memory_usage == 0
    add = one(events, "aten::add")
    assert add.self_cpu_memory_usage == 2000
    assert sum(event.self_cpu_memory_usage for event in events) == 0


def test_calls(prof: profile) -> None:
    stack = one(prof.events(), "aten::relu").stack
    assert re.fullmatch(r".*test_profiler\.py\(\d+\): step", stack[0])
    assert any("onetape/nn/modules" in call for call in one(prof.events(), "aten::addmm").stack)
    assert not any("onetape/profiler" in call for call in stack)
    with profile() as plain:
        step()
    assert all(event.stack == [] for event in plain.events())


def test_an_operator_that_fails_ends() -> None:
    with profile() as recorded:
        with pytest.raises(RuntimeError), record_function("outer"):
            torch.ones(2) @ torch.ones(3)
        torch.ones(2) + 1
    add = one(recorded.events(), "aten::add")
    assert add.cpu_parent is None


def test_blocks_may_end_in_any_order() -> None:
    first, second = record_function("first"), record_function("second")
    with profile() as recorded:
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        torch.ones(2) + 1
        second.__exit__(None, None, None)
    events = recorded.events()
    assert one(events, "second").cpu_parent is None
    assert one(events, "aten::add").cpu_parent is one(events, "second")
    assert all(event.self_cpu_time_total >= 0 for event in events)


def test_blocks_that_are_open_when_the_profile_begins_or_ends() -> None:
    before, after = record_function("before"), record_function("after")
    before.__enter__()
    with profile() as recorded:
        before.__exit__(None, None, None)
        after.__enter__()
        torch.ones(2) + 1
    after.__exit__(None, None, None)
    events = recorded.events()
    assert "before" not in [event.name for event in events]
    assert one(events, "aten::add").cpu_parent is one(events, "after")
    with profile() as second:
        torch.ones(2) * 1
    assert one(second.events(), "aten::mul").cpu_parent is None


def test_record_function_decorates_functions_that_call_themselves() -> None:
    @record_function("count")
    def count(n: int) -> int:
        return 0 if n == 0 else 1 + count(n - 1)

    assert count(2) == 2
    with profile() as recorded:
        assert count(2) == 2
    events = recorded.events()
    assert {event.name for event in events} == {"count"}
    with pytest.raises(
        RuntimeError, match="Expected a value of type 'str' for argument 'name' but instead found type 'int'"
    ):
        record_function(3).__enter__()  # type: ignore[arg-type]


def test_threads() -> None:
    """The thread that starts the profile is profiled; others are not, and may run as they like."""
    seen: list[int] = []

    def work() -> None:
        with record_function("elsewhere"):
            seen.append(int((torch.ones(3) + 1).sum().item()))

    with profile() as recorded:
        worker = threading.Thread(target=work)
        worker.start()
        worker.join()
        torch.ones(2) * 2
    names = {event.name for event in recorded.events()}
    assert seen == [6]
    assert "aten::mul" in names
    assert not {"elsewhere", "aten::add"} & names


def test_a_profile_ended_by_another_thread() -> None:
    recorded = profile()
    recorded.start()
    torch.ones(2) + 1
    stopper = threading.Thread(target=recorded.stop)
    stopper.start()
    stopper.join()
    torch.ones(2) * 1
    assert [event.name for event in recorded.events() if event.name in ("aten::add", "aten::mul")] == ["aten::add"]
    with profile() as second:
        torch.ones(2) * 1
    assert one(second.events(), "aten::mul")


def test_backward_errors_end_the_spans() -> None:
    class Failing(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            return x * 2

        @staticmethod
        def backward(ctx: Any, *grads: torch.Tensor) -> torch.Tensor:
            raise ValueError("no")

    x = torch.ones(2, requires_grad=True)
    y = Failing.apply(x).sum()
    with profile() as recorded:
        with pytest.raises(ValueError, match="no"):
            y.backward()
        torch.ones(2) + 1
    events = recorded.events()
    assert one(events, "FailingBackward").scope == 1
    assert one(events, "aten::add").cpu_parent is None


def test_results_are_the_same_while_profiled() -> None:
    def gradients() -> list[torch.Tensor]:
        torch.manual_seed(0)
        model = torch.nn.Sequential(torch.nn.Linear(5, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2))
        model(torch.ones(3, 5)).square().sum().backward()
        return [parameter.grad for parameter in model.parameters() if parameter.grad is not None]

    plain = gradients()
    with profile(record_shapes=True, profile_memory=True, with_stack=True):
        profiled = gradients()
    assert len(plain) == 4
    assert all(torch.equal(a, b) for a, b in zip(plain, profiled, strict=True))


def test_a_tape_may_be_recorded_and_run_while_profiled() -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        return (x * 2).exp().sum()

    x = torch.ones(3)
    with profile() as recorded:
        tape = torch.jit.trace(f, x)
        torch.ones(2) + 1
    names = [event.name for event in recorded.events()]
    assert "aten::exp" in names and "aten::add" in names
    with profile() as again:
        given = tape(x)
    assert torch.equal(given, f(x))
    assert again.key_averages() is not None
    started = profile()

    def begin(y: torch.Tensor) -> torch.Tensor:
        started.start()
        return y + 1

    tape = torch.jit.trace(begin, x)
    torch.ones(2) * 3
    started.stop()
    assert {"aten::add", "aten::mul"} <= {event.name for event in started.events()}
    assert tape(x).tolist() == [2.0, 2.0, 2.0]


def test_backward_frees_what_it_needed_while_profiled() -> None:
    x = torch.ones(3, requires_grad=True)
    with profile():
        y = (x * x).sum()
        y.backward()
        with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
            y.backward()


# ---- when it records ----


def test_schedule() -> None:
    wanted = "NONE NONE NONE WARMUP RECORD RECORD_AND_SAVE NONE WARMUP RECORD RECORD_AND_SAVE NONE NONE"
    plan = schedule(wait=1, warmup=1, active=2, repeat=2, skip_first=2)
    assert " ".join(plan(i).name for i in range(12)) == wanted
    early = schedule(wait=2, warmup=1, active=1, skip_first_wait=1)
    assert [early(i).name for i in range(3)] == ["WARMUP", "RECORD_AND_SAVE", "NONE"]
    with pytest.raises(AssertionError, match="Invalid profiler schedule arguments"):
        schedule(wait=1, warmup=1, active=0)
    with pytest.raises(AssertionError, match="Step must be non-negative"):
        plan(-1)
    with pytest.warns(UserWarning, match="won't be using warmup"):
        schedule(wait=0, warmup=0, active=1)


def test_steps_are_recorded_as_planned() -> None:
    told: list[tuple[int, list[str]]] = []

    def ready(prof: profile) -> None:
        told.append((prof.step_num, [event.name for event in prof.events() if event.name.startswith("Profiler")]))

    plan = schedule(wait=1, warmup=1, active=2, repeat=2)
    with profile(schedule=plan, on_trace_ready=ready) as prof:
        for _ in range(9):
            torch.ones(2) + 1
            prof.step()
    assert told == [(4, ["ProfilerStep#2", "ProfilerStep#3"]), (8, ["ProfilerStep#6", "ProfilerStep#7"])]
    with profile(schedule=plan, on_trace_ready=ready) as prof:
        for _ in range(3):
            prof.step()
    assert told[2:] == [(3, ["ProfilerStep#2", "ProfilerStep#3"])]


def test_incorrect_schedules_end_what_runs() -> None:
    actions = [ProfilerAction.RECORD, ProfilerAction.NONE, ProfilerAction.WARMUP, ProfilerAction.NONE]
    with profile(schedule=lambda i: actions[i]) as prof:
        with pytest.warns(UserWarning, match="Incorrect schedule: RECORD followed by NONE"):
            prof.step()
        prof.step()
        with pytest.warns(UserWarning, match="Incorrect schedule: WARMUP followed by NONE"):
            prof.step()
    with profile():
        pass


def test_one_profile_at_a_time() -> None:
    with profile() as outer:
        with pytest.raises(RuntimeError, match="Profiler is already enabled"):
            profile().start()
        torch.ones(2) + 1
    assert one(outer.events(), "aten::add")
    with torch.autograd.profiler.profile() as again, pytest.raises(RuntimeError, match="not reentrant"):
        again.__enter__()


def test_what_is_asked_too_early_or_wrongly() -> None:
    assert supported_activities() == {ProfilerActivity.CPU}
    with pytest.raises(AssertionError, match="No valid profiler activities found"):
        profile(activities=[])
    with pytest.raises(ValueError, match="specified more than once"):
        profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CPU])
    with pytest.raises(TypeError, match="Expected ProfilerActivity or dict"):
        profile(activities=["cpu"])  # type: ignore[list-item]
    with pytest.raises(AssertionError, match="No activities specified for the profiler"):
        profile(activities=[ProfilerActivity.CUDA]).start()
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]):
        pass
    with pytest.raises(AssertionError, match="Profiler must be initialized before accessing events"):
        profile().events()
    with profile() as prof, pytest.raises(RuntimeError, match="Profiler didn't finish running"):
        prof.events()
