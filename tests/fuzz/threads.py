"""Eight threads use, differentiate, change, hook and drop the same tensors, one seed a case.

``python -m tests.fuzz.threads FIRST COUNT PROGRESS`` runs cases as `tests.fuzz.child` does; what the calls raise does
not matter. The instructions are those of the random programs (tests/golden/programs), with hooks and custom functions
that throw, return something else or drop what they were given.
"""

from __future__ import annotations

import faulthandler
import gc
import os
import random
import sys
import threading
import warnings
from collections.abc import Callable
from typing import Any

import onetape as torch
from tests.golden.programs.draw import Draw
from tests.golden.programs.machine import Machine

THREADS = 8
TURNS = 12
STEPS = 6
LARGEST = 50_000
"""Elements, more than which would slow everything down."""
SHOW = "--show" in sys.argv
DTYPES = ["float64", "float64", "float32", "complex128"]


def answers(rng: random.Random, given: Any) -> Any:
    """What a function of a program may return, also such as do not know what to return."""
    makers: list[Callable[[], Any]] = [
        lambda: given,
        lambda: None,
        lambda: torch.ones(7, 5),
        lambda: torch.ones(2, dtype=torch.int64),
        lambda: given.to(torch.float32),
        lambda: given.mul_(2),
        lambda: (given, given),
        lambda: "no tensor",
        lambda: 1 / 0,
        lambda: given.sum().backward(),
        lambda: given.t_() if hasattr(given, "t_") else given.unsqueeze(0),
    ]
    return rng.choice(makers)()


