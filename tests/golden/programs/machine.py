"""Runs a program of instructions with PyTorch or with this library, and notes what PyTorch and it must agree on.

An instruction is a list: a name and its arguments, in which ``"$3"`` is the fourth register. Registers hold tensors; an
instruction puts its results into the next ones, a change in place none. Java's `Machine` reads the same programs.

    leaf, shape, seed, dtype           a tensor of fixed elements that requires a gradient; const: one that does not
    ints, shape, values                an integer tensor; bools: a boolean one
    mode, on                           gradients are recorded from here on, or not
    packing, on                        what is saved for backward goes through copies from here on, or not
    slice, $t, dim, start, end, step   a view
    function, $t                       a custom function; checkpoint: a checkpointed part
    scale, $t, factor                  a hook that notes the gradient and multiplies it; watch: one that notes it
    accumulated, $t                    a hook for after the accumulation
    node, $t                           a hook on the node of a tensor
    backward, [$t…], create, retain    gives gradients to the leaves
    grad, [$t…], [$t…], create, retain puts gradients into registers, none where there is none
    forget, $t                         removes the gradient of a leaf
    cat, stack, where                  functions; any other name is a method of the first argument
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tests.golden.autograd.record import text_of
from tests.golden.store import cotangent

Program = list[list[Any]]


def flat(tensor: Any) -> list[float]:
    """The elements in row-major order, complex ones as two numbers."""
    if hasattr(tensor, "_is_zerotensor") and tensor._is_zerotensor():  # PyTorch's zeros without memory
        return [0.0] * tensor.numel() * (2 if tensor.is_complex() else 1)
    plain = tensor.detach().reshape(-1).tolist() if tensor.numel() else []
    if tensor.is_complex():
        return [part for value in plain for part in (value.real, value.imag)]
    return [float(value) for value in plain]


def checksum(values: list[float]) -> tuple[float, float]:
    """The sum of the elements weighed by their places, which shows an error of one element or a swap of two; and the
    size of what was added up."""
    weighed = [value * (1 + (37 * k + 11) % 61 / 61) for k, value in enumerate(values)]
    return math.fsum(weighed), math.fsum(map(abs, weighed))


class Machine:
    def __init__(self, torch: Any) -> None:
        self.torch = torch
        self.registers: list[Any] = []
        self.log: list[list[Any]] = []
        """What happened on the way: hooks and errors, in their order."""
        self.special: dict[str, Callable[..., Any]] = {
            name.removeprefix("do_"): getattr(self, name) for name in dir(self) if name.startswith("do_")
        }
        self.hooks: Any = None
        self.square = square_function(torch)

    def step(self, instruction: list[Any]) -> bool:
        """Runs one instruction; says whether it succeeded."""
        name, *args = instruction
        try:
            values = [self.value(arg) for arg in args]
            result = self.special[name](*values) if name in self.special else getattr(values[0], name)(*values[1:])
        except Exception as error:  # whatever it is, it is noted
            self.log.append(["error", text_of(error)])
            return False
        if not name.endswith("_"):
            self.put(result)
        return True

    def put(self, result: Any) -> None:
        if result is None or isinstance(result, self.torch.Tensor):
            self.registers += [] if result is None else [result]
        else:
            self.registers += result

    def value(self, arg: Any) -> Any:
        if isinstance(arg, str) and arg.startswith("$"):
            return self.registers[int(arg[1:])]
        return [self.value(item) for item in arg] if isinstance(arg, list) else arg

    def run(self, program: Program) -> None:
        try:
            for instruction in program:
                self.step(instruction)
        finally:
            self.close()

    def close(self) -> None:
        """Restores the modes."""
        self.torch.set_grad_enabled(True)
        self.do_packing(False)

    def note(self, what: str, tensor: Any) -> None:
        self.log.append([what, None if tensor is None else [list(tensor.shape), checksum(flat(tensor))]])

    # ---- instructions ----

    def pattern(self, shape: list[int], seed: int, dtype: str) -> Any:
        elements = cotangent(tuple(shape), dtype, seed)
        return self.torch.tensor(elements.tolist(), dtype=getattr(self.torch, dtype)).reshape(shape).clone()

    def do_leaf(self, shape: list[int], seed: int, dtype: str) -> Any:
        return self.pattern(shape, seed, dtype).requires_grad_()

    def do_const(self, shape: list[int], seed: int, dtype: str) -> Any:
        return self.pattern(shape, seed, dtype)

    def do_ints(self, shape: list[int], values: list[int]) -> Any:
        return self.torch.tensor(values, dtype=self.torch.int64).reshape(shape)

    def do_bools(self, shape: list[int], values: list[int]) -> Any:
        return self.torch.tensor(values, dtype=self.torch.bool).reshape(shape)

    def do_mode(self, on: bool) -> None:
        self.torch.set_grad_enabled(on)

    def do_packing(self, on: bool) -> None:
        if on and self.hooks is None:
            self.hooks = self.torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t)
            self.hooks.__enter__()
        elif not on and self.hooks is not None:
            self.hooks.__exit__(None, None, None)
            self.hooks = None

    def do_to(self, tensor: Any, dtype: str) -> Any:
        return tensor.to(getattr(self.torch, dtype))

    def do_slice(self, tensor: Any, dim: int, start: int, end: int, step: int) -> Any:
        return tensor[(slice(None),) * dim + (slice(start, end, step),)]

    def do_index(self, tensor: Any, *indices: Any) -> Any:
        return tensor[tuple(indices)]

    def do_data(self, tensor: Any) -> Any:
        return tensor.data

    def do_cat(self, tensors: list[Any], dim: int) -> Any:
        return self.torch.cat(tensors, dim)

    def do_stack(self, tensors: list[Any], dim: int) -> Any:
        return self.torch.stack(tensors, dim)

    def do_where(self, condition: Any, a: Any, b: Any) -> Any:
        return self.torch.where(condition, a, b)

    def do_function(self, tensor: Any) -> Any:
        return self.square.apply(tensor)

    def do_checkpoint(self, tensor: Any) -> Any:
        return self.torch.utils.checkpoint.checkpoint(lambda t: (t.sin() * t).tanh(), tensor, use_reentrant=False)

    def do_scale(self, tensor: Any, factor: float) -> None:
        number = len(self.log)

        def hook(gradient: Any) -> Any:
            self.note(f"scale {number}", gradient)
            return None if gradient is None else gradient * factor

        tensor.register_hook(hook)
        self.log.append(["hook"])

    def do_watch(self, tensor: Any) -> None:
        number = len(self.log)
        tensor.register_hook(lambda gradient: self.note(f"watch {number}", gradient))
        self.log.append(["hook"])

    def do_accumulated(self, tensor: Any) -> None:
        number = len(self.log)
        tensor.register_post_accumulate_grad_hook(lambda leaf: self.note(f"accumulated {number}", leaf.grad))
        self.log.append(["hook"])

    def do_node(self, tensor: Any) -> None:
        number = len(self.log)

        def hook(inputs: Any, outputs: Any) -> None:
            # Only the outputs, since broadcasting is a node of its own here.
            for gradient in outputs:
                self.note(f"node {number}", gradient)

        if tensor.grad_fn is not None:
            tensor.grad_fn.register_hook(hook)
        self.log.append(["hook"])

    def cotangents(self, roots: list[Any]) -> list[Any]:
        return [self.pattern(list(t.shape), place + 3, str(t.dtype).split(".")[-1]) for place, t in enumerate(roots)]

    def do_backward(self, roots: list[Any], create: bool, retain: bool) -> None:
        self.torch.autograd.backward(roots, self.cotangents(roots), retain_graph=retain, create_graph=create)

    def do_grad(self, roots: list[Any], inputs: list[Any], create: bool, retain: bool) -> Any:
        found = self.torch.autograd.grad(
            roots, inputs, self.cotangents(roots), retain_graph=retain, create_graph=create, allow_unused=True
        )
        # Copies, since it is nobody's business which memory and version a gradient has.
        return [None if gradient is None else gradient.clone() for gradient in found]

    def do_forget(self, tensor: Any) -> None:
        tensor.grad = None

    # ---- what is there in the end ----

    def state(self) -> list[list[Any]]:
        """Of each register: shape and dtype, checksum, node, version, what kind of tensor it is, its gradient."""
        found: list[list[Any]] = []
        for tensor in self.registers:
            try:
                found.append([] if tensor is None else self.state_of(tensor))
            except RuntimeError as error:  # a view that lost its history
                found.append([text_of(error)])
        return found

    def state_of(self, tensor: Any) -> list[Any]:
        node = tensor.grad_fn
        name = None if node is None else node.name().split("::")[-1]
        kind = f"{'r' * tensor.requires_grad}{'l' * tensor.is_leaf}{'v' * tensor._is_view()}"
        gradient = tensor.grad if tensor.is_leaf or tensor.retains_grad else None
        form = f"{str(tensor.dtype).split('.')[-1]} {list(tensor.shape)}"
        values = [checksum(flat(t)) if t is not None else None for t in (tensor, gradient)]
        return [form, values[0], name, tensor._version, kind, values[1]]


def square_function(torch: Any) -> Any:
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            (x,) = ctx.saved_tensors
            return gradient * x * 2

    return Square
