"""Parameters some of whose elements are zero for good: name_orig · name_mask, computed before each call."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar, TypeVar

from onetape import _C
from onetape._C import Tensor
from onetape.nn.modules.module import Module
from onetape.nn.utils.convert_parameters import parameters_to_vector

__all__ = [
    "BasePruningMethod",
    "CustomFromMask",
    "Identity",
    "L1Unstructured",
    "LnStructured",
    "PruningContainer",
    "RandomStructured",
    "RandomUnstructured",
    "custom_from_mask",
    "global_unstructured",
    "identity",
    "is_pruned",
    "l1_unstructured",
    "ln_structured",
    "random_structured",
    "random_unstructured",
    "remove",
]

M = TypeVar("M", bound=Module)


def _check_amount(amount: Any) -> None:
    if isinstance(amount, bool) or not isinstance(amount, (int, float)):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    if amount < 0 or (isinstance(amount, float) and not amount <= 1):
        raise ValueError(f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer")


def _count_of(amount: float, size: int) -> int:
    """How many of so many elements or channels go."""
    count = amount if isinstance(amount, int) else round(amount * size)
    if count > size:
        raise ValueError(f"amount={count} should be smaller than the number of parameters to prune={size}")
    return count


def _check_structured(t: Tensor, dim: int) -> None:
    if t.dim() <= 1:
        raise ValueError(
            "Structured pruning can only be applied to multidimensional tensors. "
            f"Found tensor of shape {t.shape} with {t.dim()} dims"
        )
    if dim >= t.dim():
        raise IndexError(f"Invalid index {dim} for tensor of size {t.shape}")


def _without_elements(mask: Tensor, indices: Tensor) -> Tensor:
    return mask.reshape(-1).index_fill(0, indices, 0).reshape(mask.shape)


def _only_channels(t: Tensor, mask: Tensor, dim: int, indices: Tensor) -> Tensor:
    return _C.zeros_like(t).index_fill(dim, indices, 1) * mask.to(t.dtype)


def _hooks(module: Module, name: str) -> list[tuple[int, BasePruningMethod]]:
    return [
        (number, registered.function)
        for number, registered in module._forward_pre_hooks.items()
        if isinstance(registered.function, BasePruningMethod) and registered.function._tensor_name == name
    ]


class BasePruningMethod(ABC):
    """A way to choose which elements of a parameter become zero; PRUNING_TYPE: among all, or whole channels."""

    PRUNING_TYPE: ClassVar[str]
    _tensor_name: str = ""

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Zeros for what goes, among the ones of default_mask; t says how important elements are."""

    def apply_mask(self, module: Module) -> Tensor:
        """The parameter as it is now."""
        mask, orig = getattr(module, f"{self._tensor_name}_mask"), getattr(module, f"{self._tensor_name}_orig")
        return mask.to(orig.dtype) * orig  # type: ignore[no-any-return]

    @classmethod
    def apply(
        cls, module: Module, name: str, *args: Any, importance_scores: Tensor | None = None, **kwargs: Any
    ) -> BasePruningMethod:
        """Has the elements of a parameter that this method chooses be zero, besides those that are already.

        importance_scores: what the method looks at instead of the parameter itself.
        """
        method: BasePruningMethod = cls(*args, **kwargs)
        method._tensor_name = name
        older = _hooks(module, name)
        if len(older) > 1:
            raise AssertionError(
                f"Avoid adding multiple pruning hooks to the same tensor {name} of module {module}. Use a "
                "PruningContainer."
            )
        orig = getattr(module, name)
        scores = orig if importance_scores is None else importance_scores
        if scores.shape != orig.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as parameter {name} of {module}, "
                f"got {scores.shape} vs {orig.shape}"
            )
        if older:
            container = older[0][1] if isinstance(older[0][1], PruningContainer) else PruningContainer(older[0][1])
            added = PruningContainer(*container, method)
            added._tensor_name = name
            mask = added.compute_mask(scores.detach(), getattr(module, f"{name}_mask").clone())
            del module._forward_pre_hooks[older[0][0]]
            method = added
        else:
            mask = method.compute_mask(scores.detach(), _C.ones_like(orig))
            module.register_parameter(f"{name}_orig", orig)
            del module._parameters[name]
        module.register_buffer(f"{name}_mask", mask)
        setattr(module, name, method.apply_mask(module))
        module.register_forward_pre_hook(method)
        return method

    def prune(self, t: Tensor, default_mask: Tensor | None = None, importance_scores: Tensor | None = None) -> Tensor:
        """A tensor with zeros where this method puts them."""
        scores = t if importance_scores is None else importance_scores
        if scores.shape != t.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as tensor t, got {scores.shape} vs {t.shape}"
            )
        return t * self.compute_mask(scores, _C.ones_like(t) if default_mask is None else default_mask)

    def remove(self, module: Module) -> None:
        """Makes what is computed the parameter again."""
        name = self._tensor_name
        weight = self.apply_mask(module)
        orig = module._parameters[f"{name}_orig"]
        assert orig is not None
        if hasattr(module, name):
            delattr(module, name)
        orig.data = weight.detach()
        del module._parameters[f"{name}_orig"]
        del module._buffers[f"{name}_mask"]
        setattr(module, name, orig)


