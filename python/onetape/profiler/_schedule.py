"""When to profile which steps of a training, and where the traces go."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from onetape.profiler._profile import profile

__all__ = ["ProfilerAction", "schedule", "tensorboard_trace_handler"]


class ProfilerAction(Enum):
    """What a profiler does during a step."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


def schedule(
    *, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0, skip_first_wait: int = 0
) -> Callable[[int], ProfilerAction]:
    """What ``profile(schedule=…)`` asks at each step.

    The first ``skip_first`` steps are left out; then, ``repeat`` times or (0) for ever, ``wait`` steps are left out,
    ``warmup`` steps run as if they were profiled, and ``active`` steps are. With ``skip_first_wait`` other than 0 the
    first round does not wait.
    """

    def action(step: int) -> ProfilerAction:
        if step < 0:
            raise AssertionError(f"Step must be non-negative. Got {step}.")
        if step < skip_first:
            return ProfilerAction.NONE
        step -= skip_first
        if skip_first_wait != 0:
            step += wait
        whole = wait + warmup + active
        if repeat > 0 and step >= repeat * whole:
            return ProfilerAction.NONE
        place = step % whole
        if place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if place < whole - 1 else ProfilerAction.RECORD_AND_SAVE

    if wait < 0 or warmup < 0 or active <= 0 or repeat < 0 or skip_first < 0:
        raise AssertionError(
            f"Invalid profiler schedule arguments. Got wait={wait} (need >= 0), warmup={warmup} (need >= 0), "
            f"active={active} (need > 0), repeat={repeat} (need >= 0), skip_first={skip_first} (need >= 0)."
        )
    if warmup == 0:
        import warnings

        warnings.warn("Profiler won't be using warmup, this can skew profiler results", stacklevel=2)
    return action


def tensorboard_trace_handler(
    dir_name: str | os.PathLike[str], worker_name: str | None = None, use_gzip: bool = False
) -> Callable[[profile], None]:
    """What ``profile(on_trace_ready=…)`` calls to leave each trace in a folder of TensorBoard's.

    The files are named as its profiler plugin looks for them, ``worker.time.pt.trace.json``, and open in Perfetto.

    Raises:
        RuntimeError: the folder cannot be made.
    """

    def save(finished: profile) -> None:
        folder = os.fspath(dir_name)
        if not os.path.isdir(folder):
            try:
                os.makedirs(folder, exist_ok=True)
            except Exception as error:
                raise RuntimeError("Can't create directory: " + folder) from error
        worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        # In nanoseconds, so that traces of short steps do not take each other's place.
        name = f"{worker}.{time.time_ns()}.pt.trace.json" + (".gz" if use_gzip else "")
        finished.export_chrome_trace(os.path.join(folder, name))

    return save
