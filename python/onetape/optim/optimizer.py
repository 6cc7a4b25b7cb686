"""The base class of the optimizers."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from functools import wraps
from typing import Any, ClassVar

from onetape import _C
from onetape._C import Tensor
from onetape._registry import Registry, RemovableHandle
from onetape._typename import typename
from onetape.autograd import enable_grad

__all__ = [
    "NativeOptimizer",
    "Optimizer",
    "register_optimizer_step_post_hook",
    "register_optimizer_step_pre_hook",
    "required",
]


class _Required:
    """Stands for a number that has no default."""

    def __repr__(self) -> str:
        return "<required parameter>"


required = _Required()
_global_pre_hooks = Registry()
_global_post_hooks = Registry()


def register_optimizer_step_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Has hook(optimizer, args, kwargs) called before every optimizer's step(); it may return other arguments."""
    return _global_pre_hooks.add(hook)


def register_optimizer_step_post_hook(hook: Callable[..., None]) -> RemovableHandle:
    """Has hook(optimizer, args, kwargs) called after every optimizer's step()."""
    return _global_post_hooks.add(hook)


def has_global_hooks() -> bool:
    """Are there hooks for every optimizer?"""
    return bool(_global_pre_hooks) or bool(_global_post_hooks)


def _with_hooks(step: Callable[..., Any]) -> Callable[..., Any]:
    """step() between the hooks of its optimizer, and counted for the learning rate schedules."""

    @wraps(step)
    def stepping(self: Optimizer, *args: Any, **kwargs: Any) -> Any:
        self._steps += 1
        for hook in (*_global_pre_hooks.values(), *self._optimizer_step_pre_hooks.values()):
            answer = hook(self, args, kwargs)
            if answer is not None:
                if not (isinstance(answer, tuple) and len(answer) == 2):
                    raise RuntimeError(
                        f"{step} must return None or a tuple of (new_args, new_kwargs), but got {answer}."
                    )
                args, kwargs = answer
        result = step(self, *args, **kwargs)
        for hook in (*self._optimizer_step_post_hooks.values(), *_global_post_hooks.values()):
            hook(self, args, kwargs)
        return result

    stepping._hooked = True  # type: ignore[attr-defined]
    return stepping


