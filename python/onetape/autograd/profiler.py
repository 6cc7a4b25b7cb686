"""Profiles one stretch of a program, and names parts of it; ``onetape.profiler`` does more."""

from __future__ import annotations

import gzip
import os
import sys
from contextlib import ContextDecorator
from pathlib import Path
from types import TracebackType

from onetape import _C
from onetape.autograd.profiler_util import EventList, FunctionEvent, FunctionEventAvg, events_of

__all__ = ["profile", "record_function"]


class record_function(ContextDecorator):
    """Names a block, or a function as its decorator, in the profiles that are recorded meanwhile.

    Where nobody profiles the thread it does nothing.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._spans: list[tuple[int, int] | None] = []

    def _recreate_cm(self) -> record_function:
        return record_function(self.name)  # a decorated function may call itself

    def __enter__(self) -> record_function:
        if not isinstance(self.name, str):
            raise RuntimeError(
                "profiler::_record_function_enter_new() Expected a value of type 'str' for argument 'name' but instead "
                f"found type '{type(self.name).__name__}'."
            )
        self._spans.append(_C._profiler_open(self.name))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._spans:
            raise AssertionError("Expected record to be set")
        span = self._spans.pop()
        if span is not None:
            _C._profiler_close(*span)


def _program_folders() -> list[str]:
    """Where modules are found: files below are named from there."""
    folders = {os.path.abspath(folder).rstrip(os.sep) + os.sep for folder in sys.path if isinstance(folder, str)}
    return sorted(folders, key=len, reverse=True)


class profile:
    """Profiles the operators that this thread runs in a ``with`` block, forward and backward.

    Args:
        enabled: nothing happens without it.
        record_shapes: notes the shapes of what operators are given.
        profile_memory: notes the memory of elements that is taken and given back.
        with_stack: notes the calls that each operator was called in, Python's and Java's.

    Raises:
        RuntimeError: another profile is being recorded.
    """

    def __init__(
        self,
        enabled: bool = True,
        *,
        use_device: str | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        use_kineto: bool = False,
        use_cpu: bool = True,
    ) -> None:
        if not use_cpu:
            raise AssertionError("Device-only events supported only with Kineto (use_kineto=True)")
        self.enabled = enabled
        self.use_device = use_device
        self.record_shapes = record_shapes
        self.profile_memory = profile_memory
        self.with_stack = with_stack
        self.entered = False
        self._recorded: _C._Profile | None = None
        self._events: EventList[FunctionEvent] | None = None

    def __enter__(self) -> profile:
        if not self.enabled:
            return self
        if self.entered:
            raise RuntimeError("Profiler context manager is not reentrant")
        folders = _program_folders() if self.with_stack else []
        _C._profiler_start(self.record_shapes, self.profile_memory, self.with_stack, folders)
        self.entered = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.enabled:
            self._recorded = _C._profiler_stop()
            self._events = None

    def _finished(self) -> _C._Profile:
        if self._recorded is None:
            raise RuntimeError("Profiler didn't finish running")
        return self._recorded

    @property
    def function_events(self) -> EventList[FunctionEvent]:
        """Each event, in the order in which they began."""
        if self._events is None:
            self._events = events_of(self._finished(), self.profile_memory)
        return self._events

    def __repr__(self) -> str:
        return "<unfinished torch.autograd.profile>" if self._recorded is None else repr(self.function_events)

    def __str__(self) -> str:
        return "<unfinished torch.autograd.profile>" if self._recorded is None else str(self.function_events)

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_src_column_width: int | None = 75,
        max_name_column_width: int | None = 55,
        max_shapes_column_width: int | None = 80,
        header: str | None = None,
        top_level_events_only: bool = False,
    ) -> str:
        """The events as a table; see EventList.table()."""
        return self.function_events.table(
            sort_by,
            row_limit,
            max_src_column_width,
            max_name_column_width,
            max_shapes_column_width,
            header,
            top_level_events_only,
        )

    def key_averages(
        self, group_by_input_shape: bool = False, group_by_stack_n: int = 0
    ) -> EventList[FunctionEventAvg]:
        """What the events come to by name, and by the shapes of inputs or the innermost calls if asked for."""
        return self.function_events.key_averages(group_by_input_shape, group_by_stack_n)

    def total_average(self) -> FunctionEventAvg:
        """What all come to."""
        return self.function_events.total_average()

    @property
    def self_cpu_time_total(self) -> float:
        """Microseconds spent in events."""
        return self.function_events.self_cpu_time_total

    def export_chrome_trace(self, path: str | os.PathLike[str], metadata: str = "") -> None:
        """Writes a trace for Perfetto and chrome://tracing, compressed if the name ends with ``.gz``."""
        text = self._finished().chrome_trace(metadata).encode()
        name = os.fspath(path)
        Path(name).write_bytes(gzip.compress(text) if name.endswith(".gz") else text)

    def export_stacks(self, path: str | os.PathLike[str], metric: str = "self_cpu_time_total") -> None:
        """Writes a line for each event with its calls, for programs that draw flame graphs.

        Raises:
            AssertionError: calls were not noted.
            ValueError: the metric is none of EventList.supported_export_stacks_metrics().
        """
        if not self.with_stack:
            raise AssertionError("export_stacks() requires with_stack=True")
        self.function_events.export_stacks(path, metric)

    def export_flame_graph(self, path: str | os.PathLike[str], title: str = "Flame graph") -> None:
        """Writes a page that shows where the time went, and needs nothing else."""
        Path(path).write_text(self._finished().flame_page(title), encoding="utf-8")

    def export_memory_timeline(self, path: str | os.PathLike[str], title: str = "Memory of elements") -> None:
        """Writes how much memory elements took over time: .svg, .html, .json or .json.gz by the name's end.

        Raises:
            ValueError: memory was not noted, or the name ends otherwise.
        """
        if not self.profile_memory:
            raise ValueError("profile_memory=True required for memory profiling.")
        name = os.fspath(path)
        recorded = self._finished()
        if name.endswith(".svg"):
            text = recorded.memory_svg(title)
        elif name.endswith(".html"):
            text = f"<!DOCTYPE html>\n<meta charset=utf-8>\n{recorded.memory_svg(title)}"
        elif name.endswith((".json", ".json.gz")):
            text = recorded.memory_json()
        else:
            raise ValueError(f"a memory timeline is saved as .svg, .html, .json or .json.gz, not as {name!r}")
        data = text.encode()
        Path(name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
