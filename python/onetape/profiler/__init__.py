"""Where a program's time and memory go: each operator, forward and backward, with shapes and calls where wanted."""

from onetape.autograd.profiler import record_function
from onetape.profiler._profile import ProfilerActivity, profile, supported_activities
from onetape.profiler._schedule import ProfilerAction, schedule, tensorboard_trace_handler

__all__ = [
    "ProfilerAction",
    "ProfilerActivity",
    "profile",
    "record_function",
    "schedule",
    "supported_activities",
    "tensorboard_trace_handler",
]
