"""Scenarios of layers that work on images and the like: convolutions, pooling, padding, normalised channels."""

from __future__ import annotations

from typing import Any

from tests.golden.training.scenarios import Scenario, attempt, pattern

CONVOLUTIONS: dict[str, tuple[str, tuple[int, ...], tuple[Any, ...], dict[str, Any]]] = {
    "Conv1d": ("Conv1d", (2, 2, 6), (2, 4, 3), {"groups": 2, "stride": 2, "padding": 1}),
    "Conv2d": ("Conv2d", (2, 2, 4, 5), (2, 3, (3, 2)), {"dilation": (1, 2), "bias": False}),
    "Conv2d same": ("Conv2d", (2, 4, 5), (2, 3, (3, 2)), {"padding": "same"}),
    "Conv2d valid": ("Conv2d", (1, 2, 4, 5), (2, 3, 2), {"padding": "valid"}),
    "Conv2d reflect": ("Conv2d", (1, 2, 4, 5), (2, 3, 3), {"padding": (1, 2), "padding_mode": "reflect"}),
    "Conv1d replicate": ("Conv1d", (1, 2, 5), (2, 3, 4), {"padding": "same", "padding_mode": "replicate"}),
    "Conv3d circular": ("Conv3d", (1, 1, 3, 3, 2), (1, 2, 2), {"padding": 1, "padding_mode": "circular"}),
    "Conv3d": ("Conv3d", (1, 2, 3, 3, 2), (2, 2, (2, 3, 1)), {"stride": (1, 1, 2)}),
    "ConvTranspose1d": ("ConvTranspose1d", (2, 2, 4), (2, 4, 3), {"groups": 2, "stride": 2, "output_padding": 1}),
    "ConvTranspose2d": ("ConvTranspose2d", (1, 2, 3, 2), (2, 3, 3), {"stride": 2, "padding": 1, "bias": False}),
    "ConvTranspose3d": ("ConvTranspose3d", (1, 2, 2, 2, 1), (2, 1, 2), {"dilation": (1, 2, 1)}),
}
"""Name -> class, shape of the input, arguments."""

POOLS: dict[str, tuple[str, tuple[int, ...], tuple[Any, ...], dict[str, Any]]] = {
    "MaxPool1d": ("MaxPool1d", (2, 2, 7), (3,), {"stride": 2, "padding": 1}),
    "MaxPool2d": ("MaxPool2d", (1, 2, 5, 6), ((2, 3),), {"ceil_mode": True, "return_indices": True}),
    "MaxPool3d": ("MaxPool3d", (1, 4, 3, 4), (2,), {"dilation": (2, 1, 1), "stride": 1}),
    "AvgPool1d": ("AvgPool1d", (2, 2, 7), (3,), {"padding": 1, "count_include_pad": False}),
    "AvgPool2d": ("AvgPool2d", (1, 2, 5, 6), (3,), {"stride": 2, "padding": 1, "ceil_mode": True}),
    "AvgPool3d": ("AvgPool3d", (1, 4, 3, 4), (2,), {"divisor_override": 3}),
    "AdaptiveAvgPool1d": ("AdaptiveAvgPool1d", (2, 2, 7), (3,), {}),
    "AdaptiveAvgPool2d": ("AdaptiveAvgPool2d", (2, 5, 6), ((None, 4),), {}),
    "AdaptiveAvgPool3d": ("AdaptiveAvgPool3d", (1, 2, 2, 3, 4), (2,), {}),
    "AdaptiveMaxPool1d": ("AdaptiveMaxPool1d", (2, 2, 7), (3,), {"return_indices": True}),
    "AdaptiveMaxPool2d": ("AdaptiveMaxPool2d", (2, 5, 6), ((2, None),), {}),
    "AdaptiveMaxPool3d": ("AdaptiveMaxPool3d", (1, 2, 2, 3, 4), ((1, 2, 3),), {"return_indices": True}),
    "LPPool1d": ("LPPool1d", (2, 2, 7), (2, 3), {}),
    "LPPool2d": ("LPPool2d", (1, 2, 5, 6), (2, (2, 3)), {"stride": 1, "ceil_mode": True}),
    "LPPool2d of the largest": ("LPPool2d", (1, 2, 5, 6), (float("inf"), 2), {}),
    "Unfold": ("Unfold", (1, 2, 4, 3), (2,), {"padding": 1, "stride": 2}),
    "Fold": ("Fold", (1, 8, 6), ((4, 3), 2), {}),
    "ConstantPad1d": ("ConstantPad1d", (2, 2, 3), (2, 3.5), {}),
    "ConstantPad2d": ("ConstantPad2d", (2, 2, 3), ((1, 0, -1, 2), 0.5), {}),
    "ConstantPad3d": ("ConstantPad3d", (1, 2, 2, 3), (1, 0.5), {}),
    "ZeroPad1d": ("ZeroPad1d", (2, 3), (1,), {}),
    "ZeroPad2d": ("ZeroPad2d", (1, 2, 3), (1,), {}),
    "ZeroPad3d": ("ZeroPad3d", (1, 2, 2, 3), ((1, 0, 0, 0, 0, 1),), {}),
    "ReflectionPad1d": ("ReflectionPad1d", (2, 2, 4), (2,), {}),
    "ReflectionPad2d": ("ReflectionPad2d", (1, 3, 4), ((1, 2, 2, 1),), {}),
    "ReflectionPad3d": ("ReflectionPad3d", (1, 2, 2, 3), (1,), {}),
    "ReplicationPad1d": ("ReplicationPad1d", (2, 2, 4), (2,), {}),
    "ReplicationPad2d": ("ReplicationPad2d", (1, 3, 4), ((1, 2, 2, 1),), {}),
    "ReplicationPad3d": ("ReplicationPad3d", (1, 2, 2, 3), (1,), {}),
    "CircularPad1d": ("CircularPad1d", (2, 2, 4), (2,), {}),
    "CircularPad2d": ("CircularPad2d", (1, 3, 4), ((1, 2, 2, 1),), {}),
    "CircularPad3d": ("CircularPad3d", (1, 2, 2, 3), (1,), {}),
}