class PruningContainer(BasePruningMethod):
    """Several methods for one parameter: each chooses among what those before have left."""

    PRUNING_TYPE = "container"

    def __init__(self, *args: BasePruningMethod) -> None:
        self._pruning_methods: tuple[BasePruningMethod, ...] = ()
        if args:
            self._tensor_name = args[0]._tensor_name
        for method in args:
            self.add_pruning_method(method)

    def add_pruning_method(self, method: BasePruningMethod) -> None:
        """Adds a method behind the others; it must be for the same parameter."""
        if not isinstance(method, BasePruningMethod):
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if self._tensor_name != method._tensor_name:
            raise ValueError(
                "Can only add pruning methods acting on the parameter named "
                f"'{self._tensor_name}' to PruningContainer {self}. Found '{method._tensor_name}'"
            )
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Iterator[BasePruningMethod]:
        return iter(self._pruning_methods)

    def __getitem__(self, index: int) -> BasePruningMethod:
        return self._pruning_methods[index]

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask of the last method, for what the mask of the others leaves."""
        method = self._pruning_methods[-1]
        if method.PRUNING_TYPE == "global":
            return method.compute_mask(t, default_mask)
        if method.PRUNING_TYPE == "unstructured":
            left = (default_mask == 1).reshape(-1).nonzero().reshape(-1)
            flat, mask = t.reshape(-1), default_mask.to(t.dtype).reshape(-1)
            part = method.compute_mask(flat.index_select(0, left), mask.index_select(0, left))
            return mask.index_copy(0, left, part.to(mask.dtype)).reshape(t.shape)
        if method.PRUNING_TYPE != "structured":
            raise ValueError(f"Unrecognized PRUNING_TYPE {method.PRUNING_TYPE}")
        dim = method.dim % t.dim()  # type: ignore[attr-defined]
        others = [d for d in range(t.dim()) if d != dim]
        left = (default_mask.sum(others) != 0).nonzero().reshape(-1)
        mask = default_mask.to(t.dtype)
        part = method.compute_mask(t.index_select(dim, left), mask.index_select(dim, left))
        return mask.index_copy(dim, left, part.to(mask.dtype))


class Identity(BasePruningMethod):
    """Nothing becomes zero."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask that there is."""
        return default_mask


class _Unstructured(BasePruningMethod):
    """amount: how many elements go, or which share of them."""

    PRUNING_TYPE = "unstructured"

    def __init__(self, amount: float) -> None:
        _check_amount(amount)
        self.amount = amount


class RandomUnstructured(_Unstructured):
    """Elements that are drawn become zero."""

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Zeros at drawn places."""
        count = _count_of(self.amount, t.numel())
        if count == 0:
            return default_mask.clone()
        return _without_elements(default_mask, _C.rand_like(t).reshape(-1).topk(count).indices)


class L1Unstructured(_Unstructured):
    """The smallest elements become zero."""

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Zeros at the smallest elements."""
        count = _count_of(self.amount, t.numel())
        if count == 0:
            return default_mask.clone()
        return _without_elements(default_mask, t.abs().reshape(-1).topk(count, largest=False).indices)


