"""What a profile tells: its events, and what they come to by name, in PyTorch's classes."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

from onetape import _C

__all__ = ["EventList", "FunctionEvent", "FunctionEventAvg", "Interval"]

_Stat = TypeVar("_Stat", bound="FunctionEvent | FunctionEventAvg")
_DEVICES = ("cuda", "xpu", "privateuse1")
_STACK_METRICS = ["self_cpu_time_total", "self_cuda_time_total", "self_xpu_time_total", "self_privateuse1_time_total"]


def _time_text(microseconds: float) -> str:
    if microseconds >= 1e6:
        return f"{microseconds / 1e6:.3f}s"
    if microseconds >= 1e3:
        return f"{microseconds / 1e3:.3f}ms"
    return f"{microseconds:.3f}us"


def _attribute(name: str) -> str:
    """The attribute that stands for a key such as ``self_cuda_time_total``."""
    for device in _DEVICES:
        name = name.replace(device, "device")
    return name


class Interval:
    """From ``start`` to ``end``, in microseconds since the profile began."""

    def __init__(self, start: float, end: float) -> None:
        self.start = start
        self.end = end

    def elapsed_us(self) -> float:
        """How long it is, in microseconds."""
        return self.end - self.start


class _Times:
    """What follows from times and counts; there is no device besides the CPU."""

    count: int
    cpu_time_total: float
    self_cpu_time_total: float
    use_device: str | None = None
    device_time: float = 0.0
    device_time_total: float = 0.0
    self_device_time_total: float = 0.0
    device_memory_usage: int = 0
    self_device_memory_usage: int = 0
    is_async = False
    is_remote = False
    is_legacy = False
    node_id = -1

    @property
    def cpu_time(self) -> float:
        """Microseconds a call."""
        return self.cpu_time_total / self.count if self.count else 0.0

    @property
    def cpu_time_str(self) -> str:
        return _time_text(self.cpu_time)

    @property
    def cpu_time_total_str(self) -> str:
        return _time_text(self.cpu_time_total)

    @property
    def self_cpu_time_total_str(self) -> str:
        return _time_text(self.self_cpu_time_total)


class FunctionEvent(_Times):
    """One call of an operator, one run of a node of the graph, or one block that the program named.

    Times are in microseconds, memory in bytes taken less bytes given back. ``scope`` is 0 for an operator, 1 for a
    node's run and 7 for a block of the program. ``sequence_nr`` of an operator and of the node that it recorded are
    the same number; the node's event has the operator's event as its ``forward``.
    """

    def __init__(self, number: int, told: tuple[Any, ...], threads: list[tuple[int, str]]) -> None:
        name, scope, thread, _, start, end, memory, sequence, _, shapes, nested, dtypes, stack = told
        self.id = number
        self.name: str = name
        self.trace_name: str = name
        self.scope: int = scope
        self.thread: int = threads[thread][0]
        self.fwd_thread: int | None = None
        self.time_range = Interval(start, end)
        self.count = 1
        self.cpu_memory_usage: int = memory
        self.sequence_nr: int = sequence
        self.forward: FunctionEvent | None = None
        self.input_shapes: list[list[int]] = shapes
        self.structured_input_shapes: list[Any] = nested
        self.input_dtypes: list[str] = dtypes
        self.stack: list[str] = stack
        self.cpu_parent: FunctionEvent | None = None
        self.cpu_children: list[FunctionEvent] = []
        self.is_user_annotation = scope == 7

    @property
    def key(self) -> str:
        """What it is grouped by."""
        return self.name

    @property
    def cpu_time_total(self) -> float:  # type: ignore[override]
        return self.time_range.elapsed_us()

    @property
    def self_cpu_time_total(self) -> float:  # type: ignore[override]
        return self.cpu_time_total - sum(child.cpu_time_total for child in self.cpu_children)

    @property
    def self_cpu_memory_usage(self) -> int:
        return self.cpu_memory_usage - sum(child.cpu_memory_usage for child in self.cpu_children)

    def __repr__(self) -> str:
        children = [child.id for child in self.cpu_children]
        return (
            f"<FunctionEvent id={self.id} name={self.name} device_type=DeviceType.CPU node_id={self.node_id} "
            f"cpu_time={self.cpu_time_str} start_us={self.time_range.start} end_us={self.time_range.end} "
            f"cpu_children={children} name={self.name} thread={self.thread} input_shapes={self.input_shapes} "
            f"cpu_memory_usage={self.cpu_memory_usage} is_async={self.is_async} is_remote={self.is_remote} "
            f"seq_nr={self.sequence_nr} is_legacy={self.is_legacy}>"
        )


class FunctionEventAvg(_Times):
    """What the events of one name, or of one name with the same shapes or calls, come to."""

    def __init__(self) -> None:
        self.key: str | None = None
        self.count = 0
        self.cpu_time_total = 0.0
        self.self_cpu_time_total = 0.0
        self.cpu_memory_usage = 0
        self.self_cpu_memory_usage = 0
        self.input_shapes: list[list[int]] | str = ""
        self.stack: list[str] = []
        self.scope = 0
        self.cpu_parent: FunctionEvent | None = None
        self.cpu_children: list[FunctionEvent] = []
        self.is_user_annotation = False

    def _describe(self, one: FunctionEvent | FunctionEventAvg) -> None:
        """Takes over what all of its events have in common."""
        self.key = one.key
        self.input_shapes = one.input_shapes
        self.stack = one.stack
        self.scope = one.scope
        self.cpu_parent = one.cpu_parent
        self.cpu_children = one.cpu_children
        self.is_user_annotation = one.is_user_annotation

    def add(self, other: FunctionEvent | FunctionEventAvg) -> FunctionEventAvg:
        """Adds an event, or what several come to, of the same key.

        Raises:
            AssertionError: it is neither, or has another key.
        """
        if not isinstance(other, (FunctionEvent, FunctionEventAvg)):
            raise AssertionError("Expected other to be a FunctionEvent or FunctionEventAvg")
        if self.key is None:
            self._describe(other)
        if other.key != self.key:
            raise AssertionError(f"Expected keys to match, but got {other.key} vs {self.key}")
        self._sum(other)
        return self

    def _sum(self, other: FunctionEvent | FunctionEventAvg) -> None:
        self.count += other.count
        self.cpu_time_total += other.cpu_time_total
        self.self_cpu_time_total += other.self_cpu_time_total
        self.cpu_memory_usage += other.cpu_memory_usage
        self.self_cpu_memory_usage += other.self_cpu_memory_usage

    def __iadd__(self, other: FunctionEvent | FunctionEventAvg) -> FunctionEventAvg:
        return self.add(other)

    def __repr__(self) -> str:
        return (
            f"<FunctionEventAvg key={self.key} self_cpu_time={self.self_cpu_time_total_str} "
            f"cpu_time={self.cpu_time_str}  input_shapes={self.input_shapes} cpu_memory_usage={self.cpu_memory_usage}>"
        )


class EventList(list[_Stat]):
    """Events, or what they come to by name."""

    def __init__(
        self, events: Iterable[_Stat] = (), *, profile_memory: bool = False, profile: _C._Profile | None = None
    ) -> None:
        super().__init__(events)
        self._profile_memory = profile_memory
        self._profile = profile

    @property
    def self_cpu_time_total(self) -> float:
        """Microseconds of all, each without what runs inside it."""
        return sum(event.self_cpu_time_total for event in self)

    def __str__(self) -> str:
        return self.table()

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_src_column_width: int | None = 75,
        max_name_column_width: int | None = 55,
        max_shapes_column_width: int | None = 80,
        header: str | None = None,
        top_level_events_only: bool = False,
        time_unit: str | None = None,
    ) -> str:
        """The events as a table.

        Args:
            sort_by: an attribute, largest first, such as ``self_cpu_time_total``, ``cpu_time``, ``count`` or
                ``cpu_memory_usage``; in the order of their beginnings without it.
            row_limit: how many rows; -1 for all.
            max_src_column_width: how wide the calls may become; any width with None, as the next two.
            max_name_column_width: how wide the names may become.
            max_shapes_column_width: how wide the shapes may become.
            header: a title.
            top_level_events_only: leaves out what runs inside others.
            time_unit: ``s``, ``ms`` or ``us`` for all times, or what suits each.

        Raises:
            AttributeError: there is no attribute ``sort_by``.
        """
        rows = list(self)
        if sort_by is not None:
            attribute = _attribute(sort_by)
            rows.sort(key=lambda event: getattr(event, attribute), reverse=True)
        return _C._profiler_table(
            [_row(event) for event in rows],
            row_limit,
            _width(max_name_column_width),
            _width(max_shapes_column_width),
            _width(max_src_column_width),
            header,
            self._profile_memory,
            top_level_events_only,
            time_unit or "",
        )

    def _recorded(self) -> _C._Profile:
        if self._profile is None:
            raise AssertionError("Expected tree to be built before calling key_averages")
        return self._profile

    def key_averages(
        self, group_by_input_shapes: bool = False, group_by_stack_n: int = 0
    ) -> EventList[FunctionEventAvg]:
        """What the events come to by name, and by the shapes of inputs or the innermost calls if asked for."""
        events: dict[int, Any] = {event.id: event for event in self if isinstance(event, FunctionEvent)}
        groups: EventList[FunctionEventAvg] = EventList(profile_memory=self._profile_memory)
        by_calls = max(group_by_stack_n, 0)
        for told in self._recorded().averages(list(events), group_by_input_shapes, by_calls):
            average = FunctionEventAvg()
            average._describe(events[told[0]])
            average.stack = average.stack[:by_calls]
            if not group_by_input_shapes:
                average.input_shapes = ""
            average.count, average.cpu_time_total, average.self_cpu_time_total = told[1:4]
            average.cpu_memory_usage, average.self_cpu_memory_usage = told[4:]
            groups.append(average)
        return groups

    def total_average(self) -> FunctionEventAvg:
        """What all come to, under the key ``Total``."""
        total = FunctionEventAvg()
        for event in self:
            if total.key is None:
                total._describe(event)
            total._sum(event)
        total.key = "Total"
        return total

    def export_chrome_trace(self, path: str | os.PathLike[str]) -> None:
        """Writes the profile for Perfetto and chrome://tracing."""
        Path(path).write_text(self._recorded().chrome_trace(""), encoding="utf-8")

    def supported_export_stacks_metrics(self) -> list[str]:
        """What export_stacks() can tell."""
        return list(_STACK_METRICS)

    def export_stacks(self, path: str | os.PathLike[str], metric: str = "self_cpu_time_total") -> None:
        """Writes a line for each event that knows its calls, for programs that draw flame graphs.

        Raises:
            ValueError: the metric is none of supported_export_stacks_metrics().
        """
        if metric not in _STACK_METRICS:
            raise ValueError("metric should be one of: " + str(_STACK_METRICS))
        text = self._recorded().stacks() if metric == "self_cpu_time_total" else ""  # no other device took time
        Path(path).write_text(text, encoding="utf-8")


def _width(most: int | None) -> int:
    return -1 if most is None else max(most, 0)


def _row(event: FunctionEvent | FunctionEventAvg) -> tuple[Any, ...]:
    shapes = str(event.input_shapes) if event.input_shapes else ""
    return (
        event.key,
        event.self_cpu_time_total,
        event.cpu_time_total,
        event.count,
        event.cpu_memory_usage,
        event.self_cpu_memory_usage,
        shapes,
        event.stack,
        event.cpu_parent is None,
    )


def events_of(profile: _C._Profile, profile_memory: bool) -> EventList[FunctionEvent]:
    """The events of a recorded profile, each with those inside it."""
    told = profile.events()
    threads = profile.threads()
    events = [FunctionEvent(number, one, threads) for number, one in enumerate(told)]
    for event, one in zip(events, told, strict=True):
        parent, forward = one[3], one[8]
        if parent >= 0:
            event.cpu_parent = events[parent]
            events[parent].cpu_children.append(event)
        if forward >= 0:
            event.forward = events[forward]
            event.fwd_thread = events[forward].thread
    return EventList(events, profile_memory=profile_memory, profile=profile)
