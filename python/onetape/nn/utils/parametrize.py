"""Parameters that are computed from others by modules.

register_parametrization(module, "weight", parametrization) makes the attribute weight a result: what it is computed
from is module.parametrizations.weight.original (or original0, original1, …, if the parametrization has several).
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from onetape._C import Tensor
from onetape.autograd import no_grad
from onetape.nn.modules.container import ModuleDict, ModuleList
from onetape.nn.modules.module import Module
from onetape.nn.parameter import Parameter

__all__ = [
    "ParametrizationList",
    "cached",
    "is_parametrized",
    "register_parametrization",
    "remove_parametrizations",
    "transfer_parametrizations_and_params",
    "type_before_parametrizations",
]

_caches: list[dict[tuple[int, str], Tensor]] = []


@contextmanager
def cached() -> Iterator[None]:
    """Within it, each parametrized tensor is computed once."""
    _caches.append(_caches[-1] if _caches else {})
    try:
        yield
    finally:
        _caches.pop()


def _registered(module: Module, name: str, tensor: Any) -> None:
    if isinstance(tensor, Parameter):
        module.register_parameter(name, tensor)
    else:
        module.register_buffer(name, tensor)


def _inverse_of(module: Module) -> Callable[[Any], Any] | None:
    return getattr(module, "right_inverse", None)


def _check_unchanged(what: str, unsafe_flag: str, before: tuple[str, Any, Any], after: tuple[str, Any, Any]) -> None:
    """ValueError where a parametrization changes dtype or shape: pairs of (name, dtype, shape)."""
    for kind, i in (("dtype", 1), ("shape", 2)):
        if before[i] != after[i]:
            raise ValueError(
                f"{what} may not change the {kind} of the tensor, unless {unsafe_flag} flag is enabled.\n"
                f"{before[0].format(kind)}: {before[i]}\n{after[0].format(kind)}: {after[i]}"
            )


class ParametrizationList(ModuleList):
    """The parametrizations of one tensor, in the order in which they are applied, and what they are applied to.

    modules: the parametrizations; their right_inverse(), where there is one, says what the tensor is computed from.
    unsafe: whether they may change dtype and shape.
    """

    original: Any

    def __init__(self, modules: Sequence[Module], original: Tensor, unsafe: bool = False) -> None:
        if len(modules) == 0:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        before = ("unparametrized {}", original.dtype, original.shape)
        new: Any = original
        with no_grad():
            for module in reversed(list(self)):
                inverse = _inverse_of(module)
                if inverse is not None:
                    with suppress(NotImplementedError):
                        new = inverse(new)
        if not isinstance(new, (Tensor, Sequence)):
            raise ValueError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                f"Got {type(new).__name__}"
            )
        self.is_tensor = isinstance(new, Tensor)
        self.ntensors = 1 if self.is_tensor else len(new)
        if isinstance(new, Tensor):
            self._keep_one(original, new)
        else:
            self._keep_all(original, new)
        if not unsafe:
            made = self()
            if not isinstance(made, Tensor):
                raise ValueError(f"A parametrization must return a tensor. Got {type(made).__name__}.")
            after = ("parametrized {}", made.dtype, made.shape)
            _check_unchanged("Registering a parametrization", "`unsafe`", before, after)

    def _keep_one(self, original: Tensor, new: Tensor) -> None:
        if original.dtype != new.dtype:
            raise ValueError(
                "When `right_inverse` outputs one tensor, it may not change the dtype.\n"
                f"original.dtype: {original.dtype}\nright_inverse(original).dtype: {new.dtype}"
            )
        original.data = new.detach()
        _registered(self, "original", original)

    def _keep_all(self, original: Tensor, new: Sequence[Any]) -> None:
        for i, one in enumerate(new):
            if not isinstance(one, Tensor):
                raise ValueError(
                    "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                    f"Got element {i} of the sequence with type {type(one).__name__}."
                )
            kept: Tensor = one.detach()
            if isinstance(original, Parameter):
                kept = Parameter(kept, original.requires_grad)
            _registered(self, f"original{i}", kept)

    def right_inverse(self, value: Any) -> None:
        """Sets what the tensor is computed from so that it becomes value; RuntimeError where that is not known."""
        with no_grad():
            for module in reversed(list(self)):
                inverse = _inverse_of(module)
                if inverse is None:
                    raise RuntimeError(f"parametrization {type(module).__name__} does not implement right_inverse.")
                value = inverse(value)
            if self.is_tensor:
                if not isinstance(value, Tensor):
                    raise ValueError(f"`right_inverse` should return a tensor. Got {type(value).__name__}")
                if value.dtype != self.original.dtype:
                    raise ValueError(
                        f"The tensor returned by `right_inverse` has dtype {value.dtype} "
                        f"while `original` has dtype {self.original.dtype}"
                    )
                self.original.data = value.detach()
                return
            self._set_all(value)

    def _set_all(self, value: Any) -> None:
        if not isinstance(value, Sequence):
            raise ValueError(f"'right_inverse' must return a sequence of tensors. Got {type(value).__name__}.")
        if len(value) != self.ntensors:
            raise ValueError(
                f"'right_inverse' must return a sequence of tensors of length {self.ntensors}. "
                f"Got a sequence of length {len(value)}."
            )
        for i, one in enumerate(value):
            if not isinstance(one, Tensor):
                raise ValueError(
                    "'right_inverse' must return a sequence of tensors or reference-type opaques. "
                    f"Got element {i} of type {type(one).__name__}."
                )
            kept = getattr(self, f"original{i}")
            if kept.dtype != one.dtype:
                raise ValueError(
                    f"Tensor {i} returned by `right_inverse` has dtype {one.dtype} "
                    f"while `original{i}` has dtype {kept.dtype}"
                )
            kept.data = one.detach()

    def forward(self) -> Any:
        """The tensor, computed anew."""
        first, *others = list(self)
        value = first(*([self.original] if self.is_tensor else self._originals()))
        for module in others:
            value = module(value)
        return value

    def _originals(self) -> list[Tensor]:
        return [getattr(self, f"original{i}") for i in range(self.ntensors)]


def _class_for(module: Module) -> None:
    """Gives the module a class of its own, in which attributes can be computed."""
    before = type(module)

    def copied(self: Any, memo: dict[int, Any]) -> Any:
        if id(self) not in memo:
            memo[id(self)] = made = self.__new__(type(self))
            made.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return memo[id(self)]

    def pickled(self: Any) -> Any:
        raise RuntimeError(
            "Serialization of parametrized modules is only supported through state_dict(). See:\n"
            "https://pytorch.org/tutorials/beginner/saving_loading_models.html"
            "#saving-loading-a-general-checkpoint-for-inference-and-or-resuming-training"
        )

    members: dict[str, Any] = {"__getstate__": pickled}
    if not hasattr(before, "__deepcopy__"):
        members["__deepcopy__"] = copied
    module.__class__ = type(f"Parametrized{before.__name__}", (before,), members)


def _computed(name: str) -> property:
    def read(self: Any) -> Any:
        compute = self.parametrizations[name]
        if not _caches:
            return compute()
        key = (id(self), name)
        if key not in _caches[-1]:
            _caches[-1][key] = compute()
        return _caches[-1][key]

    def write(self: Any, value: Any) -> None:
        self.parametrizations[name].right_inverse(value)

    return property(read, write)


def _check_added(module: Module, name: str, parametrization: Module) -> None:
    """A further parametrization must give, and undo, what the one before it gives."""
    before = getattr(module, name)
    after = parametrization(before)
    if not isinstance(after, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(after).__name__}.")
    _check_unchanged(
        "Registering a parametrization",
        "the `unsafe`",
        (f"module.{name}.{{}}", before.dtype, before.shape),
        (f"parametrization(module.{name}).{{}}", after.dtype, after.shape),
    )
    inverse = _inverse_of(parametrization)
    if inverse is None:
        return
    try:
        undone = inverse(after)
    except NotImplementedError:
        return
    if not isinstance(undone, Tensor):
        raise ValueError(f"parametrization.right_inverse must return a tensor. Got: {type(undone).__name__}")
    for kind in ("dtype", "shape"):
        wanted, found = getattr(before, kind), getattr(undone, kind)
        if wanted != found:
            raise ValueError(
                f"The tensor returned by parametrization.right_inverse must have the same {kind} as module.{name}, "
                f"unless the `unsafe` flag is enabled.\nmodule.{name}.{kind}: {wanted}\nreturned {kind}: {found}"
            )


def register_parametrization(
    module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> Module:
    """Has a parameter or buffer computed by a module from what was there before; returns the first module.

    Several may be registered for one tensor: each is applied to what the one before gives. A parametrization with a
    method right_inverse() may be assigned to: the method says what the value is computed from.
    unsafe: do not check that dtype and shape stay. Raises ValueError for a tensor that there is not.
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            _check_added(module, tensor_name, parametrization)
        entries: Any = module.parametrizations[tensor_name]
        entries.append(parametrization)
        entries.unsafe |= unsafe
    elif tensor_name in module._buffers or tensor_name in module._parameters:
        made = ParametrizationList([parametrization], getattr(module, tensor_name), unsafe=unsafe)
        delattr(module, tensor_name)
        if not is_parametrized(module):
            _class_for(module)
            module.parametrizations = ModuleDict()
        setattr(type(module), tensor_name, _computed(tensor_name))
        module.parametrizations[tensor_name] = made
    else:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name "
            f"'{tensor_name}'"
        )
    return module


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Whether a module has parametrizations, or one for the tensor of a name."""
    found = module._modules.get("parametrizations")
    if not isinstance(found, ModuleDict):
        return False
    return len(found) > 0 if tensor_name is None else tensor_name in found


def remove_parametrizations(module: Module, tensor_name: str, leave_parametrized: bool = True) -> Module:
    """Takes the parametrizations of a tensor away; returns the module.

    leave_parametrized: the tensor keeps the value that was computed; else it gets back what that was computed from.
    Raises ValueError where there are none, or where several tensors cannot become one.
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    entries: Any = module.parametrizations[tensor_name]
    if entries.is_tensor:
        original = entries.original
        if leave_parametrized:
            with no_grad():
                value = getattr(module, tensor_name)
            original.data = value.detach()
    elif leave_parametrized:
        value = getattr(module, tensor_name)
        original = Parameter(value.detach()) if value.requires_grad else value
    else:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a "
            "sequence of tensors."
        )
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    _registered(module, tensor_name, original)
    if not is_parametrized(module):
        del module.parametrizations
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module: Module) -> type:
    """The class that a module had before it was parametrized."""
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(
    from_module: Module, to_module: Module, tensor_name: str | None = None
) -> Module:
    """Gives another module the parametrizations of one, of one tensor or of all, and their originals; returns it."""
    if not is_parametrized(from_module):
        return to_module
    all_entries: Any = from_module.parametrizations
    names = list(all_entries) if tensor_name is None else [tensor_name]
    if tensor_name is not None and tensor_name not in all_entries:
        return to_module
    for name in names:
        entries = all_entries[name]
        own = name in to_module._parameters or name in to_module._buffers
        if not own and not is_parametrized(to_module, name):
            value = getattr(from_module, name).detach()
            _registered(to_module, name, Parameter(value) if entries.is_tensor else value)
        for parametrization in entries:
            register_parametrization(to_module, name, parametrization, unsafe=entries.unsafe)
        target: Any = to_module.parametrizations
        if entries.is_tensor:
            target[name].original = entries.original
        else:
            for i in range(entries.ntensors):
                setattr(target[name], f"original{i}", getattr(entries, f"original{i}"))
    return to_module
