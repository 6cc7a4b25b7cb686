"""Layers and losses as data, so that Python and Java make the same ones: class, arguments, inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.golden.training.scenarios import Scenario, attempt, pattern

Maker = Callable[[Any], Any]
Part = tuple[str, tuple[Any, ...], dict[str, Any], tuple[Maker, ...]]
"""Class, arguments, named arguments (a function of the library gives a tensor), and functions that make the inputs."""


def real(*shape: int, place: int = 0, scale: float = 1.0) -> Maker:
    """A tensor with gradients."""
    return lambda torch: (pattern(torch, shape, place) * scale).requires_grad_()


def fixed(*shape: int, place: int = 0, scale: float = 1.0, shift: float = 0.0) -> Maker:
    """A tensor without."""
    return lambda torch: pattern(torch, shape, place) * scale + shift


def positive(*shape: int, place: int = 0) -> Maker:
    """A tensor of numbers above zero, with gradients."""
    return lambda torch: (pattern(torch, shape, place) / 2 + 1).requires_grad_()


def whole(values: Any) -> Maker:
    return lambda torch: torch.tensor(values)


def probabilities(steps: int, samples: int, classes: int) -> Maker:
    return lambda torch: pattern(torch, (steps, samples, classes)).log_softmax(2).detach().requires_grad_()


X = real(5, 6, scale=3)
SIGNS = whole([1, -1, 1, 1, -1, -1])
OTHERS = real(6, 5, place=1)
TRIPLE = (real(6, 5), OTHERS, real(6, 5, place=2))

ACTIVATIONS: dict[str, Part] = {
    "ReLU": ("ReLU", (), {}, (X,)),
    "ReLU6": ("ReLU6", (), {}, (X,)),
    "Hardtanh": ("Hardtanh", (), {"min_val": -0.5, "max_val": 2.0}, (X,)),
    "LeakyReLU": ("LeakyReLU", (), {"negative_slope": 0.1}, (X,)),
    "ELU": ("ELU", (), {"alpha": 0.7}, (X,)),
    "ELU in place": ("ELU", (), {"inplace": True}, (fixed(5, 6, scale=3),)),
    "SELU": ("SELU", (), {}, (X,)),
    "CELU": ("CELU", (), {"alpha": 0.6}, (X,)),
    "SiLU": ("SiLU", (), {}, (X,)),
    "Mish": ("Mish", (), {}, (X,)),
    "GELU": ("GELU", (), {}, (X,)),
    "GELU tanh": ("GELU", (), {"approximate": "tanh"}, (X,)),
    "GLU": ("GLU", (), {}, (X,)),
    "Sigmoid": ("Sigmoid", (), {}, (X,)),
    "LogSigmoid": ("LogSigmoid", (), {}, (X,)),
    "Tanh": ("Tanh", (), {}, (X,)),
    "Tanhshrink": ("Tanhshrink", (), {}, (X,)),
    "Softplus": ("Softplus", (), {"beta": 2.0, "threshold": 3.0}, (X,)),
    "Softsign": ("Softsign", (), {}, (X,)),
    "Softshrink": ("Softshrink", (), {"lambd": 0.75}, (X,)),
    "Hardshrink": ("Hardshrink", (), {}, (X,)),
    "Hardsigmoid": ("Hardsigmoid", (), {}, (X,)),
    "Hardswish": ("Hardswish", (), {}, (X,)),
    "Threshold": ("Threshold", (0.5, -1.0), {}, (X,)),
    "PReLU": ("PReLU", (), {}, (X,)),
    "PReLU of channels": ("PReLU", (6, 0.125), {}, (X,)),
    "RReLU": ("RReLU", (), {"lower": 0.25, "upper": 0.5}, (X,)),
    "Softmax": ("Softmax", (1,), {}, (X,)),
    "Softmax2d": ("Softmax2d", (), {}, (real(2, 3, 2, 2),)),
    "LogSoftmax": ("LogSoftmax", (0,), {}, (X,)),
    "Softmin": ("Softmin", (-1,), {}, (X,)),
}

LAYERS: dict[str, Part] = {
    "Identity": ("Identity", (), {}, (X,)),
    "Linear": ("Linear", (3, 4), {}, (real(2, 3),)),
    "Linear without bias": ("Linear", (3, 4), {"bias": False}, (real(2, 3),)),
    "Bilinear": ("Bilinear", (3, 2, 4), {}, (real(5, 3), real(5, 2, place=1))),
    "Embedding": ("Embedding", (5, 3), {}, (whole([[0, 1, 4], [4, 4, 2]]),)),
    "Embedding of short vectors": (
        "Embedding",
        (5, 3),
        {"padding_idx": -1, "max_norm": 0.75, "norm_type": 1.0},
        (whole([[0, 1, 4], [4, 4, 2]]),),
    ),
    "EmbeddingBag of short vectors": (
        "EmbeddingBag",
        (5, 3),
        {"padding_idx": 1, "max_norm": 0.75},
        (whole([[0, 1, 4], [4, 4, 2]]),),
    ),
    "EmbeddingBag": ("EmbeddingBag", (5, 3), {}, (whole([[0, 1, 4], [4, 4, 2]]),)),
    "EmbeddingBag sum": (
        "EmbeddingBag",
        (5, 3),
        {"mode": "sum", "scale_grad_by_freq": True},
        (whole([0, 1, 4, 4, 2]), whole([0, 2])),
    ),
    "EmbeddingBag max": (
        "EmbeddingBag",
        (5, 3),
        {"mode": "max", "include_last_offset": True},
        (whole([0, 1, 4, 4, 2]), whole([0, 2, 5])),
    ),
    "Flatten": ("Flatten", (), {}, (real(2, 3, 2),)),
    "Unflatten": ("Unflatten", (1, (2, 3)), {}, (real(2, 6),)),
    "Dropout": ("Dropout", (0.3,), {}, (real(6, 7),)),
    "Dropout1d": ("Dropout1d", (0.3,), {}, (real(3, 4, 2),)),
    "Dropout2d": ("Dropout2d", (0.4,), {}, (real(3, 4, 2, 2),)),
    "Dropout3d": ("Dropout3d", (0.4,), {}, (real(3, 4, 2, 1, 2),)),
    "AlphaDropout": ("AlphaDropout", (0.4,), {}, (real(5, 6),)),
    "FeatureAlphaDropout": ("FeatureAlphaDropout", (0.4,), {}, (real(3, 4, 2),)),
    "PixelShuffle": ("PixelShuffle", (2,), {}, (real(1, 4, 2, 3),)),
    "PixelUnshuffle": ("PixelUnshuffle", (2,), {}, (real(1, 1, 4, 6),)),
    "ChannelShuffle": ("ChannelShuffle", (2,), {}, (real(1, 4, 2, 3),)),
    "CosineSimilarity": ("CosineSimilarity", (), {"dim": 1}, (real(4, 3), real(4, 3, place=1))),
    "PairwiseDistance": ("PairwiseDistance", (), {"p": 3.0, "keepdim": True}, (real(4, 3), real(4, 3, place=1))),
    "LocalResponseNorm": ("LocalResponseNorm", (3,), {"alpha": 0.5}, (real(2, 5, 3),)),
    "LocalResponseNorm of images": ("LocalResponseNorm", (2,), {"k": 2.0}, (real(1, 4, 2, 3),)),
    "CrossMapLRN2d": ("CrossMapLRN2d", (3,), {"alpha": 0.5, "k": 1.0}, (fixed(1, 2, 2, 3),)),
    "CrossMapLRN2d of even size": ("CrossMapLRN2d", (4,), {"alpha": 0.5, "k": 1.0}, (fixed(1, 2, 2, 3),)),
    "LayerNorm": ("LayerNorm", ((2, 3),), {}, (real(4, 2, 3),)),
    "RMSNorm": ("RMSNorm", ((5,),), {"eps": 1e-3}, (real(4, 5),)),
    "RMSNorm without weight": ("RMSNorm", ((5,),), {"elementwise_affine": False}, (real(4, 5),)),
    "BatchNorm1d": ("BatchNorm1d", (3,), {}, (real(6, 3),)),
    "LPPool3d": ("LPPool3d", (2.0, 2), {}, (real(1, 2, 4, 3, 4),)),
    "GroupNorm": ("GroupNorm", (2, 4), {}, (real(3, 4, 2),)),
    "FractionalMaxPool2d": ("FractionalMaxPool2d", (2,), {"output_size": 3}, (real(1, 2, 5, 6),)),
    "FractionalMaxPool2d by ratio": ("FractionalMaxPool2d", ((2, 1),), {"output_ratio": (0.5, 0.7)}, (real(2, 6, 5),)),
    "FractionalMaxPool3d": ("FractionalMaxPool3d", (2,), {"output_size": (2, 1, 2)}, (real(1, 2, 4, 3, 4),)),
    "Upsample": ("Upsample", (), {"scale_factor": 2.0, "mode": "bilinear"}, (real(1, 2, 3, 2),)),
    "Upsample to a size": ("Upsample", (), {"size": 5, "mode": "nearest"}, (real(1, 2, 3),)),
}


def reduced(name: str, kwargs: dict[str, Any], *inputs: Maker, label: str = "") -> dict[str, Part]:
    """A loss with every reduction."""
    return {
        f"{name} {reduction}{label}": (name, (), {**kwargs, "reduction": reduction}, inputs)
        for reduction in ("mean", "sum", "none")
    }


def class_weights(torch: Any) -> Any:
    return pattern(torch, (5,), 2) + 1.5


CLASSES = whole([0, 4, 2, 2, 1, 3])
SHARES = fixed(6, 5, place=1, scale=0.5, shift=0.5)
LOSSES: dict[str, Part] = {
    **reduced("MSELoss", {}, real(6, 5), OTHERS),
    **reduced("L1Loss", {}, real(6, 5), OTHERS),
    **reduced("SmoothL1Loss", {"beta": 0.4}, real(6, 5), OTHERS),
    **reduced("HuberLoss", {"delta": 0.4}, real(6, 5), OTHERS),
    **reduced("NLLLoss", {"weight": class_weights}, real(6, 5), CLASSES),
    **reduced("CrossEntropyLoss", {"weight": class_weights, "label_smoothing": 0.25}, real(6, 5), CLASSES),
    **reduced("BCELoss", {"weight": class_weights}, lambda torch: SHARES(torch).requires_grad_(), SHARES),
    **reduced("BCEWithLogitsLoss", {"pos_weight": class_weights}, real(6, 5), SHARES),
    **reduced("KLDivLoss", {"log_target": True}, real(6, 5), OTHERS),
    **reduced("HingeEmbeddingLoss", {"margin": 0.75}, real(6), SIGNS),
    **reduced("CosineEmbeddingLoss", {"margin": 0.125}, real(6, 5), OTHERS, SIGNS),
    **reduced("MarginRankingLoss", {"margin": 0.25}, real(6), real(6, place=1), SIGNS),
    **reduced("SoftMarginLoss", {}, real(6), SIGNS),
    **reduced("MultiMarginLoss", {}, real(6, 5), CLASSES),
    **reduced(
        "MultiMarginLoss", {"p": 2, "margin": 0.5, "weight": class_weights}, real(6, 5), CLASSES, label=", squared"
    ),
    **reduced("MultiLabelMarginLoss", {}, real(2, 4), whole([[3, 0, -1, 1], [2, -1, 0, 0]])),
    **reduced("MultiLabelSoftMarginLoss", {"weight": class_weights}, real(6, 5), SHARES),
    **reduced("PoissonNLLLoss", {}, real(6, 5), positive(6, 5, place=1)),
    **reduced("GaussianNLLLoss", {"full": True}, real(6, 5), OTHERS, positive(6, 5, place=2)),
    **reduced("TripletMarginLoss", {"margin": 0.5, "p": 1.5, "swap": True}, *TRIPLE),
    **reduced("TripletMarginWithDistanceLoss", {"margin": 0.5}, *TRIPLE),
    **reduced(
        "CTCLoss",
        {"zero_infinity": True},
        probabilities(6, 2, 4),
        whole([[1, 2], [3, 1]]),
        whole([6, 5]),
        whole([2, 1]),
    ),
}
ALL = {**ACTIVATIONS, **LAYERS, **LOSSES}


def layer_of(torch: Any, name: str) -> Any:
    cls, args, kwargs, _ = ALL[name]
    torch.manual_seed(11)
    return getattr(torch.nn, cls)(
        *args, **{key: value(torch) if callable(value) else value for key, value in kwargs.items()}
    )


def weighed(torch: Any, result: Any) -> Any:
    return (result * pattern(torch, tuple(result.shape), 9)).sum()


def run(name: str) -> Scenario:
    """How a layer shows itself, its first state, its result and all gradients."""

    def scenario(torch: Any) -> Any:
        layer = layer_of(torch, name)
        inputs = [make(torch) for make in ALL[name][3]]
        torch.manual_seed(5)
        result = layer(*inputs)
        if result.requires_grad:
            weighed(torch, result).backward()
        return [
            repr(layer),
            dict(layer.state_dict()),
            result,
            [one.grad if one.is_floating_point() and one.requires_grad else None for one in inputs],
            [parameter.grad for parameter in layer.parameters()],
        ]

    return scenario


def adaptive(torch: Any) -> Any:
    """The softmax of clusters: losses, probabilities of all classes, the most probable ones."""
    torch.manual_seed(3)
    layer = torch.nn.AdaptiveLogSoftmaxWithLoss(8, 10, [2, 5], div_value=2.0, head_bias=True)
    x = pattern(torch, (6, 8)).requires_grad_()
    output, loss = layer(x, torch.tensor([0, 9, 3, 1, 4, 6]))
    loss.backward()
    alone = layer(x[0], torch.tensor(7))
    return [
        repr(layer),
        output,
        loss,
        x.grad,
        [p.grad for p in layer.parameters()],
        layer.log_prob(x),
        layer.predict(x),
        list(alone),
    ]


def linear_cross_entropy(torch: Any) -> Any:
    torch.manual_seed(3)
    layer = torch.nn.LinearCrossEntropyLoss(4, 3, bias=True, label_smoothing=0.1)
    loss = layer(pattern(torch, (5, 4)), torch.tensor([0, 2, 1, 1, 0]))
    loss.backward()
    return [repr(layer), loss, [p.grad for p in layer.parameters()]]


CLOSE: dict[str, Scenario] = {
    **{name: run(name) for name in ALL},
    "AdaptiveLogSoftmaxWithLoss": adaptive,
    "LinearCrossEntropyLoss": linear_cross_entropy,
}
"""Answers that may differ by rounding, since sums are taken in another order."""


def refused(torch: Any) -> Any:
    """The class and first line of errors about what does not fit."""
    functional, nn = torch.nn.functional, torch.nn
    x, y = pattern(torch, (3, 4)), pattern(torch, (3, 4), 1)
    image = pattern(torch, (1, 4, 2, 2))
    classes = torch.tensor([0, 1, 2])
    table, numbers = pattern(torch, (5, 3)), torch.tensor([0, 1, 2, 4])
    steps, labels = pattern(torch, (6, 2, 4)), torch.tensor([[1, 2], [3, 1]])
    actions: list[Callable[[], Any]] = [
        lambda: functional.softshrink(x, -1.0),
        lambda: functional.rrelu(x, 0.5, 0.25),
        lambda: functional.multi_margin_loss(x, classes, p=3),
        lambda: functional.multi_margin_loss(x, classes[:2]),
        lambda: functional.multi_margin_loss(x, classes + 3),
        lambda: functional.multi_margin_loss(x, classes, weight=torch.ones(3)),
        lambda: functional.multilabel_margin_loss(x, torch.tensor([[0, 7, -1, 0]] * 3)),
        lambda: functional.multilabel_margin_loss(x, torch.tensor([[0, 1, -1, 0]] * 2)),
        lambda: functional.cosine_embedding_loss(x, y, classes[None]),
        lambda: functional.cosine_embedding_loss(x, y[0], classes),
        lambda: functional.margin_ranking_loss(x, y, classes),
        lambda: functional.triplet_margin_loss(x, y, x[0]),
        lambda: functional.triplet_margin_loss(x, y, x, margin=0.0),
        lambda: functional.triplet_margin_with_distance_loss(x, y, x[0]),
        lambda: functional.gaussian_nll_loss(x, y, -x.abs()),
        lambda: functional.gaussian_nll_loss(x, y, torch.ones(2)),
        lambda: functional.gaussian_nll_loss(x, y, torch.ones(3), reduction="most"),
        lambda: functional.poisson_nll_loss(x, y, reduction="most"),
        lambda: functional.hinge_embedding_loss(x, y, reduction="most"),
        lambda: functional.pdist(x[0]),
        lambda: functional.pdist(x, -1.0),
        lambda: functional.pixel_shuffle(image, 3),
        lambda: functional.pixel_shuffle(x, 1),
        lambda: functional.pixel_shuffle(image, 0),
        lambda: functional.pixel_unshuffle(image, 3),
        lambda: functional.channel_shuffle(image, 3),
        lambda: functional.channel_shuffle(x, 1),
        lambda: functional.channel_shuffle(image, 0),
        lambda: functional.local_response_norm(x, 2),
        lambda: functional.dropout1d(x[0]),
        lambda: functional.alpha_dropout(x, 2.0),
        lambda: functional.feature_alpha_dropout(x[0], 0.5, True),
        lambda: functional.embedding_bag(numbers, table),
        lambda: functional.embedding_bag(numbers, table, torch.tensor([1, 2])),
        lambda: functional.embedding_bag(numbers, table, torch.tensor([0, 5])),
        lambda: functional.embedding_bag(numbers.float(), table, torch.tensor([0])),
        lambda: functional.embedding_bag(numbers, table, torch.tensor([0]), mode="most"),
        lambda: functional.embedding_bag(numbers, table, torch.tensor([0]), mode="max", scale_grad_by_freq=True),
        lambda: functional.embedding_bag(numbers, table, torch.tensor([0]), per_sample_weights=torch.ones(4)),
        lambda: functional.embedding_bag(numbers, table, torch.tensor([0]), per_sample_weights=torch.ones(3)),
        lambda: functional.ctc_loss(steps, labels, (6, 7), (2, 1)),
        lambda: functional.ctc_loss(steps, labels, (6, 5), (2, 3)),
        lambda: functional.ctc_loss(steps, labels, (6,), (2, 1)),
        lambda: functional.ctc_loss(steps, labels, (6, 5), (2, 1), blank=4),
        lambda: functional.ctc_loss(steps, labels.reshape(-1)[:3], (6, 5), (2, 2)),
        lambda: functional.fractional_max_pool2d(image, 2, output_size=6),
        lambda: functional.fractional_max_pool2d(image, 2),
        lambda: functional.grid_sample(image, torch.ones(2, 3, 3, 2), align_corners=False),
        lambda: functional.grid_sample(image, torch.ones(1, 3, 3, 2), mode="most", align_corners=False),
        lambda: functional.grid_sample(image, torch.ones(1, 3, 3, 3), align_corners=False),
        lambda: functional.affine_grid(torch.ones(1, 2, 2), [1, 2, 3, 4], align_corners=False),
        lambda: functional.affine_grid(torch.ones(1, 2, 3), [1, 2, 3], align_corners=False),
        lambda: functional.conv_tbc(x, x, x),
        lambda: functional.linear_cross_entropy(x, pattern(torch, (2, 3)), classes),
        lambda: nn.AdaptiveLogSoftmaxWithLoss(4, 5, [3, 2]),
        lambda: nn.AdaptiveLogSoftmaxWithLoss(4, 5, []),
        lambda: nn.AdaptiveLogSoftmaxWithLoss(4, 5, [2])(x, classes + 4),
        lambda: nn.FractionalMaxPool2d(2),
        lambda: nn.FractionalMaxPool2d(2, output_ratio=1.5),
        lambda: nn.MultiMarginLoss(p=3),
        lambda: nn.TripletMarginLoss(margin=-1.0),
        lambda: nn.Softmax2d()(x),
        lambda: nn.Dropout2d(1.5),
        lambda: nn.EmbeddingBag(3, 2, padding_idx=3),
    ]
    answers = [attempt(action) for action in actions]
    return [answer.splitlines()[0] if isinstance(answer, str) else "none" for answer in answers]


EXACT: dict[str, Scenario] = {"refused": refused}
