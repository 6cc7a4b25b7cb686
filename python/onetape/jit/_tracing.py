"""Recording functions and modules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from os import PathLike, fspath
from threading import local
from typing import IO, Any, NoReturn, TypeVar

from onetape import _C
from onetape._C import Tape, Tensor
from onetape._tree import Tree, flatten
from onetape.nn import Module

__all__ = [
    "Traced",
    "TracedModule",
    "export",
    "ignore",
    "is_scripting",
    "is_tracing",
    "load",
    "record",
    "recording",
    "save",
    "script",
    "trace",
    "unused",
]

_F = TypeVar("_F", bound=Callable[..., Any])
_CHANGES = ("error", "record")
_thread = local()


@contextmanager
def recording(inputs: Sequence[Tensor]) -> Iterator[None]:
    """A scope whose operators are recorded; one that fails gives the recording up."""
    _C._tape_begin(list(inputs))
    _thread.tracing = True
    try:
        yield
    except BaseException:
        _C._tape_abandon()
        raise
    finally:
        _thread.tracing = False


def _outputs(value: Any) -> tuple[list[Tensor], Tree]:
    """The tensors that a recorded function returned, and how they were put together."""
    flat, tree = flatten(value)
    for each in flat:
        if not isinstance(each, Tensor):
            raise TypeError(
                f"a recorded function must return tensors, or tuples, lists and dicts of them, not {each!r}"
            )
    return flat, tree


def _recorded(function: Callable[..., Any], inputs: Sequence[Tensor], args: Sequence[Any]) -> tuple[Tape, Any, Tree]:
    """The tape of function(*args), what it returned, and the structure of that."""
    with recording(inputs):
        value = function(*args)
        flat, tree = _outputs(value)
    return _C._tape_finish(flat, False), value, tree


def record(function: Callable[..., Any], *examples: Tensor) -> Tape:
    """The tape of function(*examples).

    The tape is called with tensors of the same shapes, strides and dtypes, and gives one tensor, or a tuple of all that
    the function returned. Tensors that the function finds elsewhere, such as parameters, are read and written where
    they are. Raises RuntimeError where the function looks at elements, with item(), bool() or nonzero(), say.
    """
    for each in examples:
        if not isinstance(each, Tensor):
            raise TypeError(f"record() takes tensors, not {type(each).__name__}")
    return _recorded(function, examples, examples)[0]


class Traced:
    """A function that runs from tapes: one for each form of its arguments.

    Tensors among the arguments, also inside tuples, lists and dicts, are what a tape is given; everything else is part
    of the form.
    """

    def __init__(self, function: Callable[..., Any], on_change: str = "error", reorder_sums: bool = False) -> None:
        if on_change not in _CHANGES:
            raise ValueError(f"on_change must be 'error' or 'record', not {on_change!r}")
        self._function = function
        self._on_change = on_change
        self._reorder_sums = reorder_sums
        self._tapes: list[tuple[Any, Tape, Tree]] = []

    @property
    def tapes(self) -> list[Tape]:
        """The tapes made so far."""
        return [tape for _, tape, _ in self._tapes]

    def _record(self, form: Any, inputs: list[Tensor], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        tape, value, tree = _recorded(lambda: self._function(*args, **kwargs), inputs, ())
        self._tapes.append((form, tape.reordered() if self._reorder_sums else tape, tree))
        return value

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        flat, tree = flatten((args, kwargs))
        inputs = [each for each in flat if isinstance(each, Tensor)]
        form = (tree, tuple(None if isinstance(each, Tensor) else each for each in flat))
        if is_tracing():
            return self._function(*args, **kwargs)
        why: str | None = None
        for known, tape, made in self._tapes:
            if known != form:
                why = why or "its arguments are put together otherwise than when recorded"
                continue
            different = tape.mismatch(*inputs)
            if different is None:
                results = tape(*inputs)
                return made.unflatten([results] if isinstance(results, Tensor) else results)
            why = different
        if self._tapes and self._on_change == "error":
            raise RuntimeError(f"Tape: {why}; trace it with on_change='record' to have such calls recorded, too")
        return self._record(form, inputs, args, kwargs)


class TracedModule(Module):
    """A module whose forward pass runs from tapes. It shares parameters, buffers and submodules with the module that
    was traced."""

    def __init__(self, module: Module, on_change: str = "error", reorder_sums: bool = False) -> None:
        super().__init__()
        for name in ("_parameters", "_buffers", "_modules", "_non_persistent_buffers_set"):
            if name in module.__dict__:
                self.__dict__[name] = module.__dict__[name]
        self.training = module.training
        self.__dict__["original"] = module
        self.__dict__["_traced"] = {mode: Traced(module, on_change, reorder_sums) for mode in (True, False)}

    def train(self, mode: bool = True) -> TracedModule:
        """As of the traced module, which has tapes of its own for either mode."""
        self.__dict__["original"].train(mode)
        self.training = mode
        return self

    @property
    def tapes(self) -> list[Tape]:
        """The tapes made so far."""
        traced: dict[bool, Traced] = self.__dict__["_traced"]
        return [*traced[True].tapes, *traced[False].tapes]

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the traced module's call gives."""
        traced: dict[bool, Traced] = self.__dict__["_traced"]
        return traced[self.training](*args, **kwargs)