class RandomStructured(BasePruningMethod):
    """Channels that are drawn become zero; amount: how many, or which share; dim: what the channels are."""

    PRUNING_TYPE = "structured"

    def __init__(self, amount: float, dim: int = -1) -> None:
        _check_amount(amount)
        self.amount = amount
        self.dim = dim

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Zeros in drawn channels."""
        _check_structured(t, self.dim)
        channels = t.size(self.dim)
        count = _count_of(self.amount, channels)
        if count == 0:
            return default_mask
        kept = _C.rand(channels).topk(channels - count).indices
        return _only_channels(t, default_mask, self.dim, kept)


class LnStructured(BasePruningMethod):
    """The channels of the smallest norm become zero; n: the norm; amount, dim: as in RandomStructured."""

    PRUNING_TYPE = "structured"

    def __init__(self, amount: float, n: Any, dim: int = -1) -> None:
        _check_amount(amount)
        self.amount = amount
        self.n = n
        self.dim = dim

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Zeros in the channels of the smallest norm."""
        _check_structured(t, self.dim)
        channels = t.size(self.dim)
        count = _count_of(self.amount, channels)
        dim = self.dim % t.dim()
        norms = t.norm(2 if self.n == "fro" else self.n, [d for d in range(t.dim()) if d != dim])
        if count == 0:
            return default_mask
        return _only_channels(t, default_mask, self.dim, norms.topk(channels - count).indices)


class CustomFromMask(BasePruningMethod):
    """The zeros of a mask."""

    PRUNING_TYPE = "global"

    def __init__(self, mask: Tensor) -> None:
        self.mask = mask

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The zeros of both masks."""
        if default_mask.shape != self.mask.shape:
            raise AssertionError(
                f"default_mask shape {default_mask.shape} must match self.mask shape {self.mask.shape}"
            )
        return default_mask * self.mask.to(default_mask.dtype)


def identity(module: M, name: str) -> M:
    """Makes a parameter one that is computed from name_orig and name_mask, a mask of ones; returns the module."""
    Identity.apply(module, name)
    return module


def random_unstructured(module: M, name: str, amount: float) -> M:
    """Has so many elements (or such a share) that are drawn be zero; returns the module."""
    RandomUnstructured.apply(module, name, amount=amount)
    return module


def l1_unstructured(module: M, name: str, amount: float, importance_scores: Tensor | None = None) -> M:
    """Has so many of the smallest elements (or such a share) be zero; returns the module."""
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module: M, name: str, amount: float, dim: int) -> M:
    """Has so many channels (or such a share) along dim that are drawn be zero; returns the module."""
    RandomStructured.apply(module, name, amount=amount, dim=dim)
    return module


def ln_structured(module: M, name: str, amount: float, n: Any, dim: int, importance_scores: Tensor | None = None) -> M:
    """Has so many channels (or such a share) along dim of the smallest norm be zero; returns the module."""
    LnStructured.apply(module, name, amount=amount, n=n, dim=dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module: M, name: str, mask: Tensor) -> M:
    """Has the elements be zero where the mask is; returns the module."""
    CustomFromMask.apply(module, name, mask=mask)
    return module


def global_unstructured(
    parameters: Iterable[tuple[Module, str]],
    pruning_method: type[BasePruningMethod],
    importance_scores: dict[tuple[Module, str], Tensor] | None = None,
    **kwargs: Any,
) -> None:
    """Has elements of several parameters be zero that a method chooses among all of them together.

    parameters: pairs of a module and a name. kwargs: for the method, such as amount.
    """
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    if not isinstance(importance_scores, (dict, type(None))):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    pairs = list(parameters)
    scores = importance_scores or {}
    all_scores = [scores.get((module, name), getattr(module, name)).detach() for module, name in pairs]
    masks = [getattr(module, f"{name}_mask", _C.ones_like(getattr(module, name))) for module, name in pairs]
    method = pruning_method(**kwargs)
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. '
            f"Found method {pruning_method} of type {method.PRUNING_TYPE}"
        )
    mask = PruningContainer(method).compute_mask(parameters_to_vector(all_scores), parameters_to_vector(masks))
    for (module, name), part in zip(pairs, mask.split([one.numel() for one in masks]), strict=True):
        custom_from_mask(module, name, part.reshape(getattr(module, name).shape))


def remove(module: M, name: str) -> M:
    """Makes a parameter what is computed for it, for good; ValueError where it has no zeros of this kind."""
    for number, hook in _hooks(module, name):
        hook.remove(module)
        del module._forward_pre_hooks[number]
        return module
    raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")


def is_pruned(module: Module) -> bool:
    """Whether a module or one of its parts has such parameters."""
    return any(
        isinstance(registered.function, BasePruningMethod)
        for part in module.modules()
        for registered in part._forward_pre_hooks.values()
    )
