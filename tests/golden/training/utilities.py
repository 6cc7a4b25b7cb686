"""Scenarios of nn.utils: weights computed from others, weights with zeros, layers taken together."""

from __future__ import annotations

import copy
import importlib
import pickle
import warnings
from typing import Any

from tests.golden.training.scenarios import Scenario, attempt, pattern


def filled(torch: Any, layer: Any) -> Any:
    for i, parameter in enumerate(layer.parameters()):
        parameter.data.copy_(pattern(torch, tuple(parameter.shape), i + 1))
    return layer


def observed(torch: Any, layer: Any, shape: tuple[int, ...]) -> Any:
    """Result, gradients and state of a layer, called twice."""
    answers = []
    for place in range(2):
        layer.zero_grad()
        result = layer(pattern(torch, shape, place))
        (result * pattern(torch, tuple(result.shape), 9)).sum().backward()
        answers.append([result, {name: p.grad for name, p in layer.named_parameters()}])
    return [answers, dict(layer.state_dict())]


def weight_norm(torch: Any) -> Any:
    answers = []
    utils = torch.nn.utils
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for layer, shape, dim in (
            (torch.nn.Linear(3, 2), (4, 3), 0),
            (torch.nn.Linear(3, 2), (4, 3), None),
            (torch.nn.Conv1d(2, 3, 2), (1, 2, 4), 1),
        ):
            older = utils.weight_norm(filled(torch, copy.deepcopy(layer)), dim=dim)
            newer = utils.parametrizations.weight_norm(filled(torch, copy.deepcopy(layer)), dim=dim)
            answers += [observed(torch, older, shape), observed(torch, newer, shape), repr(older), repr(newer)]
            state = older.state_dict()
            answers.append([str(newer.load_state_dict(state)), attempt(lambda layer=older: utils.weight_norm(layer))])
            utils.remove_weight_norm(older)
            answers.append([dict(older.state_dict()), attempt(lambda layer=older: utils.remove_weight_norm(layer))])
    return answers


def spectral_norm(torch: Any) -> Any:
    answers = []
    utils = torch.nn.utils
    for layer, shape in ((torch.nn.Linear(3, 2), (4, 3)), (torch.nn.ConvTranspose1d(2, 3, 2), (1, 2, 4))):
        torch.manual_seed(4)
        older = utils.spectral_norm(filled(torch, copy.deepcopy(layer)), n_power_iterations=2)
        newer = utils.parametrizations.spectral_norm(filled(torch, copy.deepcopy(layer)))
        answers += [observed(torch, older, shape), observed(torch, newer, shape), repr(newer)]
        older.eval(), newer.eval()
        answers += [observed(torch, older, shape), observed(torch, newer, shape)]
        utils.remove_spectral_norm(older)
        utils.parametrize.remove_parametrizations(newer, "weight")
        answers.append([dict(older.state_dict()), dict(newer.state_dict()), repr(newer)])
    plain = torch.nn.Linear(2, 2)
    return [
        *answers,
        attempt(lambda: utils.remove_spectral_norm(plain)),
        attempt(lambda: utils.spectral_norm(plain, n_power_iterations=0)),
        attempt(lambda: utils.parametrizations.spectral_norm(plain, "none")),
        attempt(lambda: utils.parametrizations.spectral_norm(plain, dim=2)),
    ]


def parametrized(torch: Any) -> Any:
    parametrize = torch.nn.utils.parametrize

    class Symmetric(torch.nn.Module):  # type: ignore[misc,name-defined]
        def forward(self, x: Any) -> Any:
            return x.triu() + x.triu(1).transpose(-1, -2)

        def right_inverse(self, x: Any) -> Any:
            return x.triu()

    class Scaled(torch.nn.Module):  # type: ignore[misc,name-defined]
        def forward(self, x: Any) -> Any:
            return 2 * x

    class Wider(torch.nn.Module):  # type: ignore[misc,name-defined]
        def forward(self, x: Any) -> Any:
            return x.reshape(-1)

    layer = filled(torch, torch.nn.Linear(3, 3))
    answers: list[Any] = [parametrize.is_parametrized(layer)]
    parametrize.register_parametrization(layer, "weight", Symmetric())
    answers += [observed(torch, layer, (2, 3)), repr(layer), type(layer).__name__]
    layer.weight = pattern(torch, (3, 3), 4)
    answers += [layer.weight, layer.parametrizations.weight.original]
    parametrize.register_parametrization(layer, "weight", Scaled())
    answers.append(observed(torch, layer, (2, 3)))
    answers.append(attempt(lambda: setattr(layer, "weight", pattern(torch, (3, 3), 4))))
    with parametrize.cached():
        answers.append(layer.weight is layer.weight)
    answers += [layer.weight is layer.weight, parametrize.is_parametrized(layer, "weight")]
    answers += [parametrize.is_parametrized(layer, "bias"), parametrize.type_before_parametrizations(layer).__name__]
    twin = copy.deepcopy(layer)
    answers += [twin.weight, attempt(lambda: pickle.dumps(layer)).splitlines()[0]]
    other = filled(torch, torch.nn.Linear(3, 3))
    parametrize.transfer_parametrizations_and_params(layer, other)
    answers.append(dict(other.state_dict()))
    parametrize.remove_parametrizations(layer, "weight", leave_parametrized=False)
    parametrize.remove_parametrizations(other, "weight")
    answers += [dict(layer.state_dict()), dict(other.state_dict()), type(other).__name__]
    return [
        *answers,
        attempt(lambda: parametrize.remove_parametrizations(other, "weight")),
        attempt(lambda: parametrize.register_parametrization(other, "none", Scaled())),
        attempt(lambda: parametrize.register_parametrization(other, "weight", Wider())).splitlines(),
    ]


