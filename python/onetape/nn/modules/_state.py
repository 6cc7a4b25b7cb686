"""Saving what a module has learned, and putting it back."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from onetape._C import Tensor
from onetape._registry import Registry, RemovableHandle
from onetape.autograd import no_grad
from onetape.nn.modules._tree import ModuleTree
from onetape.nn.parameter import Parameter, is_lazy

EXTRA_STATE = "_extra_state"


class _IncompatibleKeys(NamedTuple):
    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"


class StateDict(OrderedDict[str, Any]):
    """Names and tensors; ``_metadata`` holds the version of every module that wrote some of them."""

    _metadata: OrderedDict[str, dict[str, Any]]


def _quoted(names: list[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


class _Loading:
    """One call of load_state_dict: what is being loaded, and what went wrong."""

    def __init__(self, state: Mapping[str, Any], strict: bool) -> None:
        self.state = state
        self.metadata: Mapping[str, dict[str, Any]] = getattr(state, "_metadata", None) or {}
        self.strict = strict
        self.missing: list[str] = []
        self.unexpected: list[str] = []
        self.errors: list[str] = []

    def run(self, module: ModuleState, prefix: str, state: Mapping[str, Any], assign: bool) -> None:
        metadata = dict(self.metadata.get(prefix[:-1], {}))
        if assign:
            metadata["assign_to_params_buffers"] = True
        module._load_from_state_dict(state, prefix, metadata, True, self.missing, self.unexpected, self.errors)
        for name, child in module._modules.items():
            if child is not None:
                inner = f"{prefix}{name}."
                self.run(child, inner, {key: value for key, value in state.items() if key.startswith(inner)}, assign)
        keys = _IncompatibleKeys(self.missing, self.unexpected)
        for hook in module._load_state_dict_post_hooks.values():
            hook(module, keys)

    def report(self) -> list[str]:
        lines = []
        if self.strict and self.missing:
            lines.append(f"Missing key(s) in state_dict: {_quoted(self.missing)}. ")
        if self.strict and self.unexpected:
            lines.append(f"Unexpected key(s) in state_dict: {_quoted(self.unexpected)}. ")
        return lines + self.errors


class ModuleState(ModuleTree):
    """A module that can be saved as a dict of tensors and restored from one."""

    _version: int = 1
    _state_dict_hooks: Registry
    _state_dict_pre_hooks: Registry
    _load_state_dict_pre_hooks: Registry
    _load_state_dict_post_hooks: Registry

    def __init__(self) -> None:
        super().__init__()
        for name in (
            "_state_dict_hooks",
            "_state_dict_pre_hooks",
            "_load_state_dict_pre_hooks",
            "_load_state_dict_post_hooks",
        ):
            self.__dict__[name] = Registry()

    # ---- saving ----

    def get_extra_state(self) -> Any:
        """Override it, and set_extra_state(), to save what is neither a parameter nor a buffer."""
        raise RuntimeError(f"{type(self).__name__} has no extra state: it does not override get_extra_state()")

    def set_extra_state(self, state: Any) -> None:
        """Override it, and get_extra_state(), to restore what is neither a parameter nor a buffer."""
        raise RuntimeError(f"{type(self).__name__} has no extra state: it does not override set_extra_state()")

    def _has_extra_state(self, method: str) -> bool:
        return getattr(type(self), method) is not getattr(ModuleState, method)

    def _save_to_state_dict(self, destination: dict[str, Any], prefix: str, keep_vars: bool) -> None:
        for name, tensor in self._own_state():
            if tensor is not None:
                destination[prefix + name] = tensor if keep_vars else tensor.detach()
        if self._has_extra_state("get_extra_state"):
            destination[prefix + EXTRA_STATE] = self.get_extra_state()

    def _own_state(self) -> list[tuple[str, Tensor | None]]:
        """Parameters and persistent buffers of this module alone."""
        buffers = [(name, b) for name, b in self._buffers.items() if name not in self._non_persistent_buffers_set]
        return [*self._parameters.items(), *buffers]

    def state_dict(
        self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False
    ) -> OrderedDict[str, Any]:
        """All parameters and persistent buffers by their dotted names, sharing memory with the module.

        keep_vars: the tensors themselves instead of detached ones.
        """
        if args:  # the older, positional spelling
            given = dict(zip(("destination", "prefix", "keep_vars"), args))
            return self.state_dict(**{"destination": destination, "prefix": prefix, "keep_vars": keep_vars, **given})
        if destination is None:
            destination = StateDict()
            destination._metadata = OrderedDict()
        metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = metadata
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook in self._state_dict_hooks.values():
            destination = hook(self, destination, prefix, metadata) or destination
        return destination  # type: ignore[no-any-return]

    def register_state_dict_pre_hook(self, hook: Callable[..., None]) -> RemovableHandle:
        """Has hook(module, prefix, keep_vars) called before state_dict() reads the module."""
        return self._state_dict_pre_hooks.add(hook)

    def register_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Has hook(module, state_dict, prefix, metadata) called after state_dict(); it may change the dict."""
        return self._state_dict_hooks.add(hook)

    _register_state_dict_hook = register_state_dict_post_hook

    # ---- loading ----

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False) -> Any:
        """Copies parameters and buffers from a state_dict() of the same kind of module.

        strict: RuntimeError unless the keys are exactly the module's own.
        assign: takes the tensors of the dict themselves instead of copying their elements.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        loading = _Loading(state_dict, strict)
        loading.run(self, "", OrderedDict(state_dict), assign)
        report = loading.report()
        if report:
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t" + "\n\t".join(report))
        return _IncompatibleKeys(loading.missing, loading.unexpected)

    def _load_from_state_dict(
        self,
        state_dict: Mapping[str, Any],
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        for hook in self._load_state_dict_pre_hooks.values():
            hook(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        own = {name: tensor for name, tensor in self._own_state() if tensor is not None}
        for name, tensor in own.items():
            key = prefix + name
            if key in state_dict:
                self._load_one(name, tensor, key, state_dict[key], local_metadata, error_msgs)
            elif strict:
                missing_keys.append(key)
        extra = prefix + EXTRA_STATE
        if self._has_extra_state("set_extra_state"):
            if extra in state_dict:
                self.set_extra_state(state_dict[extra])
            elif strict:
                missing_keys.append(extra)
        elif strict and extra in state_dict:
            unexpected_keys.append(extra)
        if strict:
            unexpected_keys.extend(key for key in state_dict if key != extra and self._is_unexpected(key, prefix, own))

    def _is_unexpected(self, key: str, prefix: str, own: dict[str, Tensor]) -> bool:
        if not key.startswith(prefix):
            return False
        name, dot, _ = key[len(prefix) :].partition(".")
        return name not in self._modules if dot else name not in own

    def _load_one(
        self, name: str, tensor: Tensor, key: str, value: Any, metadata: dict[str, Any], errors: list[str]
    ) -> None:
        if not isinstance(value, Tensor):
            errors.append(
                f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from '
                f"checkpoint but received {type(value)}"
            )
            return
        lazy = is_lazy(tensor)  # then the value is, too: others have given it their shape
        if not lazy and tensor.dim() == 0 and len(value.shape) == 1:
            value = value[0]  # numbers were saved as tensors of one element once
        if not lazy and value.shape != tensor.shape:
            errors.append(
                f"size mismatch for {key}: copying a param with shape {value.shape} from checkpoint, "
                f"the shape in current model is {tensor.shape}."
            )
            return
        assigned = metadata.get("assign_to_params_buffers", False)
        if not lazy and tensor.is_meta and not value.is_meta and not assigned:
            warnings.warn(
                f"for {key}: copying from a non-meta parameter in the checkpoint to a meta parameter in the current "
                "model, which is a no-op. (Did you mean to pass `assign=True` to assign items in the state dictionary "
                "to their corresponding key in the module instead of copying them in place?)",
                stacklevel=2,
            )
        try:
            if assigned:
                is_parameter = isinstance(tensor, Parameter)
                setattr(self, name, Parameter(value, tensor.requires_grad) if is_parameter else value)
            else:
                with no_grad():
                    tensor.copy_(value)
        except Exception as error:  # reported together with the others
            errors.append(
                f'While copying the parameter named "{key}", whose dimensions in the model are {tensor.size()} and '
                f"whose dimensions in the checkpoint are {value.size()}, an exception occurred : {error.args}."
            )

    def register_load_state_dict_pre_hook(self, hook: Callable[..., None]) -> RemovableHandle:
        """Has hook(module, state_dict, prefix, …) called before the module reads its part of a state_dict."""
        return self._load_state_dict_pre_hooks.add(hook)

    def register_load_state_dict_post_hook(self, hook: Callable[..., None]) -> RemovableHandle:
        """Has hook(module, incompatible_keys) called after the module was loaded; it may change the keys."""
        return self._load_state_dict_post_hooks.add(hook)
