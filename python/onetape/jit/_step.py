"""A training step as one tape."""

from __future__ import annotations

from collections.abc import Callable

from onetape import _C
from onetape._C import Tape, Tensor
from onetape.autograd import enable_grad
from onetape.jit._tracing import recording
from onetape.optim.optimizer import NativeOptimizer, has_global_hooks

__all__ = ["CompiledStep", "compile_step"]


class CompiledStep:
    """Forward pass, backward pass and optimizer step as one tape. Called with a batch, it returns the loss.

    The first call of all runs as ever, since the optimizer makes its state in it; the first call with a batch of a new
    form is recorded, too.
    """

    def __init__(self, loss: Callable[..., Tensor], optimizer: NativeOptimizer, reorder_sums: bool = False) -> None:
        if not isinstance(optimizer, NativeOptimizer):
            raise TypeError(f"compile_step takes an optimizer with a native step, not {type(optimizer).__name__}")
        self._loss = loss
        self._optimizer = optimizer
        self._reorder_sums = reorder_sums
        self._tapes: list[Tape] = []
        self._groups: list[tuple[list[Tensor], int]] = []
        self._began = False

    @property
    def tapes(self) -> list[Tape]:
        """The tapes made so far, one for each form of batches."""
        return list(self._tapes)

    def _check_hooks(self) -> None:
        optimizer = self._optimizer
        if has_global_hooks() or optimizer._optimizer_step_pre_hooks or optimizer._optimizer_step_post_hooks:
            raise RuntimeError(
                "Tape: an optimizer with step hooks cannot be recorded, since a tape would not call them"
            )

    def _run(self, batch: tuple[Tensor, ...]) -> Tensor:
        with enable_grad():
            loss = self._loss(*batch)
            if not isinstance(loss, Tensor):
                raise TypeError(f"the loss must be a Tensor, not {type(loss).__name__}")
            loss.backward()
        self._optimizer.step()
        return loss.detach()

    def _record(self, batch: tuple[Tensor, ...]) -> Tensor:
        self._check_hooks()
        self._optimizer.zero_grad()
        if not self._began:
            self._began = True
            return self._run(batch)
        with recording(batch):
            loss = self._run(batch)
        tape = _C._tape_finish([loss], True)
        self._tapes.append(tape.reordered() if self._reorder_sums else tape)
        self._groups = [(group["params"], len(group["params"])) for group in self._optimizer.param_groups]
        return loss

    def _same_groups(self) -> bool:
        groups = self._optimizer.param_groups
        return len(groups) == len(self._groups) and all(
            group["params"] is known and len(known) == count
            for group, (known, count) in zip(groups, self._groups, strict=True)
        )

    def __call__(self, *batch: Tensor) -> Tensor:
        """One step. Tensors in, the loss out, which needs no gradient; raises what the loss function raises."""
        for each in batch:
            if not isinstance(each, Tensor):
                raise TypeError(f"a compiled step takes tensors, not {type(each).__name__}")
        optimizer = self._optimizer
        if self._tapes and not self._same_groups():
            self._tapes.clear()
            self._began = False
        with enable_grad():
            for tape in self._tapes:
                if tape.mismatch(*batch) is None:
                    self._check_hooks()
                    numbers = [_C._optimizer_numbers(optimizer._table, group) for group in optimizer.param_groups]
                    optimizer._steps += 1
                    return _C._tape_step(tape, batch, numbers)
        return self._record(batch)


def compile_step(loss: Callable[..., Tensor], optimizer: NativeOptimizer, reorder_sums: bool = False) -> CompiledStep:
    """A function step(*batch) that computes loss(*batch), its gradients, and changes the parameters, from a tape.

    It clears the gradients before each step, and gives what ``optimizer.zero_grad(); l = loss(*batch); l.backward();
    optimizer.step()`` give, bit for bit. Learning rates, and the other numbers of the groups, may change between steps.
    What the loss function does otherwise than with tensors, such as printing or choosing, it does while it is recorded
    only. reorder_sums: a step may add numbers in another order than the operators do. Raises TypeError for an optimizer
    without a native step, such as LBFGS.
    """
    return CompiledStep(loss, optimizer, reorder_sums)