def function_of(rng: random.Random) -> Any:
    """A custom function whose parts do anything."""

    class Anything(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            if rng.random() < 0.7:
                ctx.save_for_backward(*rng.choice([(x, y), (x,), (None, y), ()]))
            if rng.random() < 0.2:
                ctx.mark_dirty(rng.choice([x, y]))
            if rng.random() < 0.2:
                ctx.mark_non_differentiable(x)
            ctx.set_materialize_grads(rng.random() < 0.5)
            return rng.choice([x * 2, x, (x, y), x.mul_(2), answers(rng, x)])

        @staticmethod
        def backward(ctx: Any, *gradients: Any) -> Any:
            kept = ctx.saved_tensors if rng.random() < 0.8 else ()
            gradient = gradients[0]
            return rng.choice([(gradient, None), gradient, (None, None), (*kept, None), answers(rng, gradient)])

    return Anything


class Worker:
    """One thread; what it makes goes into the pool that all share."""

    def __init__(self, seed: int, number: int, pool: list[Any]) -> None:
        self.rng = random.Random(f"{seed} {number}")
        self.pool = pool
        self.handles: list[Any] = []

    def run(self) -> None:
        for _ in range(TURNS):
            self.guarded(self.turn)

    def guarded(self, action: Callable[[], Any]) -> None:
        try:
            action()
        except SystemError:  # the library broke a rule of the interpreter
            os._exit(3)
        except Exception as error:
            if SHOW:
                print("  raised", type(error).__name__, str(error)[:100], flush=True)

    def turn(self) -> None:
        machine = Machine(torch)
        machine.registers = self.rng.sample(self.pool, min(len(self.pool), 6))
        try:
            for _ in range(STEPS):
                self.guarded(lambda: self.step(machine))
                for place, tensor in enumerate(machine.registers):
                    if tensor is None or tensor.numel() > LARGEST:
                        machine.registers[place] = fresh(self.rng)
        finally:
            machine.close()
        for tensor in machine.registers[6:]:
            self.pool[self.rng.randrange(len(self.pool))] = tensor

    def step(self, machine: Machine) -> None:
        r = self.rng.random()
        tensor = self.rng.choice(machine.registers)
        if r < 0.1:
            self.reshape(tensor, self.rng.choice(machine.registers))
        elif r < 0.6:
            draw = Draw(self.rng, machine, self.rng.choice(DTYPES))
            instruction = draw.instruction()
            if instruction is not None:
                machine.step(instruction)
        elif r < 0.75:
            self.hook(tensor)
        elif r < 0.85:
            machine.put(function_of(self.rng).apply(tensor, self.rng.choice(machine.registers)))
        else:
            self.other(tensor)

    def reshape(self, tensor: Any, other: Any) -> None:
        """Another shape or other memory for a tensor that the other threads use, too."""
        rng = self.rng
        sizes = [rng.choice([0, 1, 2, 3]) for _ in range(rng.choice([1, 1, 2, 3, 6]))]
        if rng.random() < 0.1:
            sizes = [200, 200]
        actions: list[Callable[[], Any]] = [
            lambda: tensor.t_(),
            lambda: tensor.transpose_(0, -1),
            lambda: tensor.squeeze_(),
            lambda: tensor.unsqueeze_(rng.choice([0, -1])),
            lambda: tensor.as_strided_([2, 2], [1, 1]),
            lambda: tensor.detach().resize_(sizes),
            lambda: tensor.resize_(sizes),
            lambda: tensor.resize_as_(other),
            lambda: tensor.set_(),
            lambda: tensor.set_(other.detach()),
            lambda: tensor.set_(other.detach(), rng.randrange(3), sizes),
            lambda: tensor.untyped_storage().resize_(rng.choice([0, 8, 100, 10_000])),
            lambda: setattr(tensor, "data", rng.choice([other.detach(), torch.rand(sizes, dtype=tensor.dtype)])),
            lambda: torch.add(other.detach(), other.detach(), out=tensor.detach().set_()),
            lambda: torch.mul(other.detach(), 2, out=tensor),
            lambda: tensor.detach().numpy().resize((3,), refcheck=False),
        ]
        rng.choice(actions)()

    def hook(self, tensor: Any) -> None:
        rng = self.rng
        kind = rng.randrange(5)
        if kind == 0:
            self.handles.append(tensor.register_hook(lambda gradient: answers(rng, gradient)))
        elif kind == 1:
            self.handles.append(tensor.register_post_accumulate_grad_hook(lambda leaf: answers(rng, leaf.grad)))
        elif kind == 2 and tensor.grad_fn is not None:
            self.handles.append(tensor.grad_fn.register_hook(lambda inputs, outputs: answers(rng, inputs)))
        elif kind == 3 and tensor.grad_fn is not None:
            self.handles.append(tensor.grad_fn.register_prehook(lambda outputs: answers(rng, outputs)))
        elif self.handles:
            rng.choice(self.handles).remove()

    def other(self, tensor: Any) -> None:
        rng = self.rng
        actions: list[Callable[[], Any]] = [
            lambda: gc.collect(rng.randrange(2)),
            self.handles.clear,
            lambda: self.pool.__setitem__(rng.randrange(len(self.pool)), fresh(rng)),
            lambda: repr(tensor),
            lambda: tensor.numpy(force=True).sum(),
            lambda: setattr(tensor, "grad", rng.choice([None, tensor.detach(), torch.ones(3)])),
            lambda: tensor.grad.mul_(2),
            lambda: [node for node, _ in tensor.grad_fn.next_functions],
            lambda: tensor.grad_fn._saved_self,
            lambda: torch.graph.to_dot(tensor) if hasattr(torch.graph, "to_dot") else None,
            lambda: tensor.requires_grad_(rng.random() < 0.5),
            lambda: tensor.detach_(),
            lambda: tensor.sum().backward(retain_graph=rng.random() < 0.5),
            lambda: torch.autograd.functional.jacobian(lambda t: t.sin(), tensor.detach().reshape(-1)[:4]),
        ]
        rng.choice(actions)()


def fresh(rng: random.Random) -> Any:
    shape = [rng.choice([1, 2, 3]) for _ in range(rng.choice([0, 1, 2, 2, 3]))]
    tensor = torch.rand(shape, dtype=torch.float64, requires_grad=rng.random() < 0.7)
    return tensor * 1 if rng.random() < 0.4 else tensor


def run(seed: int) -> None:
    rng = random.Random(seed)
    pool = [fresh(rng) for _ in range(16)]
    pool.append(
        torch.rand(200, 200, dtype=torch.float64, requires_grad=True).exp()
    )  # the interpreter's lock is given up
    workers = [Worker(seed, number, pool) for number in range(THREADS if rng.random() < 0.8 else 1)]
    threads = [threading.Thread(target=worker.run, daemon=True) for worker in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def main() -> None:
    faulthandler.enable()
    warnings.simplefilter("ignore")
    sys.setswitchinterval(1e-5)
    first, count, progress = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    at = os.open(progress, os.O_WRONLY | os.O_CREAT) if progress != "-" else None
    for seed in range(first, first + count):
        if at is not None:
            os.pwrite(at, b"%20d" % seed, 0)
        run(seed)
    if at is not None:
        os.pwrite(at, b"%20d" % -1, 0)


if __name__ == "__main__":
    main()
