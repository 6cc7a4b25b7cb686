"""Random programs without kinks, whose gradients finite differences can check.

They have no backward passes; gradients inside them (``grad``) are part of what is differentiated.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from typing import Any

from tests.golden.programs.draw import Draw, is_sound
from tests.golden.programs.generate import is_tame, replayed
from tests.golden.programs.machine import Machine, Program

KINKS = {"abs", "sign", "sgn", "floor", "trunc", "frac", "relu", "softsign", "nan_to_num", "lgamma", "sinc", "conj"}
KINKS |= {"maximum", "minimum", "fmax", "fmin", "max", "min", "amax", "amin", "median", "copysign", "remainder", "fmod"}
KINKS |= {
    "clamp",
    "clamp_",
    "sort",
    "topk",
    "cummax",
    "floor_",
    "abs_",
    "relu_",
    "copysign_",
    "norm",
    "hypot",
    "hypot_",
}
CUTS = {"detach", "data", "detach_", "mode", "requires_grad_", "to", "scale", "watch", "node", "accumulated"}
CUTS |= {"retain_grad", "backward", "packing"}
STEPS = (4, 12)


def program_of(torch: Any, seed: int) -> tuple[Program, list[str]]:
    """The program and its roots: registers that depend on a leaf."""
    attempt = 0
    while True:
        rng = random.Random(f"smooth {seed} {attempt}")
        program = draw_program(torch, rng, rng.choice(["float64", "float64", "float64", "complex128"]))
        roots = roots_of(torch, program)
        attempt += 1
        if not roots or any("float32" in step for step in program):
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                function, leaves = function_of(torch, program, roots)
                torch.autograd.gradcheck(function, leaves, fast_mode=True)
                torch.autograd.gradgradcheck(function, leaves, fast_mode=True)
        except (RuntimeError, NotImplementedError):  # such as a slope that is not finite
            continue
        return program, roots


def draw_program(torch: Any, rng: random.Random, dtype: str) -> Program:
    program: Program = []
    for _ in range(rng.randint(1, 2)):
        program.append(
            ["leaf", [rng.choice([1, 2, 3]) for _ in range(rng.choice([0, 1, 2]))], rng.randrange(63), dtype]
        )
    machine = replayed(torch, program)
    wanted = rng.randint(*STEPS)
    for _ in range(6 * wanted):
        if len(program) >= wanted:
            break
        draw = Draw(rng, machine, dtype)
        step = draw.instruction()
        if step is not None and is_smooth(step) and machine.step(step) and is_tame(machine):
            program += [*draw.needed, step]
        else:
            machine = replayed(torch, program)
    return program


def is_smooth(step: list[Any]) -> bool:
    if step[0] == "grad":
        step[3] = step[4] = True  # else it would be a constant
    return step[0] not in KINKS | CUTS


def roots_of(torch: Any, program: Program) -> list[str]:
    machine = Machine(torch)
    machine.run(program)
    found = [
        i
        for i, t in enumerate(machine.registers)
        if t is not None and is_sound(t) and t.requires_grad and not t.is_leaf
    ]
    return [f"${place}" for place in found[-2:]] if not machine.log else []


class Given(Machine):
    """Takes the leaves that it is given."""

    def __init__(self, torch: Any, leaves: tuple[Any, ...]) -> None:
        super().__init__(torch)
        self.leaves = list(leaves)

    def do_leaf(self, shape: list[int], seed: int, dtype: str) -> Any:
        return self.leaves.pop(0)


def function_of(torch: Any, program: Program, roots: list[str]) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """The program as a function of its leaves, and the leaves."""

    def function(*leaves: Any) -> Any:
        machine = Given(torch, leaves)
        machine.run(program)
        return tuple(machine.value(roots))

    fresh = Machine(torch)
    leaves = tuple(fresh.do_leaf(*step[1:]) for step in program if step[0] == "leaf")
    return function, leaves
