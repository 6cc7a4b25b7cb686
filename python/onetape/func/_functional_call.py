"""Modules as functions of their parameters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from onetape import _C
from onetape._C import Tensor
from onetape.nn import Module

__all__ = ["functional_call", "stack_module_state"]


_MISSING = object()


def _merged(dicts: Any) -> dict[str, Tensor]:
    if isinstance(dicts, dict):
        return dicts
    if not isinstance(dicts, Sequence):
        raise ValueError(
            f"Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got {type(dicts)}"
        )
    if not all(isinstance(d, dict) for d in dicts):
        raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
    keys = [key for d in dicts for key in d]
    repeated = [key for key in dict.fromkeys(keys) if keys.count(key) > 1]
    if repeated:
        raise ValueError(f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous")
    return {key: value for d in dicts for key, value in d.items()}


def _names(module: Module) -> dict[str, Tensor]:
    return {
        **dict(module.named_parameters(remove_duplicate=False)),
        **dict(module.named_buffers(remove_duplicate=False)),
    }


def _tied(names: dict[str, Tensor], given: dict[str, Tensor]) -> dict[str, Tensor]:
    """What was given for one name of a tensor goes for all its names."""
    groups: dict[int, set[str]] = {}
    for name, tensor in names.items():
        groups.setdefault(id(tensor), set()).add(name)
    result = dict(given)
    for group in groups.values():
        mine = {name: given[name] for name in group if name in given}
        if len({id(value) for value in mine.values()}) > 1:
            raise ValueError(
                f"functional_call got multiple values for keys {sorted(group)}, which are tied. Consider using "
                "tie_weights=False"
            )
        for name in group if mine else ():
            result[name] = next(iter(mine.values()))
    return result


def _check_keys(module: Module, names: dict[str, Tensor], given: dict[str, Tensor]) -> None:
    unexpected = [repr(key) for key in given if key not in names]
    missing = [repr(key) for key in names if key not in given]
    messages = [f"Unexpected key(s): {', '.join(unexpected)}."] if unexpected else []
    messages += [f"Missing key(s): {', '.join(missing)}."] if missing else []
    if messages:
        lines = "\n\t".join(messages)
        raise RuntimeError(f"Error(s) in reparametrizing for {type(module).__name__}:\n\t{lines}")


def _registry(module: Module, name: str) -> tuple[dict[str, Any], str]:
    """The dict of a module where the tensor of that name stands, and its name there."""
    *path, last = name.split(".")
    owner: Any = module
    for part in path:
        if part not in owner._modules:
            raise AttributeError(f"{type(owner).__name__} has no attribute `{part}`")
        owner = owner._modules[part]
    return owner._parameters if last in owner._parameters else owner._buffers, last


@contextmanager
def _replaced(module: Module, given: dict[str, Tensor], asked: dict[str, Tensor]) -> Iterator[None]:
    """The module has the given tensors; those that it changes, such as running statistics, go into `asked`."""
    before = []
    try:
        for name, tensor in given.items():
            if not isinstance(tensor, Tensor):
                raise TypeError(f"{tensor} is not an instance of torch.Tensor")
            registry, last = _registry(module, name)
            before.append((name, registry, last, registry.get(last, _MISSING)))
            registry[last] = tensor
        yield
    finally:
        for name, registry, last, old in reversed(before):
            if name in asked:
                asked[name] = registry[last]
            if old is _MISSING:
                del registry[last]
            else:
                registry[last] = old


def functional_call(
    module: Module,
    parameter_and_buffer_dicts: dict[str, Tensor] | Sequence[dict[str, Tensor]],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """module(*args, **kwargs) with other tensors in the place of its parameters and buffers, which it gets back after.

    parameter_and_buffer_dicts: tensors by the names of named_parameters() and named_buffers(), or several such dicts;
        what is not named stays. Buffers that the module replaces are replaced in the dict.
    args: a tuple, or one argument.
    tie_weights: a tensor that the module has under several names is replaced under all.
    strict: all names must be given, and no other; RuntimeError if not.

    Raises AttributeError for a name in a module that there is not, ValueError for a name in several dicts.
    """
    asked = _merged(parameter_and_buffer_dicts)
    names = _names(module)
    given = _tied(names, asked) if tie_weights else asked
    if strict:
        _check_keys(module, names, given)
    arguments = () if args is None else args if isinstance(args, tuple) else (args,)
    with _replaced(module, given, asked):
        return module(*arguments, **(kwargs or {}))


def _stacked(name: str, tensors: list[Tensor]) -> Tensor:
    flags = {t.requires_grad for t in tensors}
    if len(flags) > 1:
        raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
    result = _C.stack(tensors)
    return result.detach().requires_grad_() if flags.pop() else result


def stack_module_state(models: Sequence[Module]) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """The parameters and the buffers of modules of one class, each stacked: two dicts by name."""
    modules = list(models)
    if not modules:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if len({m.training for m in modules}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if len({type(m) for m in modules}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    parameters = [dict(m.named_parameters()) for m in modules]
    buffers = [dict(m.named_buffers()) for m in modules]
    return (
        {name: _stacked(name, [own[name] for own in parameters]) for name in parameters[0]},
        {name: _stacked(name, [own[name] for own in buffers]) for name in buffers[0]},
    )