def pruned(torch: Any) -> Any:
    prune = importlib.import_module(f"{torch.__name__}.nn.utils.prune")
    layer = filled(torch, torch.nn.Linear(4, 3))
    answers: list[Any] = [prune.is_pruned(layer)]
    prune.l1_unstructured(layer, "weight", 0.25)
    answers += [observed(torch, layer, (2, 4)), prune.is_pruned(layer)]
    prune.ln_structured(layer, "weight", 1, n=2, dim=0)
    answers += [layer.weight, layer.weight_mask]
    prune.l1_unstructured(layer, "weight", 2)
    prune.custom_from_mask(layer, "bias", torch.tensor([1, 0, 1]))
    answers.append(observed(torch, layer, (2, 4)))
    prune.identity(layer, "bias")
    prune.remove(layer, "weight")
    answers += [dict(layer.state_dict()), prune.is_pruned(layer)]
    model = torch.nn.Sequential(filled(torch, torch.nn.Linear(3, 3)), filled(torch, torch.nn.Linear(3, 2)))
    pairs = [(model[0], "weight"), (model[1], "weight")]
    prune.global_unstructured(pairs, pruning_method=prune.L1Unstructured, amount=0.5)
    answers += [dict(model.state_dict()), prune.L1Unstructured(3).prune(pattern(torch, (2, 3)))]
    torch.manual_seed(2)
    drawn = filled(torch, torch.nn.Linear(4, 4))
    prune.random_unstructured(drawn, "weight", 5)
    answers.append(int(drawn.weight_mask.sum()))
    prune.random_structured(drawn, "weight", 0.5, dim=1)
    answers.append(int((drawn.weight_mask.sum(0) != 0).sum()))
    return [
        *answers,
        attempt(lambda: prune.remove(layer, "weight")),
        attempt(lambda: prune.l1_unstructured(layer, "weight", 1.5)),
        attempt(lambda: prune.l1_unstructured(layer, "weight", -1)),
        attempt(lambda: prune.l1_unstructured(layer, "weight", 99)),
        attempt(lambda: prune.l1_unstructured(layer, "weight", "all")),
        attempt(lambda: prune.ln_structured(torch.nn.Linear(2, 2), "bias", 1, n=2, dim=0)),
        attempt(lambda: prune.global_unstructured(pairs, pruning_method=prune.LnStructured, amount=1, n=2))[:60],
    ]


def fused(torch: Any) -> Any:
    utils = torch.nn.utils
    answers = []
    for layer, norm, shape, transpose in (
        (torch.nn.Conv2d(2, 3, 2), torch.nn.BatchNorm2d(3), (1, 2, 3, 3), False),
        (torch.nn.ConvTranspose1d(2, 3, 2, bias=False), torch.nn.BatchNorm1d(3), (1, 2, 3), True),
    ):
        filled(torch, layer), filled(torch, norm)
        norm(layer(pattern(torch, shape, 5)))
        layer.eval(), norm.eval()
        together = utils.fuse_conv_bn_eval(layer, norm, transpose)
        x = pattern(torch, shape, 6)
        answers.append(
            [together(x), dict(together.state_dict()), bool((together(x) - norm(layer(x))).abs().max() < 1e-5)]
        )
    linear, norm = filled(torch, torch.nn.Linear(3, 2)), filled(torch, torch.nn.BatchNorm1d(2))
    norm(linear(pattern(torch, (4, 3))))
    refused = attempt(lambda: utils.fuse_linear_bn_eval(linear, norm))
    linear.eval(), norm.eval()
    return [*answers, refused, dict(utils.fuse_linear_bn_eval(linear, norm).state_dict())]


def stateless(torch: Any) -> Any:
    layer = filled(torch, torch.nn.Linear(3, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        given = {"weight": pattern(torch, (2, 3), 7)}
        result = torch.nn.utils.stateless.functional_call(layer, given, pattern(torch, (2, 3)))
    torch.manual_seed(3)
    made = torch.nn.utils.skip_init(torch.nn.Linear, 3, 2)
    return [
        result,
        layer.weight,
        list(made.weight.shape),
        torch.rand(3),
        attempt(lambda: torch.nn.utils.skip_init(torch.nn.ReLU)),
        attempt(lambda: torch.nn.utils.skip_init(dict)),
    ]


CLOSE: dict[str, Scenario] = {
    "weight_norm": weight_norm,
    "spectral_norm": spectral_norm,
    "parametrized": parametrized,
    "pruned": pruned,
    "fused": fused,
    "stateless": stateless,
}
"""Answers that may differ by rounding, since sums are taken in another order."""
