"""Draws random programs for the `Machine`: each is the same whenever its seed is.

A program is drawn while it runs, so that most instructions fit the tensors that are there; some that fail are kept, as
the error is part of what is compared. A program whose results depend on the last digits of its leaves is drawn again.
"""

from __future__ import annotations

import random
import re
from typing import Any

from tests.golden.programs.draw import Draw, is_sound
from tests.golden.programs.machine import Machine, Program, flat

LARGEST = 30.0
"""No element may be larger, so that digits are not lost."""
MOST_ELEMENTS = 48
STEPS = (6, 24)
DTYPES = ["float64"] * 8 + ["float32", "complex128"]
TOLERANCES = {"float32": 2e-4, "float64": 1e-8, "complex128": 1e-8}
"""How far a sum may be off, in parts of what was added up."""
UNWANTED = re.compile(r"\b(nan|inf|INTERNAL ASSERT|ZeroTensors)\b")
"""In an answer: numbers that cannot be compared, and faults of PyTorch."""
TINY = 1e-3
"""Sums of this size and below are compared as if they were of it."""
KEPT_ERRORS = ("RuntimeError", "IndexError")


def program_of(torch: Any, seed: int) -> tuple[str, Program, Answer]:
    """The dtype, the program and the answer of a seed."""
    attempt = 0
    while True:
        rng = random.Random(f"{seed} {attempt}")
        dtype = rng.choice(DTYPES)
        program = draw_program(torch, rng, dtype)
        if any("float32" in step for step in program):
            dtype = "float32"
        answer = answer_of(Machine(torch), program)
        moved = answer_of(Moved(torch, dtype), program)
        if agree(answer, moved, TOLERANCES[dtype] / 10) and not UNWANTED.search(repr(answer)):
            return dtype, program, answer
        attempt += 1


def draw_program(torch: Any, rng: random.Random, dtype: str) -> Program:
    program: Program = []
    for _ in range(rng.randint(1, 3)):
        shape = [rng.choice([1, 2, 2, 3, 3, 4]) for _ in range(rng.choice([0, 1, 1, 2, 2, 2, 3]))]
        program.append(["leaf", shape, rng.randrange(63), dtype])
    machine = replayed(torch, program)
    wanted = rng.randint(*STEPS)
    try:
        for _ in range(4 * wanted):
            if len(program) >= wanted:
                break
            draw = Draw(rng, machine, dtype)
            step = draw.instruction()
            if step is not None and ((machine.step(step) and is_tame(machine)) or is_kept(machine, rng)):
                program += [*draw.needed, step]
            else:
                machine.close()
                machine = replayed(torch, program)
        program.append(["backward", Draw(rng, machine, dtype).roots(), False, rng.random() < 0.5])
    finally:
        machine.close()
    return program


def replayed(torch: Any, program: Program) -> Machine:
    machine = Machine(torch)
    for step in program:
        machine.step(step)
    return machine


def is_kept(machine: Machine, rng: random.Random) -> bool:
    """Is the last instruction's failure one to compare?"""
    failed = bool(machine.log) and machine.log[-1][0] == "error" and is_tame(machine)
    return failed and machine.log[-1][1].startswith(KEPT_ERRORS) and rng.random() < 0.3


def is_tame(machine: Machine) -> bool:
    """Are all numbers of a size that keeps their digits?"""
    for t in machine.registers:
        if t is None or not is_sound(t):
            continue
        for one in (t, t.grad if t.is_leaf else None):
            if one is not None and one.numel():
                size = max(map(abs, flat(one)))
                if t.numel() > MOST_ELEMENTS or t.dim() > 4 or not size < LARGEST:
                    return False
    return True


# ---- answers ----

Answer = dict[str, Any]


def answer_of(machine: Machine, program: Program) -> Answer:
    machine.run(program)
    return {"log": machine.log, "registers": machine.state()}


class Moved(Machine):
    """Begins with leaves that are off in the last digits."""

    def __init__(self, torch: Any, dtype: str) -> None:
        super().__init__(torch)
        self.amount = 1e-6 if dtype == "float32" else 1e-12

    def pattern(self, shape: list[int], seed: int, dtype: str) -> Any:
        return super().pattern(shape, seed, dtype) * (1 + self.amount)


def agree(stored: Any, found: Any, tolerance: float) -> bool:
    """Are two answers equal but for the last digits? A pair of floats is a sum and the size of what was added up."""
    if isinstance(found, tuple):
        expected = stored[0] if isinstance(stored, (tuple, list)) else stored
        return isinstance(expected, float) and abs(expected - found[0]) <= tolerance * (found[1] + TINY)
    if isinstance(found, list):
        return (
            isinstance(stored, list)
            and len(stored) == len(found)
            and all(agree(a, b, tolerance) for a, b in zip(stored, found, strict=True))
        )
    if isinstance(found, dict):
        return stored.keys() == found.keys() and all(agree(stored[key], found[key], tolerance) for key in found)
    return bool(stored == found)
