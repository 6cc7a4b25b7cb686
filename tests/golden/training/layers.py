"""Scenarios of layers, activations, losses, initialisation and the helpers of nn.utils."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.golden.training.scenarios import Scenario, attempt, pattern


def initialisation(torch: Any) -> Any:
    """All functions of nn.init, from one seed."""
    init = torch.nn.init
    calls: list[Callable[[Any], Any]] = [
        init.uniform_,
        lambda t: init.uniform_(t, -2, 5),
        init.normal_,
        lambda t: init.normal_(t, 1, 0.1),
        lambda t: init.constant_(t, 0.3),
        init.ones_,
        init.zeros_,
        init.eye_,
        init.xavier_uniform_,
        lambda t: init.xavier_normal_(t, gain=2.0),
        init.kaiming_uniform_,
        lambda t: init.kaiming_uniform_(t, a=5**0.5, mode="fan_out"),
        lambda t: init.kaiming_normal_(t, nonlinearity="relu"),
        lambda t: init.sparse_(t, 0.4),
        init.trunc_normal_,
        lambda t: init.trunc_normal_(t, 0, 1, 1.5, 2.5),
    ]
    torch.manual_seed(5)
    answers = [call(torch.empty(5, 4)) for call in calls]
    answers.append(init.dirac_(torch.empty(4, 2, 3), 2))
    parameter = torch.nn.Parameter(torch.empty(3, 3))
    answers += [init.uniform_(parameter) is parameter, parameter.requires_grad, parameter.grad_fn is None]
    gains = [
        init.calculate_gain(name) for name in ("linear", "conv2d", "sigmoid", "tanh", "relu", "leaky_relu", "selu")
    ]
    return [*answers, gains, init.calculate_gain("leaky_relu", 0.3)]


def orthogonal(torch: Any) -> Any:
    torch.manual_seed(5)
    return [torch.nn.init.orthogonal_(torch.empty(*shape), 2.0) for shape in ((4, 3), (3, 5), (2, 2, 2))]


def activation(name: str, *args: Any, **kwargs: Any) -> Scenario:
    """Result and gradient of an activation module."""

    def scenario(torch: Any) -> Any:
        x = (pattern(torch, (5, 6)) * 3).requires_grad_()
        result = getattr(torch.nn, name)(*args, **kwargs)(x * 1)
        (result * pattern(torch, (5, 6), 1)).sum().backward()
        return [result, x.grad]

    return scenario


def loss(name: str, target: str = "real", **kwargs: Any) -> Scenario:
    """Values and gradients of a loss module, with every reduction."""

    def scenario(torch: Any) -> Any:
        answers = []
        for reduction in ("mean", "sum", "none"):
            x = pattern(torch, (6, 5)).requires_grad_()
            targets = {
                "real": lambda: pattern(torch, (6, 5), 1),
                "probability": lambda: pattern(torch, (6, 5), 1) / 2 + 0.5,
                "class": lambda: torch.tensor([0, 4, 2, 2, 1, 3]),
                "ignored": lambda: torch.tensor([0, 4, -100, 2, 1, -100]),
            }
            options = {key: value(torch) if callable(value) else value for key, value in kwargs.items()}
            value = getattr(torch.nn, name)(reduction=reduction, **options)(
                x / 2 + 0.5 if name == "BCELoss" else x, targets[target]()
            )
            value.sum().backward()
            answers.append([value, x.grad])
        return answers

    return scenario


def normalised(name: str, shape: tuple[int, ...], *args: Any, **kwargs: Any) -> Scenario:
    """Results, gradients and state of a normalising layer in training and in evaluation."""

    def scenario(torch: Any) -> Any:
        layer = getattr(torch.nn, name)(*args, **kwargs)
        for i, parameter in enumerate(layer.parameters()):
            parameter.data.copy_(pattern(torch, tuple(parameter.shape), i + 1))
        answers = []
        for place in range(3):
            if place == 2:
                layer.eval()
            layer.zero_grad()
            x = pattern(torch, shape, place).requires_grad_()
            result = layer(x)
            (result * pattern(torch, shape, 9)).sum().backward()
            answers.append([result, x.grad, [p.grad for p in layer.parameters()]])
        return [*answers, dict(layer.state_dict())]

    return scenario


def embedded(torch: Any) -> Any:
    torch.manual_seed(4)
    layer = torch.nn.Embedding(5, 3, padding_idx=1)
    numbers = torch.tensor([[0, 1, 4], [4, 4, 2]])
    result = layer(numbers)
    (result * pattern(torch, (2, 3, 3), 1)).sum().backward()
    short = torch.nn.Embedding.from_pretrained(pattern(torch, (5, 3), 2), max_norm=0.5)
    by_count = torch.nn.Embedding(5, 3, scale_grad_by_freq=True, _weight=pattern(torch, (5, 3), 3))
    by_count(numbers).sum().backward()
    shortened = short(numbers)
    weights = [layer.weight, layer.weight.grad, short.weight, by_count.weight.grad]
    return [result, shortened, weights, short.weight.requires_grad]


def clipping(torch: Any) -> Any:
    def params() -> list[Any]:
        made = [pattern(torch, shape, i).requires_grad_() for i, shape in enumerate(((3, 2), (4,), (2,)))]
        for i, param in enumerate(made[:2]):
            param.grad = pattern(torch, tuple(param.shape), i + 5)
        return made

    answers: list[Any] = []
    for limit, order in ((0.5, 2.0), (0.5, float("inf")), (0.5, 1.0), (100.0, 2.0)):
        some = params()
        answers.append([torch.nn.utils.clip_grad_norm_(some, limit, order), [p.grad for p in some]])
    some = params()
    torch.nn.utils.clip_grad_value_(some, 0.25)
    answers.append([p.grad for p in some])
    some[0].grad.fill_(float("nan"))
    answers.append(attempt(lambda: torch.nn.utils.clip_grad_norm_(some, 1.0, error_if_nonfinite=True))[:60])
    return [*answers, torch.nn.utils.clip_grad_norm_([], 1.0)]


def vectors(torch: Any) -> Any:
    model = torch.nn.Linear(2, 3)
    vector = pattern(torch, (9,))
    torch.nn.utils.vector_to_parameters(vector, model.parameters())
    return [model.weight, model.bias, torch.nn.utils.parameters_to_vector(model.parameters())]


def dropped(torch: Any) -> Any:
    torch.manual_seed(1)
    x = torch.ones(6, 7, requires_grad=True)
    layer = torch.nn.Dropout(0.3)
    result = layer(x)
    result.sum().backward()
    return [result, x.grad, layer.eval()(x)]


EXACT: dict[str, Scenario] = {
    "initialisation": initialisation,
    "vectors": vectors,
    "dropped": dropped,
}

CLOSE: dict[str, Scenario] = {
    "orthogonal": orthogonal,
    "clipping": clipping,
    "ReLU": activation("ReLU"),
    "ReLU in place": activation("ReLU", inplace=True),
    "ReLU6": activation("ReLU6"),
    "Hardtanh": activation("Hardtanh", -0.5, 2.0),
    "LeakyReLU": activation("LeakyReLU", 0.1),
    "ELU": activation("ELU", 0.7),
    "SiLU": activation("SiLU"),
    "GELU": activation("GELU"),
    "GELU tanh": activation("GELU", "tanh"),
    "Sigmoid": activation("Sigmoid"),
    "LogSigmoid": activation("LogSigmoid"),
    "Tanh": activation("Tanh"),
    "Softplus": activation("Softplus", 2.0, 3.0),
    "Softsign": activation("Softsign"),
    "Tanhshrink": activation("Tanhshrink"),
    "Mish": activation("Mish"),
    "SiLU in place": activation("SiLU", inplace=True),
    "ELU in place": activation("ELU", inplace=True),
    "SELU": activation("SELU"),
    "CELU": activation("CELU", 0.6),
    "Hardsigmoid": activation("Hardsigmoid"),
    "Hardswish": activation("Hardswish"),
    "Threshold": activation("Threshold", 0.4, -1.0),
    "PReLU": activation("PReLU"),
    "PReLU of channels": activation("PReLU", 6, 0.1),
    "Softmax": activation("Softmax", 1),
    "LogSoftmax": activation("LogSoftmax", 0),
    "Softmin": activation("Softmin", -1),
    "MSELoss": loss("MSELoss"),
    "L1Loss": loss("L1Loss"),
    "SmoothL1Loss": loss("SmoothL1Loss", beta=0.4),
    "HuberLoss": loss("HuberLoss", delta=0.4),
    "KLDivLoss": loss("KLDivLoss", "probability"),
    "LayerNorm": normalised("LayerNorm", (4, 2, 3), (2, 3)),
    "RMSNorm": normalised("RMSNorm", (4, 5), 5),
    "GroupNorm": normalised("GroupNorm", (3, 4, 2), 2, 4),
    "BatchNorm1d": normalised("BatchNorm1d", (6, 3), 3),
    "BatchNorm1d of sequences": normalised("BatchNorm1d", (2, 3, 4), 3, momentum=None),
    "BatchNorm2d": normalised("BatchNorm2d", (2, 3, 2, 2), 3, track_running_stats=False, affine=False),
    "Embedding": embedded,
    "NLLLoss": loss("NLLLoss", "class"),
    "NLLLoss weighted": loss("NLLLoss", "ignored", weight=lambda torch: pattern(torch, (5,), 2) + 1.5),
    "CrossEntropyLoss": loss("CrossEntropyLoss", "class"),
    "CrossEntropyLoss weighted": loss(
        "CrossEntropyLoss", "ignored", weight=lambda torch: pattern(torch, (5,), 2) + 1.5, label_smoothing=0.2
    ),
    "CrossEntropyLoss probabilities": loss("CrossEntropyLoss", "probability"),
    "BCELoss": loss("BCELoss", "probability"),
    "BCEWithLogitsLoss": loss(
        "BCEWithLogitsLoss", "probability", pos_weight=lambda torch: pattern(torch, (5,), 2) + 1.5
    ),
}
"""Answers that may differ by rounding, since sums are taken in another order."""
