"""Modules, initialisation and losses give PyTorch's structure, numbers and texts."""

from __future__ import annotations

import pytest

import onetape as torch
from tests.golden.training import answers, layers, lazy, modules, orthogonal, parts, sequences, spatial, utilities
from tests.golden.training.scenarios import Scenario, encoded


def check(scenario: Scenario, group: str, name: str, ulps: float = 0, scale: float = 0) -> None:
    answers.compare(encoded(torch, scenario(torch)), answers.read()[group][name], ulps, scale)


@pytest.mark.parametrize("name", modules.EXACT)
def test_modules(name: str) -> None:
    check(modules.EXACT[name], "modules", name)


@pytest.mark.parametrize("name", modules.CLOSE)
def test_modules_close(name: str) -> None:
    check(modules.CLOSE[name], "modules", name, ulps=16, scale=0.25)


@pytest.mark.parametrize("name", layers.EXACT)
def test_layers(name: str) -> None:
    check(layers.EXACT[name], "layers", name)


@pytest.mark.filterwarnings("ignore:reduction")
@pytest.mark.parametrize("name", layers.CLOSE)
def test_layers_close(name: str) -> None:
    check(layers.CLOSE[name], "layers", name, ulps=16, scale=0.25)


@pytest.mark.filterwarnings("ignore:`torch.nn.utils.weight_norm` is deprecated")
@pytest.mark.parametrize("name", lazy.EXACT)
def test_lazy(name: str) -> None:
    check(lazy.EXACT[name], "lazy", name)


@pytest.mark.parametrize("name", lazy.CLOSE)
def test_lazy_close(name: str) -> None:
    check(lazy.CLOSE[name], "lazy", name, ulps=16, scale=0.25)


@pytest.mark.filterwarnings("ignore:input's size", "ignore:Using padding='same'")
@pytest.mark.parametrize("name", spatial.EXACT)
def test_spatial(name: str) -> None:
    check(spatial.EXACT[name], "spatial", name)


@pytest.mark.parametrize("name", spatial.CLOSE)
def test_spatial_close(name: str) -> None:
    check(spatial.CLOSE[name], "spatial", name, ulps=16, scale=0.25)


@pytest.mark.filterwarnings("ignore:dropout option")
@pytest.mark.parametrize("name", sequences.EXACT)
def test_sequences(name: str) -> None:
    check(sequences.EXACT[name], "sequences", name)


@pytest.mark.filterwarnings("ignore:Support for mismatched")
@pytest.mark.parametrize("name", sequences.CLOSE)
def test_sequences_close(name: str) -> None:
    check(sequences.CLOSE[name], "sequences", name, ulps=32, scale=0.5)


@pytest.mark.parametrize("name", parts.EXACT)
def test_parts_exact(name: str) -> None:
    check(parts.EXACT[name], "parts", name)


@pytest.mark.filterwarnings("ignore:reduction")
@pytest.mark.parametrize("name", parts.CLOSE)
def test_parts(name: str) -> None:
    check(parts.CLOSE[name], "parts", name, ulps=32, scale=0.25)


@pytest.mark.parametrize("name", utilities.CLOSE)
def test_utilities(name: str) -> None:
    check(utilities.CLOSE[name], "utilities", name, ulps=64, scale=0.5)


def test_older_names() -> None:
    init = torch.nn.init
    for name in (name for name in init.__all__ if f"{name}_" in init.__all__):
        arguments = {"constant": (0.5,), "sparse": (0.5,)}.get(name, ())
        shape = (3, 2, 2) if name == "dirac" else (3, 2)
        torch.manual_seed(1)
        with pytest.warns(FutureWarning, match=f"`nn.init.{name}` is now deprecated in favor of `nn.init.{name}_`"):
            found = getattr(init, name)(torch.empty(shape), *arguments)
        torch.manual_seed(1)
        assert found.tolist() == getattr(init, f"{name}_")(torch.empty(shape), *arguments).tolist()


def test_backward_hooks_see_no_gradient_of_inputs_that_require_none() -> None:
    layer = torch.nn.Bilinear(2, 2, 1)
    seen: list[list[bool]] = []
    layer.register_full_backward_hook(lambda module, grads, result: seen.append([grad is None for grad in grads]))
    layer(torch.ones(1, 2, requires_grad=True), torch.ones(1, 2)).sum().backward()
    assert seen == [[False, True]]


@pytest.mark.parametrize("name", orthogonal.EXACT)
def test_orthogonal_refuses(name: str) -> None:
    check(orthogonal.EXACT[name], "orthogonal", name)


@pytest.mark.parametrize("name", orthogonal.CLOSE)
def test_orthogonal(name: str) -> None:
    """The maps are made of other steps than PyTorch's."""
    check(orthogonal.CLOSE[name], "orthogonal", name, ulps=64, scale=1)


@pytest.mark.parametrize("name", ["matrix_exp", "cayley", "householder"])
@pytest.mark.parametrize("shape", [(60, 60), (90, 50)])
def test_large_matrices_stay_orthogonal(name: str, shape: tuple[int, int]) -> None:
    torch.manual_seed(0)
    layer = torch.nn.utils.parametrizations.orthogonal(torch.nn.Linear(shape[1], shape[0]), "weight", name)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.5)
    for _ in range(3):
        optimizer.zero_grad()
        (layer.weight * torch.randn(shape)).sum().backward()
        optimizer.step()
        weight = layer.weight
        assert torch.allclose(weight.mT @ weight, torch.eye(shape[1]), atol=1e-5)