class Optimizer:
    """Changes parameters along their gradients.

    params: tensors, pairs of names and tensors, or dicts that hold such tensors under "params" together with numbers of
        their own.
    defaults: the numbers of groups that do not set them.
    """

    _steps = 0
    _optimizer_step_pre_hooks: Registry
    _optimizer_step_post_hooks: Registry
    _optimizer_state_dict_pre_hooks: Registry
    _optimizer_state_dict_post_hooks: Registry
    _optimizer_load_state_dict_pre_hooks: Registry
    _optimizer_load_state_dict_post_hooks: Registry

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "step" in cls.__dict__ and not hasattr(cls.step, "_hooked"):
            cls.step = _with_hooks(cls.step)  # type: ignore[method-assign]

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, "
                f"but got {typename(params)}"
            )
        self.defaults = defaults
        self._make_hooks()
        self.state: defaultdict[Tensor, dict[str, Any]] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def _make_hooks(self) -> None:
        """Makes the lists of hooks that are not there."""
        for name in (
            "_optimizer_step_pre_hooks",
            "_optimizer_step_post_hooks",
            "_optimizer_state_dict_pre_hooks",
            "_optimizer_state_dict_post_hooks",
            "_optimizer_load_state_dict_pre_hooks",
            "_optimizer_load_state_dict_post_hooks",
        ):
            self.__dict__.setdefault(name, Registry())

    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._make_hooks()
        self.defaults = self.__dict__.get("defaults", {})

    def __repr__(self) -> str:
        text = f"{type(self).__name__} ("
        for i, group in enumerate(self.param_groups):
            text += f"\nParameter Group {i}\n"
            text += "".join(f"    {key}: {group[key]}\n" for key in sorted(group) if key != "params")
        return text + ")"

    # ---- groups ----

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Adds a dict of parameters, under "params", with numbers of their own."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        group = dict(param_group)
        group["params"] = _ordered(group["params"])
        names = _take_names(group["params"])
        if names:
            group["param_names"] = names
        for parameter in group["params"]:
            if not isinstance(parameter, Tensor):
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {typename(parameter)}")
            if not (parameter.is_leaf or parameter.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, default in self.defaults.items():
            if default is required and name not in group:
                raise ValueError(f"parameter group didn't specify a value of required optimization parameter {name}")
            group.setdefault(name, default)
        if len({id(p) for p in group["params"]}) != len(group["params"]):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error",
                stacklevel=3,
            )
        taken = {id(p) for other in self.param_groups for p in other["params"]}
        if any(("param_names" in other) != ("param_names" in group) for other in self.param_groups):
            which = "with names" if "param_names" in group else "without names"
            raise ValueError(
                "all optimizer param groups should be with/without names. "
                f"cannot add param group {which} to the optimizer"
            )
        if any(id(p) in taken for p in group["params"]):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(group)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Clears the gradients of all parameters; set_to_none: drops them, else fills them with zeros."""
        for group in self.param_groups:
            _C._clear_grads(group["params"], set_to_none)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Changes the parameters; closure, if given, computes the loss and its gradients first."""
        raise NotImplementedError(f"{type(self).__name__} does not define step()")

    def _watch_steps(self) -> None:
        """Called by a schedule that wants to know whether there were steps from now on."""
        self.__dict__.setdefault("_steps_before", self._steps)

    def _steps_watched(self) -> bool:
        return "_steps_before" in self.__dict__ and hasattr(self.step, "_hooked")

    def _stepped(self) -> bool:
        return bool(self._steps != self.__dict__["_steps_before"])

    def _loss(self, closure: Callable[[], Any] | None) -> Any:
        """The value of the closure, whose calculation is recorded whatever the mode is."""
        if closure is None:
            return None
        with enable_grad():
            return closure()

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Has hook(optimizer, args, kwargs) called before step(); it may return other arguments."""
        return self._optimizer_step_pre_hooks.add(hook)

    def register_step_post_hook(self, hook: Callable[..., None]) -> RemovableHandle:
        """Has hook(optimizer, args, kwargs) called after step()."""
        return self._optimizer_step_post_hooks.add(hook)

    def register_state_dict_pre_hook(self, hook: Callable[[Optimizer], None], prepend: bool = False) -> RemovableHandle:
        """Has hook(optimizer) called before state_dict(); prepend: before those already there."""
        return self._optimizer_state_dict_pre_hooks.add(hook, prepend)

    def register_state_dict_post_hook(
        self, hook: Callable[[Optimizer, dict[str, Any]], dict[str, Any] | None], prepend: bool = False
    ) -> RemovableHandle:
        """Has hook(optimizer, state_dict) called after state_dict(); it may return another one."""
        return self._optimizer_state_dict_post_hooks.add(hook, prepend)

    def register_load_state_dict_pre_hook(
        self, hook: Callable[[Optimizer, dict[str, Any]], dict[str, Any] | None], prepend: bool = False
    ) -> RemovableHandle:
        """Has hook(optimizer, state_dict) called before load_state_dict(); it may return another one."""
        return self._optimizer_load_state_dict_pre_hooks.add(hook, prepend)

    def register_load_state_dict_post_hook(
        self, hook: Callable[[Optimizer], None], prepend: bool = False
    ) -> RemovableHandle:
        """Has hook(optimizer) called after load_state_dict(); prepend: before those already there."""
        return self._optimizer_load_state_dict_post_hooks.add(hook, prepend)

    # ---- saving and loading ----

    def _numbered(self) -> dict[int, int]:
        """The number of each parameter, by its identity, in the order of the groups."""
        numbers: dict[int, int] = {}
        for group in self.param_groups:
            for parameter in group["params"]:
                numbers.setdefault(id(parameter), len(numbers))
        return numbers

    def state_dict(self) -> dict[str, Any]:
        """The state of every parameter and the numbers of the groups, with parameters as numbers in their order."""
        for hook in self._optimizer_state_dict_pre_hooks.values():
            hook(self)
        numbers = self._numbered()
        groups = []
        for group in self.param_groups:
            packed = {key: value for key, value in group.items() if key != "params"}
            packed["params"] = [numbers[id(p)] for p in group["params"]]
            groups.append(packed)
        state = {numbers[id(p)] if isinstance(p, Tensor) else p: value for p, value in self.state.items()}
        saved: dict[str, Any] = {"state": state, "param_groups": groups}
        for hook in self._optimizer_state_dict_post_hooks.values():
            answer = hook(self, saved)
            if answer is not None:
                saved = answer
        return saved

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Takes over a state_dict() of an optimizer with groups of the same sizes."""
        saved_state = dict(state_dict)
        for hook in self._optimizer_load_state_dict_pre_hooks.values():
            answer = hook(self, saved_state)
            if answer is not None:
                saved_state = answer
        groups = deepcopy(saved_state["param_groups"])
        if len(groups) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(
            len(mine["params"]) != len(saved["params"]) for mine, saved in zip(self.param_groups, groups, strict=True)
        ):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
            )
        by_number: dict[Any, Tensor] = {}
        for mine, saved in zip(self.param_groups, groups, strict=True):
            by_number.update(zip(saved["params"], mine["params"], strict=True))
            saved["params"] = mine["params"]
            if "param_names" in mine and "param_names" not in saved:
                saved["param_names"] = mine["param_names"]
        state: defaultdict[Any, dict[str, Any]] = defaultdict(dict)
        for number, value in saved_state["state"].items():
            parameter = by_number.get(number)
            if parameter is None:
                state[number] = value
            else:
                state[parameter] = _fitted(value, parameter)
        self.__setstate__({"state": state, "param_groups": groups})
        for hook in self._optimizer_load_state_dict_post_hooks.values():
            hook(self)