NORMS: dict[str, tuple[str, tuple[int, ...], tuple[Any, ...], dict[str, Any]]] = {
    "InstanceNorm1d": ("InstanceNorm1d", (2, 3, 4), (3,), {}),
    "InstanceNorm1d of one": ("InstanceNorm1d", (3, 4), (3,), {"affine": True}),
    "InstanceNorm2d": ("InstanceNorm2d", (2, 3, 2, 2), (3,), {"affine": True, "track_running_stats": True}),
    "InstanceNorm3d": ("InstanceNorm3d", (2, 2, 2, 1, 2), (2,), {"track_running_stats": True, "momentum": 0.3}),
    "BatchNorm3d": ("BatchNorm3d", (2, 2, 2, 1, 2), (2,), {}),
}


def made(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Scenario:
    """How a layer shows itself, and its first state."""

    def scenario(torch: Any) -> Any:
        torch.manual_seed(11)
        layer = getattr(torch.nn, name)(*args, **kwargs)
        return [repr(layer), dict(layer.state_dict())]

    return scenario


def run(name: str, shape: tuple[int, ...], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Scenario:
    """Results and gradients of a layer in training and in evaluation, and its state afterwards."""

    def scenario(torch: Any) -> Any:
        layer = getattr(torch.nn, name)(*args, **kwargs)
        for i, parameter in enumerate(layer.parameters()):
            parameter.data.copy_(pattern(torch, tuple(parameter.shape), i + 1))
        answers = []
        for place in range(2 if list(layer.buffers()) else 1):
            x = pattern(torch, shape, place).requires_grad_()
            found = layer(x)
            result = found[0] if isinstance(found, tuple) else found
            layer.zero_grad()
            (result * pattern(torch, tuple(result.shape), 9)).sum().backward()
            answers.append([found, x.grad, [p.grad for p in layer.parameters()]])
            layer.eval()
        return [*answers, dict(layer.state_dict()) if list(layer.buffers()) else {}]

    return scenario


def unpooled(torch: Any) -> Any:
    """What pooling lost comes back as zeros."""
    answers = []
    for dims in (1, 2, 3):
        x = pattern(torch, (1, 2, *(4, 5, 3)[:dims])).requires_grad_()
        pool = getattr(torch.nn, f"MaxPool{dims}d")(2, return_indices=True)
        back = getattr(torch.nn, f"MaxUnpool{dims}d")(2)
        values, indices = pool(x)
        result = back(values, indices, output_size=x.size())
        (result * pattern(torch, tuple(result.shape), 3)).sum().backward()
        usual = back(values.detach(), indices * 0) if dims == 1 else None
        wrong = attempt(lambda back=back, v=values, i=indices, n=dims: back(v, i, output_size=[99] * n))
        answers.append([repr(back), result, x.grad, usual, wrong])
    return answers


def sized(torch: Any) -> Any:
    """The size of a transposed convolution's result can be asked for."""
    layer = torch.nn.ConvTranspose2d(1, 1, 3, stride=2, padding=1)
    layer.weight.data.copy_(pattern(torch, (1, 1, 3, 3)))
    layer.bias.data.zero_()
    x = pattern(torch, (1, 1, 3, 3), 1)
    asked = [layer(x, output_size=size) for size in ([6, 5], torch.Size([1, 1, 5, 6]))]
    return [asked, attempt(lambda: layer(x, output_size=[7, 5])), attempt(lambda: layer(x, output_size=[7]))]


def refused(torch: Any) -> Any:
    """Texts of errors."""
    nn, functional = torch.nn, torch.nn.functional
    x = pattern(torch, (1, 2, 4, 4))
    actions = [
        lambda: nn.Conv2d(3, 4, 2, groups=2),
        lambda: nn.Conv2d(4, 3, 2, groups=2),
        lambda: nn.Conv2d(4, 4, 2, groups=0),
        lambda: nn.Conv2d(4, 4, 2, stride=2, padding="same"),
        lambda: nn.ConvTranspose2d(4, 4, 2, padding_mode="reflect"),
        lambda: nn.Conv2d(3, 4, 2)(x),
        lambda: nn.Conv2d(2, 4, 5)(x),
        lambda: nn.Conv2d(2, 4, 2)(x[0, 0]),
        lambda: nn.Conv1d(2, 4, 2)(x),
        lambda: nn.Conv2d(2, 4, 2)(x.double()),
        lambda: nn.ConvTranspose2d(2, 4, 2, output_padding=1)(x),
        lambda: nn.ConvTranspose2d(2, 4, 2, padding=5)(x),
        lambda: nn.MaxPool2d(2, padding=2)(x),
        lambda: nn.MaxPool2d(5)(x),
        lambda: nn.AvgPool2d(2)(x[0, 0]),
        lambda: nn.AvgPool2d(2, divisor_override=0)(x),
        lambda: nn.AdaptiveAvgPool2d((None, -1))(x),
        lambda: nn.AdaptiveAvgPool3d((1, 1, 1))(x[0, 0]),
        lambda: nn.LPPool2d(0, 2)(x),
        lambda: nn.ReflectionPad2d(4)(x),
        lambda: nn.CircularPad2d(5)(x),
        lambda: nn.ReplicationPad1d(1)(x),
        lambda: functional.pad(x, (1, 1), "mirror"),
        lambda: functional.pad(x, (1, 1, 1, 1), "reflect", 1.0),
        lambda: functional.fold(x[0], 3, 2),
        lambda: functional.unfold(x, 9),
        lambda: nn.InstanceNorm2d(3)(x[0, 0]),
        lambda: nn.InstanceNorm2d(3, affine=True)(x),
        lambda: nn.InstanceNorm1d(2)(x[:, :, :1, 0]),
    ]
    return [attempt(action).splitlines()[0] if isinstance(attempt(action), str) else "none" for action in actions]


EXACT: dict[str, Scenario] = {
    "refused": refused,
    **{
        f"{name}, made": made(cls, args, kwargs)
        for name, (cls, _, args, kwargs) in {**CONVOLUTIONS, **POOLS, **NORMS}.items()
    },
}
CLOSE: dict[str, Scenario] = {
    "unpooled": unpooled,
    "sized": sized,
    **{
        name: run(cls, shape, args, kwargs)
        for name, (cls, shape, args, kwargs) in {**CONVOLUTIONS, **POOLS, **NORMS}.items()
    },
}
"""Answers that may differ by rounding, since sums are taken in another order."""
