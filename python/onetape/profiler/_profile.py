"""The profiler of a training: what is recorded when, and who gets it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from enum import Enum
from types import TracebackType
from warnings import warn

from onetape.autograd.profiler import profile as _Recording
from onetape.autograd.profiler import record_function
from onetape.autograd.profiler_util import EventList, FunctionEvent, FunctionEventAvg
from onetape.profiler._schedule import ProfilerAction

__all__ = ["ProfilerActivity", "profile", "supported_activities"]

_NONE, _WARMUP, _RECORD, _SAVE = (
    ProfilerAction.NONE,
    ProfilerAction.WARMUP,
    ProfilerAction.RECORD,
    ProfilerAction.RECORD_AND_SAVE,
)


class ProfilerActivity(Enum):
    """What a profiler looks at. Here it is the CPU; of the others there is nothing to see."""

    CPU = 0
    XPU = 1
    MTIA = 2
    CUDA = 3
    HPU = 4
    PrivateUse1 = 5


def supported_activities() -> set[ProfilerActivity]:
    """What a profiler can look at on this machine."""
    return {ProfilerActivity.CPU}


def _chosen(activities: Iterable[ProfilerActivity] | None) -> set[ProfilerActivity]:
    if activities is None:
        return supported_activities()
    chosen: set[ProfilerActivity] = set()
    for activity in activities:
        if not isinstance(activity, ProfilerActivity):
            raise TypeError(f"Expected ProfilerActivity or dict, got {type(activity)}")
        if activity in chosen:
            raise ValueError(f"Activity {activity} specified more than once")
        chosen.add(activity)
    if not chosen:
        raise AssertionError("No valid profiler activities found")
    return chosen


class profile:
    """Profiles the operators that this thread runs, forward and backward, all the time or by a schedule.

    Args:
        activities: what to look at: the CPU must be among them, others add nothing.
        schedule: asked at each step() what to do; see schedule().
        on_trace_ready: called with this object whenever a profile is complete.
        record_shapes: notes the shapes of what operators are given.
        profile_memory: notes the memory of elements that is taken and given back.
        with_stack: notes the calls that each operator was called in, Python's and Java's.

    Raises:
        RuntimeError: at start(), where another profile is being recorded.
        AssertionError: there is nothing to look at.
    """

    def __init__(
        self,
        *,
        activities: Iterable[ProfilerActivity] | None = None,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[[profile], object] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
    ) -> None:
        self.activities = _chosen(activities)
        self.record_shapes = record_shapes
        self.profile_memory = profile_memory
        self.with_stack = with_stack
        self.on_trace_ready = on_trace_ready
        self.record_steps = schedule is not None
        self.schedule: Callable[[int], ProfilerAction] = schedule or (lambda _: _RECORD)
        self.step_num = 0
        self.current_action = self.schedule(0)
        self.profiler: _Recording | None = None
        self._running = False
        self._step: record_function | None = None
        self._metadata: dict[str, str] = {}

    # ---- what happens when ----

    def __enter__(self) -> profile:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Begins with the schedule's first step."""
        self._go(_NONE, self.current_action)
        self._begin_step()

    def stop(self) -> None:
        """Ends; on_trace_ready is called with what was recorded last, if it was not yet."""
        self._end_step()
        action = self.current_action
        if action is not _NONE:
            self._end()
        if action in (_RECORD, _SAVE):
            self._tell()

    def step(self) -> None:
        """The next step of the training begins."""
        self._end_step()
        before = self.current_action
        self.step_num += 1
        self.current_action = self.schedule(self.step_num)
        self._go(before, self.current_action)
        self._begin_step()

    def _begin_step(self) -> None:
        if self.record_steps and self._running:
            self._step = record_function(f"ProfilerStep#{self.step_num}")
            self._step.__enter__()

    def _end_step(self) -> None:
        if self._step is not None:
            self._step.__exit__(None, None, None)
            self._step = None

    def _go(self, before: ProfilerAction, now: ProfilerAction) -> None:
        """From what was done to what is to be done."""
        if before is _SAVE:
            self._end()
            self._tell()
            before = _NONE
        elif (before, now) in ((_WARMUP, _NONE), (_RECORD, _NONE), (_RECORD, _WARMUP)):
            warn(f"Incorrect schedule: {before.name} followed by {now.name}", stacklevel=4)
            self._end()
            before = _NONE
        if before is _WARMUP and now is not _WARMUP:
            self._end()  # what was recorded to warm up is not kept
            before = _NONE
        if before is _NONE and now is not _NONE:
            self._begin()

    def _begin(self) -> None:
        if ProfilerActivity.CPU not in self.activities:
            raise AssertionError("No activities specified for the profiler")
        recording = _Recording(
            record_shapes=self.record_shapes,
            profile_memory=self.profile_memory,
            with_stack=self.with_stack,
        )
        recording.__enter__()
        self.profiler = recording
        self._running = True

    def _end(self) -> None:
        self._running = False
        if self.profiler is not None:
            self.profiler.__exit__(None, None, None)

    def _tell(self) -> None:
        if self.on_trace_ready is not None:
            self.on_trace_ready(self)

    # ---- what was recorded ----

    def _recorded(self, purpose: str) -> _Recording:
        if self.profiler is None:
            raise AssertionError(f"Profiler must be initialized before {purpose}")
        return self.profiler

    def events(self) -> EventList[FunctionEvent]:
        """Each event of the last profile, in the order in which they began."""
        return self._recorded("accessing events").function_events

    def key_averages(
        self, group_by_input_shape: bool = False, group_by_stack_n: int = 0
    ) -> EventList[FunctionEventAvg]:
        """What the events come to by name, and by the shapes of inputs or the innermost calls if asked for.

        ``print(prof.key_averages().table(sort_by="self_cpu_time_total", row_limit=10))`` shows them.
        """
        recorded = self._recorded("getting key averages")
        return recorded.key_averages(group_by_input_shape, group_by_stack_n)

    def export_chrome_trace(self, path: str | os.PathLike[str]) -> None:
        """Writes a trace for Perfetto and chrome://tracing, compressed if the name ends with ``.gz``."""
        metadata = "".join(f"{json.dumps(key)}: {value},\n" for key, value in self._metadata.items())
        self._recorded("exporting chrome trace").export_chrome_trace(path, metadata)

    def export_stacks(self, path: str | os.PathLike[str], metric: str = "self_cpu_time_total") -> None:
        """Writes a line for each event with its calls, for programs that draw flame graphs.

        Raises:
            AssertionError: with_stack was not asked for.
        """
        self._recorded("exporting stacks").export_stacks(path, metric)

    def export_flame_graph(self, path: str | os.PathLike[str], title: str = "Flame graph") -> None:
        """Writes a page that shows where the time went, and needs nothing else."""
        self._recorded("exporting a flame graph").export_flame_graph(path, title)

    def export_memory_timeline(self, path: str | os.PathLike[str], device: str | None = None) -> None:
        """Writes how much memory elements took over time: .svg, .html, .json or .json.gz by the name's end.

        Raises:
            ValueError: profile_memory was not asked for, the device is not the CPU, or the name ends otherwise.
        """
        if device not in (None, "cpu"):
            raise ValueError(f"there is no memory of {device!r}, only of 'cpu'")
        self._recorded("exporting a memory timeline").export_memory_timeline(path)

    def add_metadata(self, key: str, value: str) -> None:
        """Adds a text to the traces."""
        self._metadata[key] = json.dumps(value)

    def add_metadata_json(self, key: str, value: str) -> None:
        """Adds a value, written in JSON, to the traces.

        Raises:
            ValueError: it is no JSON.
        """
        json.loads(value)
        self._metadata[key] = value