def trace(
    func: Callable[..., Any],
    example_inputs: Any = None,
    *,
    example_kwarg_inputs: dict[str, Any] | None = None,
    on_change: str = "error",
    reorder_sums: bool = False,
) -> Any:
    """A function, or module, that runs from a tape of func(*example_inputs).

    example_inputs: a tensor or a tuple of arguments. on_change: what a call whose arguments have another form does:
    "error" raises RuntimeError, "record" records it, too. reorder_sums: runs may add numbers in another order than func
    does. Raises RuntimeError where func looks at elements.
    """
    traced: Traced | TracedModule
    if isinstance(func, Module):
        traced = TracedModule(func, on_change, reorder_sums)
    else:
        traced = Traced(func, on_change, reorder_sums)
    args = () if example_inputs is None else example_inputs
    traced(*(args if isinstance(args, (tuple, list)) else (args,)), **(example_kwarg_inputs or {}))
    return traced


def _single_tape(traced: Tape | Traced | TracedModule) -> Tape:
    if isinstance(traced, Tape):
        return traced
    if not isinstance(traced, (Traced, TracedModule)):
        raise TypeError(f"only tapes and what jit.trace gives can be saved, not {type(traced).__name__}")
    if len(traced.tapes) != 1:
        raise RuntimeError(f"Tape: a file holds one tape, but there are {len(traced.tapes)}; save one of .tapes")
    return traced.tapes[0]


def save(m: Tape | Traced | TracedModule, f: str | PathLike[str] | IO[bytes]) -> None:
    """Writes a tape, with its parameters, to a file that Python, Java and C load.

    Raises RuntimeError where several forms were recorded, or the file cannot be written.
    """
    tape = _single_tape(m)
    if isinstance(f, (str, PathLike)):
        tape.save(fspath(f))
    else:
        f.write(tape.to_bytes())


def load(f: str | PathLike[str] | IO[bytes]) -> Tape:
    """The tape of a file: called with tensors, it gives one tensor, or a tuple of several.

    Raises ValueError for a file that is no tape, or damaged; RuntimeError where it cannot be read.
    """
    if isinstance(f, (str, PathLike)):
        return _C._tape_load(fspath(f))
    return _C._tape_from_bytes(f.read())


def script(obj: Any, *_: Any, **__: Any) -> NoReturn:
    """Not there: a tape is made by running a function, not by reading its source.

    Raises NotImplementedError.
    """
    raise NotImplementedError(
        "jit.script compiles Python source; onetape has no compiler for it, since a tape is recorded by running the "
        "function: use jit.trace(function, example). Control flow that depends on elements stays in Python."
    )


def is_tracing() -> bool:
    """Is this thread recording a tape?"""
    return getattr(_thread, "tracing", False)


def is_scripting() -> bool:
    """False: nothing is ever compiled from source."""
    return False


def ignore(drop: bool | _F = False, **_: Any) -> Any:
    """Leaves a function as it is, as @ignore and as @ignore(...): only a compiler of source would look at it."""
    return drop if callable(drop) else lambda function: function


def unused(function: _F) -> _F:
    """Leaves a function as it is: only a compiler of source would look at it."""
    return function


def export(function: _F) -> _F:
    """Leaves a function as it is: only a compiler of source would look at it."""
    return function
