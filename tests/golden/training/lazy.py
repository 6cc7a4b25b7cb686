"""Scenarios of modules whose sizes follow from their first input."""

from __future__ import annotations

import copy
import pickle
from functools import partial
from importlib import import_module
from typing import Any

from tests.golden.training.scenarios import Scenario, attempt, pattern

SHAPES = {1: (2, 4, 6), 2: (2, 4, 6, 5), 3: (2, 4, 4, 5, 4)}
KINDS: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "Conv": ((6, 3), {"groups": 2, "padding": 1}),
    "ConvTranspose": ((6, 2), {"stride": 2, "bias": False}),
    "BatchNorm": ((), {"momentum": 0.5}),
    "InstanceNorm": ((), {"eps": 1e-3}),
}


def layer(torch: Any, kind: str, dims: int) -> Any:
    args, kwargs = KINDS[kind]
    return getattr(torch.nn, f"Lazy{kind}{dims}d")(*args, **kwargs)


def first_call(kind: str, dims: int) -> Scenario:
    """Text before and after, first values from the seed, result and gradients."""

    def scenario(torch: Any) -> Any:
        torch.manual_seed(5)
        lazy = layer(torch, kind, dims)
        before = [repr(lazy), [[name, repr(value)] for name, value in lazy.state_dict().items()]]
        state = {name: value.clone() for name, value in made(lazy, torch, SHAPES[dims]).items()}
        result = lazy(pattern(torch, SHAPES[dims], 3))
        (result * pattern(torch, tuple(result.shape), 9)).sum().backward()
        return [*before, repr(lazy), state, result, [p.grad for p in lazy.parameters()]]

    return scenario


def made(lazy: Any, torch: Any, shape: tuple[int, ...]) -> dict[str, Any]:
    lazy(pattern(torch, shape, 2))
    return dict(lazy.state_dict())


def linear(torch: Any) -> Any:
    """A network of them, whose optimizer is there before their shapes."""
    nn = torch.nn
    torch.manual_seed(7)
    model = nn.Sequential(nn.LazyLinear(3), nn.ReLU(), nn.LazyLinear(2, bias=False))
    before = repr(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    model(pattern(torch, (4, 5), 1)).sum().backward()
    optimizer.step()
    return [before, repr(model), type(model[0]).__name__, dict(model.state_dict())]


def kept(torch: Any) -> Any:
    """States, copies and conversions of modules without shapes."""
    nn = torch.nn
    torch.manual_seed(1)
    loaded, other = nn.LazyLinear(3), nn.Linear(2, 3)
    answers: list[Any] = [str(loaded.load_state_dict(other.state_dict())), repr(loaded), loaded.weight]
    answers += [
        loaded(pattern(torch, (1, 2))),
        repr(loaded),
        str(nn.LazyLinear(3).load_state_dict(nn.LazyLinear(3).state_dict())),
    ]
    whole = nn.LazyLinear(3)
    for again in (copy.deepcopy(whole), pickle.loads(pickle.dumps(whole))):
        again(pattern(torch, (2, 4)))
        answers += [repr(again), tuple(again.weight.shape), repr(whole)]
    norm = nn.LazyBatchNorm1d().double()
    answers += [repr(norm.running_mean), repr(norm.weight), str(norm.weight.dtype)]
    norm(pattern(torch, (2, 3), 1, "float64"))
    return [*answers, dict(norm.state_dict()), type(norm.running_mean) is torch.Tensor]


def first_words(action: Any) -> Any:
    """The class and the words before what only one library names."""
    found = attempt(action)
    return found.split(" in <")[0] if isinstance(found, str) else type(found).__name__


def call(tensor: Any, method: str) -> Any:
    return getattr(tensor, method)()


def refused(torch: Any) -> Any:
    nn = torch.nn
    lazy, conv = nn.LazyLinear(3), nn.LazyConv2d(4, 3, groups=2)
    mixin = import_module(f"{torch.__name__}.nn.modules.lazy").LazyModuleMixin

    class Own(mixin, nn.Module):  # type: ignore[misc,name-defined,valid-type]
        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.UninitializedParameter()

    class Forgetful(Own):
        def initialize_parameters(self, x: Any) -> None:
            pass

    wrong = nn.LazyLinear(3)
    wrong.load_state_dict(nn.Linear(2, 3).state_dict())
    weight = lazy.weight
    actions = [
        *(partial(call, weight, name) for name in ("numel", "dim", "clone", "detach", "sum", "abs_")),
        lambda: weight + 1,
        lambda: weight.shape,
        lambda: nn.init.ones_(weight),
        lambda: nn.Linear(2, 3).load_state_dict(lazy.state_dict()),
        lambda: conv(torch.ones(1, 3, 5, 5)),
        lambda: conv(torch.ones(3, 5)),
        lambda: nn.LazyBatchNorm2d()(torch.ones(2, 3, 4)),
        lambda: nn.LazyConv1d(3, 2, groups=2),
        lambda: nn.LazyConvTranspose1d(3, 2, padding_mode="reflect"),
        lambda: Own()(torch.ones(2)),
        lambda: Forgetful()(torch.ones(2)),
        lambda: wrong(torch.ones(1, 5)),
        lambda: nn.utils.weight_norm(nn.LazyLinear(3)),
        lambda: nn.utils.spectral_norm(nn.LazyLinear(3)),
    ]
    return [first_words(action) for action in actions]


EXACT: dict[str, Scenario] = {"kept": kept, "refused": refused}
CLOSE: dict[str, Scenario] = {
    "linear": linear,
    **{f"{kind}{dims}d": first_call(kind, dims) for kind in KINDS for dims in SHAPES},
}
