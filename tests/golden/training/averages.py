"""Scenarios of averaged models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.golden.training.scenarios import Scenario, attempt, pattern


def changing_model(torch: Any) -> tuple[Any, Callable[[int], None]]:
    """A model, and a function that gives it other parameters and buffers."""
    model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2), torch.nn.Linear(2, 1, bias=False))

    def change(place: int) -> None:
        for i, tensor in enumerate((*model.parameters(), model[1].running_mean, model[1].running_var)):
            tensor.data.copy_(pattern(torch, tuple(tensor.shape), 7 * place + i))
        model[1].num_batches_tracked.fill_(3 * place)

    change(0)
    return model, change


def average(make: Callable[[Any, Any], Any]) -> Scenario:
    """The state of an average after each of some updates, and what the averaged model computes."""

    def scenario(torch: Any) -> Any:
        model, change = changing_model(torch)
        averaged = make(torch, model)
        states = []
        for place in range(1, 6):
            averaged.update_parameters(model)
            states.append({name: tensor.clone() for name, tensor in averaged.state_dict().items()})
            change(place)
        again = make(torch, model)
        again.load_state_dict(averaged.state_dict())
        again.update_parameters(model)
        unchanged = [model[0].weight.clone(), averaged.module is not model]
        return [states, dict(again.state_dict()), unchanged]

    return scenario


def used(torch: Any) -> Any:
    model, change = changing_model(torch)
    averaged = torch.optim.swa_utils.AveragedModel(model)
    averaged.update_parameters(model)
    change(1)
    averaged.update_parameters(model)
    x = pattern(torch, (4, 3), 5)
    return [averaged(x), averaged.eval()(x), repr(averaged)]


def statistics(torch: Any) -> Any:
    """update_bn with tensors and with pairs."""
    answers = []
    for pack in (lambda x: x, lambda x: (x, 3), lambda x: [x]):
        model, _ = changing_model(torch)
        model.eval()
        torch.optim.swa_utils.update_bn((pack(pattern(torch, (5, 3), i)) for i in range(4)), model)
        answers.append([dict(model.state_dict()), model.training, model[1].momentum])
    plain = torch.nn.Linear(3, 2)
    torch.optim.swa_utils.update_bn([1], plain)  # nothing to do: the loader is not touched
    return answers


def refusals(torch: Any) -> Any:
    swa = torch.optim.swa_utils
    model = torch.nn.Linear(1, 1)
    return [
        attempt(action)
        for action in (
            lambda: swa.AveragedModel(model, avg_fn=swa.get_swa_avg_fn(), multi_avg_fn=swa.get_swa_multi_avg_fn()),
            lambda: swa.get_ema_avg_fn(1.5),
            lambda: swa.get_ema_multi_avg_fn(-1),
        )
    ]


EXACT: dict[str, Scenario] = {"refusals": refusals}
CLOSE: dict[str, Scenario] = {
    "mean": average(lambda torch, model: torch.optim.swa_utils.AveragedModel(model)),
    "mean with buffers": average(lambda torch, model: torch.optim.swa_utils.AveragedModel(model, use_buffers=True)),
    "moving": average(
        lambda torch, model: torch.optim.swa_utils.AveragedModel(
            model, avg_fn=torch.optim.swa_utils.get_ema_avg_fn(0.9)
        )
    ),
    "moving, several": average(
        lambda torch, model: torch.optim.swa_utils.AveragedModel(
            model, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.7), use_buffers=True
        )
    ),
    "mean, several": average(
        lambda torch, model: torch.optim.swa_utils.AveragedModel(
            model, multi_avg_fn=torch.optim.swa_utils.get_swa_multi_avg_fn()
        )
    ),
    "of one's own": average(
        lambda torch, model: torch.optim.swa_utils.AveragedModel(
            model, avg_fn=lambda mean, value, count: 0.5 * mean + 0.5 * value
        )
    ),
    "used": used,
    "statistics": statistics,
}
"""Answers that may differ by rounding."""
