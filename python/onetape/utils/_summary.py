"""A table of a model: its modules with the shapes they give, their parameters and their memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import onetape._C as _C
from onetape._C import Tensor
from onetape._tree import leaves
from onetape.autograd import no_grad
from onetape.nn import Module

__all__ = ["Row", "Summary", "summary"]

_UNKNOWN = "–"


@dataclass(frozen=True)
class Row:
    """A module: its path, class and depth, the shapes it gave, its own parameters, the bytes of what it gave."""

    path: str
    kind: str
    depth: int
    shapes: tuple[tuple[int, ...], ...] | None
    parameters: int
    output_bytes: int
    leaf: bool


@dataclass(frozen=True)
class Summary:
    """What summary() gives: rows, and sums over the model. Its text is the table.

    output_bytes: of the modules without parts, which is about what a forward pass keeps for a backward pass
    """

    rows: tuple[Row, ...]
    total_params: int
    trainable_params: int
    param_bytes: int
    output_bytes: int

    def __str__(self) -> str:
        lines = [("Module", "Output shape", "Parameters", "Output memory")]
        for row in self.rows:
            name = row.path.rpartition(".")[2]
            label = "  " * row.depth + (f"{name}: {row.kind}" if name else row.kind)
            known = row.shapes is not None
            shapes = ", ".join(str(list(shape)) for shape in row.shapes or ()) if known else _UNKNOWN
            memory = _bytes(row.output_bytes) if known else _UNKNOWN
            lines.append((label, shapes, f"{row.parameters:,}", memory))
        widths = [max(len(line[i]) for line in lines) for i in range(4)]
        table = [
            f"{a:<{widths[0]}}  {b:<{widths[1]}}  {c:>{widths[2]}}  {d:>{widths[3]}}".rstrip() for a, b, c, d in lines
        ]
        rule = "-" * max(len(line) for line in table)
        fixed = self.total_params - self.trainable_params
        return "\n".join(
            [
                table[0],
                rule,
                *table[1:],
                rule,
                f"Parameters: {self.total_params:,} ({_bytes(self.param_bytes)}), {fixed:,} of them fixed",
                f"Outputs: {_bytes(self.output_bytes)}",
            ]
        )


def _bytes(count: int) -> str:
    units = ["B", "KiB", "MiB", "GiB"]
    power = min((max(count, 1).bit_length() - 1) // 10, len(units) - 1)
    return f"{count / 1024**power:.1f} {units[power]}" if power else f"{count} B"


@contextmanager
def _trial(model: Module) -> Iterator[None]:
    """Calls inside leave the model as it was: no gradients, no statistics, no random numbers."""
    modes = [(module, module.training) for module in model.modules()]
    state = _C.default_generator.get_state()
    model.eval()
    try:
        with no_grad():
            yield
    finally:
        _C.default_generator.set_state(state)
        for module, training in modes:
            module.training = training


def _inputs(given: tuple[Any, ...]) -> tuple[Any, ...]:
    """Tuples and lists of integers are shapes, of which zeros are made."""
    made = []
    for value in given:
        is_shape = isinstance(value, (tuple, list)) and value and all(type(size) is int for size in value)
        made.append(_C.zeros(tuple(value)) if is_shape else value)
    return tuple(made)


def summary(model: Module, *inputs: Any) -> Summary:
    """Calls a model once, as in eval mode, and tells what its modules gave.

    inputs: what the model is called with; a tuple of integers stands for zeros of this shape. Without any the model is
        not called, and shapes are unknown.

    Modules stand in the order of their definition; one that is called several times shows its last call.
    """
    given: dict[Module, list[Tensor]] = {}

    def note(module: Module, arguments: Any, output: Any) -> None:
        given[module] = [value for value in leaves(output) if isinstance(value, Tensor)]

    if inputs:
        hooks = [module.register_forward_hook(note) for module in model.modules()]
        try:
            with _trial(model):
                model(*_inputs(inputs))
        finally:
            for hook in hooks:
                hook.remove()

    rows = []
    for path, module in model.named_modules():
        outputs = given.get(module)
        rows.append(
            Row(
                path,
                type(module).__name__,
                path.count(".") + 1 if path else 0,
                None if outputs is None else tuple(tuple(output.shape) for output in outputs),
                sum(parameter.numel() for parameter in module.parameters(recurse=False)),
                sum(output.nbytes for output in outputs or ()),
                next(module.children(), None) is None,
            )
        )
    parameters = list(model.parameters())
    return Summary(
        tuple(rows),
        sum(parameter.numel() for parameter in parameters),
        sum(parameter.numel() for parameter in parameters if parameter.requires_grad),
        sum(parameter.nbytes for parameter in parameters),
        sum(row.output_bytes for row in rows if row.leaf),
    )