def _ordered(params: Any) -> list[Any]:
    if isinstance(params, Tensor):
        return [params]
    if isinstance(params, set):
        raise TypeError(
            "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets "
            "will change between runs. Please use a list instead."
        )
    return list(params)


def _take_names(params: list[Any]) -> list[str]:
    """Takes names off parameters that are given as pairs; all or none must be."""
    pairs = [isinstance(p, tuple) for p in params]
    if not any(pairs):
        return []
    if not all(pairs):
        raise ValueError("all optimizer params should be with/without names. Some param names are missing")
    names = [name for name, _ in params]
    params[:] = [parameter for _, parameter in params]
    return names


def _fitted(value: Any, parameter: Tensor, key: str | None = None) -> Any:
    """A loaded value with its tensors in the parameter's dtype, but for the count of steps."""
    if isinstance(value, Tensor):
        return value if key == "step" or not parameter.is_floating_point() else value.to(parameter.dtype)
    if isinstance(value, Mapping):
        return {k: _fitted(v, parameter, k) for k, v in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        return type(value)(_fitted(v, parameter) for v in value)  # type: ignore[call-arg]
    return value


def check_flavours(foreach: bool | None, fused: bool | None, differentiable: bool) -> None:
    """Refuses what PyTorch refuses, and steps that are themselves part of a graph. All steps here are fused."""
    if fused and differentiable:
        raise RuntimeError("`fused` does not support `differentiable`")
    if fused and foreach:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")
    if differentiable:
        raise NotImplementedError("differentiable=True is not supported: a step is not part of a graph")


class NativeOptimizer(Optimizer):
    """An optimizer whose step is one call of native code for each group. Subclasses are made from the tables."""

    _table: ClassVar[str]
    """Its name in the tables."""
    _numbers: ClassVar[tuple[str, ...]] = ()
    """What it remembers as tensors that hold one number."""
    _later: ClassVar[dict[str, Any]] = {}
    """Options that saved groups may lack, and what is meant then."""
    _fixed: ClassVar[dict[str, Any]] = {}
    """Options that groups have whatever was saved."""
    _eager: ClassVar[bool] = False
    """Is the state made before the first step?"""

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        super().__init__(params, defaults)
        if self._eager:
            for group in self.param_groups:
                _C._optimizer_begin(self._table, group, self.state)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            for name, value in self._later.items():
                group.setdefault(name, value)
            group.update(self._fixed)
            for parameter in group["params"]:
                own = self.state.get(parameter) or {}
                for name in self._numbers:  # a state that was saved with plain numbers
                    if name in own and not isinstance(own[name], Tensor):
                        wide = _C.get_default_dtype() == _C.float64
                        own[name] = _C.tensor(float(own[name]), dtype=_C.float64 if wide else _C.float32)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Changes the parameters that have a gradient; returns the value of the closure, if there is one."""
        loss = self._loss(closure)
        for group in self.param_groups:
            _C._optimizer_step(self._table, group, self.state)
        return loss
