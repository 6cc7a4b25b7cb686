"""Tapes: record once which operators a function calls, then run them without Python."""

from __future__ import annotations

from onetape._C import Tape
from onetape.jit._step import CompiledStep, compile_step
from onetape.jit._tracing import (
    Traced,
    TracedModule,
    export,
    ignore,
    is_scripting,
    is_tracing,
    load,
    record,
    save,
    script,
    trace,
    unused,
)

__all__ = [
    "CompiledStep",
    "Tape",
    "Traced",
    "TracedModule",
    "compile_step",
    "export",
    "ignore",
    "is_scripting",
    "is_tracing",
    "load",
    "record",
    "save",
    "script",
    "trace",
    "unused",
]
