"""Scenarios of layers that work on sequences: recurrent ones, attention, transformers, packing; and of resampling."""

from __future__ import annotations

from typing import Any

from tests.golden.training.scenarios import Scenario, attempt, pattern

RECURRENT: dict[str, tuple[str, tuple[Any, ...], dict[str, Any]]] = {
    "LSTM": ("LSTM", (3, 4), {}),
    "LSTM of layers": ("LSTM", (3, 4, 2), {"bidirectional": True, "batch_first": True, "bias": False}),
    "LSTM projected": ("LSTM", (3, 4, 2), {"proj_size": 2, "bidirectional": True}),
    "GRU": ("GRU", (3, 4), {}),
    "GRU of layers": ("GRU", (3, 4, 2), {"bidirectional": True, "batch_first": True}),
    "RNN": ("RNN", (3, 4), {}),
    "RNN of layers": ("RNN", (3, 4, 2), {"nonlinearity": "relu", "bidirectional": True, "bias": False}),
    "LSTMCell": ("LSTMCell", (3, 4), {}),
    "GRUCell": ("GRUCell", (3, 4), {"bias": False}),
    "RNNCell": ("RNNCell", (3, 4), {}),
    "RNNCell of relu": ("RNNCell", (3, 4), {"nonlinearity": "relu"}),
}
ATTENTIVE: dict[str, tuple[str, tuple[Any, ...], dict[str, Any]]] = {
    "MultiheadAttention": ("MultiheadAttention", (4, 2), {}),
    "MultiheadAttention of all": (
        "MultiheadAttention",
        (4, 2),
        {"add_bias_kv": True, "add_zero_attn": True, "kdim": 3, "vdim": 5, "batch_first": True},
    ),
    "MultiheadAttention without bias": ("MultiheadAttention", (4, 2), {"bias": False, "batch_first": True}),
    "TransformerEncoderLayer": ("TransformerEncoderLayer", (4, 2, 6), {"dropout": 0.0}),
    "TransformerEncoderLayer of norm first": (
        "TransformerEncoderLayer",
        (4, 2, 6, 0.0, "gelu"),
        {"norm_first": True, "batch_first": True},
    ),
    "TransformerDecoderLayer": ("TransformerDecoderLayer", (4, 2, 6, 0.0), {"bias": False}),
    "Transformer": ("Transformer", (4, 2, 2, 2, 6, 0.0), {}),
}
OTHERS: dict[str, tuple[str, tuple[Any, ...], dict[str, Any]]] = {
    "Bilinear": ("Bilinear", (2, 3, 4), {}),
    "Bilinear without bias": ("Bilinear", (2, 3, 4), {"bias": False}),
    "Upsample": ("Upsample", (), {"scale_factor": (2, 1.5), "mode": "bilinear", "align_corners": True}),
    "Upsample to a size": ("Upsample", ((5, 3),), {"mode": "bicubic"}),
    "UpsamplingNearest2d": ("UpsamplingNearest2d", (), {"scale_factor": 2}),
    "UpsamplingBilinear2d": ("UpsamplingBilinear2d", (3,), {}),
}


def make(torch: Any, made: tuple[str, tuple[Any, ...], dict[str, Any]]) -> Any:
    name, args, kwargs = made
    return getattr(torch.nn, name)(*args, **kwargs)


def filled(torch: Any, made: tuple[str, tuple[Any, ...], dict[str, Any]]) -> Any:
    layer = make(torch, made)
    for i, parameter in enumerate(layer.parameters()):
        parameter.data.copy_(pattern(torch, tuple(parameter.shape), i + 1))
    return layer


def flat(value: Any) -> list[Any]:
    """The tensors of a result."""
    return [t for item in value for t in flat(item)] if isinstance(value, (list, tuple)) else [value]


def learned(torch: Any, layer: Any, results: Any, inputs: list[Any]) -> list[Any]:
    """The results and, for the sum of their products with patterns, the gradients of all that has one."""
    found = [t for t in flat(results) if t is not None]
    total = sum((t * pattern(torch, tuple(t.shape), 20 + i)).sum() for i, t in enumerate(found))
    total.backward()
    return [found, [x.grad for x in inputs], [p.grad for p in layer.parameters()]]


def first_state(made: tuple[str, tuple[Any, ...], dict[str, Any]]) -> Scenario:
    def scenario(torch: Any) -> Any:
        torch.manual_seed(11)
        layer = make(torch, made)
        return [repr(layer), dict(layer.state_dict())]

    return scenario


def run_layer(made: tuple[str, tuple[Any, ...], dict[str, Any]]) -> Scenario:
    """Without a state, with one, for one sequence, and packed."""

    def scenario(torch: Any) -> Any:
        layer = filled(torch, made)
        x = pattern(torch, (2, 5, 3) if layer.batch_first else (5, 2, 3), 9).requires_grad_()
        answers = [learned(torch, layer, layer(x), [x])]
        last = layer(x)[1]
        state = [pattern(torch, tuple(t.shape), 12 + i).requires_grad_() for i, t in enumerate(flat(last))]
        layer.zero_grad()
        answers.append(learned(torch, layer, layer(x, state if len(state) > 1 else state[0]), state))
        one = layer(x[0] if layer.batch_first else x[:, 0])
        rnn = torch.nn.utils.rnn
        packed = rnn.pack_padded_sequence(x, [3, 5], layer.batch_first, enforce_sorted=False)
        layer.zero_grad()
        given = [t.detach() for t in state]
        output, last = layer(packed, tuple(given) if len(given) > 1 else given[0])
        padded = rnn.pad_packed_sequence(output, layer.batch_first, 0.5)
        answers.append(learned(torch, layer, [padded[0], last], [x]))
        return [*answers, flat(one), padded[1]]

    return scenario


def run_cell(made: tuple[str, tuple[Any, ...], dict[str, Any]]) -> Scenario:
    def scenario(torch: Any) -> Any:
        layer = filled(torch, made)
        x = pattern(torch, (2, 3), 9).requires_grad_()
        first = learned(torch, layer, layer(x), [x])
        layer.zero_grad()
        state = layer(x)
        return [first, learned(torch, layer, layer(x, state), [x]), layer(x[0])]

    return scenario


def attention(made: tuple[str, tuple[Any, ...], dict[str, Any]]) -> Scenario:
    def scenario(torch: Any) -> Any:
        layer = filled(torch, made)
        order = (lambda t: t) if layer.batch_first else (lambda t: t.transpose(0, 1).contiguous())
        query, key, value = (
            order(pattern(torch, (2, steps, size), 9 + i)).requires_grad_()
            for i, (steps, size) in enumerate(((3, 4), (5, layer.kdim), (5, layer.vdim)))
        )
        padding = torch.tensor([[False] * 5, [False, False, True, False, True]])
        mask = torch.triu(torch.ones(3, 5, dtype=torch.bool), 2)
        calls: list[dict[str, Any]] = [
            {},
            {"need_weights": False},
            {"average_attn_weights": False, "key_padding_mask": padding},
            {"attn_mask": mask, "need_weights": False, "key_padding_mask": padding},
            {"attn_mask": pattern(torch, (4, 3, 5), 3)},
        ]
        answers = []
        for kwargs in calls:
            layer.zero_grad()
            query.grad = key.grad = value.grad = None
            answers.append(learned(torch, layer, layer(query, key, value, **kwargs), [query, key, value]))
        if layer.kdim == 4:
            layer.zero_grad()
            query.grad = None
            causal = torch.triu(torch.ones(3, 3, dtype=torch.bool), 1)
            found = layer(query, query, query, attn_mask=causal, is_causal=True, need_weights=False)
            answers.append(learned(torch, layer, found, [query]))
        steps = [t[0] if layer.batch_first else t[:, 0] for t in (query, key, value)]
        return [*answers, [t.detach() for t in layer(*steps)]]

    return scenario


def encoder_layer(made: tuple[str, tuple[Any, ...], dict[str, Any]]) -> Scenario:
    def scenario(torch: Any) -> Any:
        layer = filled(torch, made)
        first = layer.self_attn.batch_first
        x = pattern(torch, (2, 3, 4) if first else (3, 2, 4), 9).requires_grad_()
        mask = torch.nn.Transformer.generate_square_subsequent_mask(3)
        padding = torch.zeros(2, 3)
        padding[0, 2] = float("-inf")
        plain = learned(torch, layer, layer(x), [x])
        layer.zero_grad()
        masked = learned(torch, layer, layer(x, mask, padding), [x])
        return [plain, masked, layer(x, mask, is_causal=True).detach(), layer(x[:, 0]).detach()]

    return scenario


def decoder_layer(made: tuple[str, tuple[Any, ...], dict[str, Any]]) -> Scenario:
    def scenario(torch: Any) -> Any:
        layer = filled(torch, made)
        x, memory = (pattern(torch, (steps, 2, 4), 9 + steps).requires_grad_() for steps in (3, 5))
        mask = torch.nn.Transformer.generate_square_subsequent_mask(3)
        return [learned(torch, layer, layer(x, memory, mask), [x, memory])]

    return scenario


def transformer(made: tuple[str, tuple[Any, ...], dict[str, Any]]) -> Scenario:
    def scenario(torch: Any) -> Any:
        torch.manual_seed(3)
        layer = make(torch, made)
        source, target = (pattern(torch, (steps, 2, 4), 9 + steps).requires_grad_() for steps in (5, 3))
        mask = layer.generate_square_subsequent_mask(3)
        return [mask.exp(), learned(torch, layer, layer(source, target, tgt_mask=mask), [source, target])]

    return scenario


def packing(torch: Any) -> Any:
    """Packing, padding and back."""
    rnn = torch.nn.utils.rnn
    parts = [pattern(torch, (steps, 2), steps) for steps in (3, 2, 4)]
    packed = rnn.pack_sequence(parts, enforce_sorted=False)
    padded = rnn.pad_sequence(parts, padding_value=-1.0)
    answers = [list(packed), padded, rnn.pad_sequence(parts, batch_first=True, padding_side="left")]
    answers += [rnn.unpad_sequence(padded.clone(), torch.tensor([3, 2, 4])), rnn.unpack_sequence(packed)]
    answers += [rnn.pad_packed_sequence(packed, total_length=6), rnn.pad_packed_sequence(packed, True, 7.0)]
    answers += [repr(rnn.PackedSequence(torch.zeros(2), torch.tensor([2]))), packed.is_cuda]
    answers += [packed.to(torch.float64).data, packed.double().data.dtype == torch.float64]
    return [*answers, rnn.invert_permutation(torch.tensor([2, 0, 1])), rnn.invert_permutation(None)]


def dropped(torch: Any) -> Any:
    """Dropout between layers, and in attention, with random numbers in PyTorch's order."""
    answers = []
    lstm = filled(torch, ("LSTM", (3, 4, 3), {"dropout": 0.4}))
    x = pattern(torch, (5, 2, 3), 9)
    torch.manual_seed(5)
    answers.append(lstm(x)[0].detach())
    lstm.eval()
    answers.append(lstm(x)[0].detach())
    layer = filled(torch, ("MultiheadAttention", (4, 2, 0.4), {}))
    q = pattern(torch, (3, 2, 4), 8)
    for need_weights in (True, False):
        torch.manual_seed(6)
        answers.append(layer(q, q, q, need_weights=need_weights)[0].detach())
    block = filled(torch, ("TransformerEncoderLayer", (4, 2, 6, 0.3), {}))
    torch.manual_seed(7)
    answers.append(block(q).detach())
    return answers


def resampled(torch: Any) -> Any:
    """All modes of interpolate, with their gradients."""
    functional = torch.nn.functional
    answers = []
    for dims, modes in ((1, "linear"), (2, "bilinear bicubic"), (3, "trilinear")):
        for mode in ["nearest", "nearest-exact", "area", *modes.split()]:
            blocky = mode in ("nearest", "nearest-exact", "area")
            for align in (None,) if blocky else (False, True):
                sizes: list[dict[str, Any]] = [
                    {"size": (5, 2, 6)[:dims]},
                    {"scale_factor": 1.7},
                    {"scale_factor": 0.6, "recompute_scale_factor": True},
                ]
                for kwargs in sizes:
                    x = pattern(torch, (1, 2, *(3, 4, 3)[:dims]), 4).requires_grad_()
                    found = functional.interpolate(x, mode=mode, align_corners=align, **kwargs)
                    (found * pattern(torch, tuple(found.shape), 5)).sum().backward()
                    answers.append([found, x.grad])
    x = pattern(torch, (1, 1, 2, 3))
    layers = [make(torch, made)(x) for name, made in OTHERS.items() if name.startswith("Upsampl")]
    return [answers, layers]


def bilinear(torch: Any) -> Any:
    layer = filled(torch, OTHERS["Bilinear"])
    x, y = pattern(torch, (3, 2), 1).requires_grad_(), pattern(torch, (3, 3), 2).requires_grad_()
    return learned(torch, layer, layer(x, y), [x, y])


def refused(torch: Any) -> Any:
    """Texts of errors."""
    nn, functional, rnn = torch.nn, torch.nn.functional, torch.nn.utils.rnn
    x = pattern(torch, (5, 2, 3))
    zeros = torch.zeros
    image = pattern(torch, (1, 2, 3, 4))
    attend = nn.MultiheadAttention(4, 2)
    q = pattern(torch, (3, 2, 4))
    actions = [
        lambda: nn.LSTM(3, 4, num_layers=0),
        lambda: nn.LSTM(0, 4),
        lambda: nn.LSTM(3, -1),
        lambda: nn.LSTM(3, 2.5),
        lambda: nn.LSTM(3, 4, dropout=1.5),
        lambda: nn.LSTM(3, 4, dropout=True),
        lambda: nn.LSTM(3, 4, bias=1),
        lambda: nn.LSTM(3, 4, proj_size=-1),
        lambda: nn.LSTM(3, 4, proj_size=4),
        lambda: nn.GRU(3, 4, proj_size=2),
        lambda: nn.RNN(3, 4, nonlinearity="gelu"),
        lambda: nn.LSTM(3, 4)(x[0, 0]),
        lambda: nn.RNN(3, 4)(x[0, 0]),
        lambda: nn.LSTM(4, 4)(x),
        lambda: nn.LSTM(3, 4)(x.double()),
        lambda: nn.LSTM(3, 4)(x, (zeros(2, 4), zeros(2, 4))),
        lambda: nn.LSTM(3, 4)(x, (zeros(1, 1, 4), zeros(1, 2, 4))),
        lambda: nn.LSTM(3, 4)(x, (zeros(1, 2, 4), zeros(1, 2, 5))),
        lambda: nn.GRU(3, 4)(x, zeros(2, 2, 4)),
        lambda: nn.GRU(3, 4)(x[0], zeros(1, 2, 4)),
        lambda: nn.GRU(3, 4)(x[:0]),
        lambda: nn.LSTMCell(3, 4)(x),
        lambda: nn.GRUCell(3, 4)(x[0], zeros(1, 2, 4)),
        lambda: nn.RNNCell(3, 4, nonlinearity="gelu")(x[0]),
        lambda: nn.LSTMCell(3, 4)(zeros(2, 5)),
        lambda: rnn.pack_padded_sequence(x, [3, 5]),
        lambda: rnn.pack_padded_sequence(x, [5, 0]),
        lambda: rnn.pack_padded_sequence(x, [5]),
        lambda: rnn.pack_padded_sequence(x[:, :0], []),
        lambda: rnn.pack_padded_sequence(x, torch.tensor([[5, 3]])),
        lambda: rnn.pad_sequence([]),
        lambda: rnn.pad_sequence(3),
        lambda: rnn.pad_sequence([zeros(2)], padding_side="up"),
        lambda: rnn.pad_packed_sequence(rnn.pack_padded_sequence(x, [5, 3]), total_length=2),
        lambda: rnn.PackedSequence(x, None),
        lambda: nn.MultiheadAttention(0, 1),
        lambda: nn.MultiheadAttention(5, 2),
        lambda: attend(q[0, 0], q, q),
        lambda: attend(q, q[0], q),
        lambda: attend(q, q, q, key_padding_mask=zeros(3)),
        lambda: attend(q, q, q, attn_mask=zeros(3)),
        lambda: attend(q, q, q, attn_mask=zeros(3, 4)),
        lambda: attend(q, q, q, attn_mask=zeros(3, 3, 3)),
        lambda: attend(q, q, q, key_padding_mask=zeros(2, 4)),
        lambda: attend(q, q, q, attn_mask=zeros(3, 3, dtype=torch.int64)),
        lambda: attend(q, q, q, is_causal=True),
        lambda: attend(q[..., :3], q, q),
        lambda: attend(q, q, q[:2]),
        lambda: nn.TransformerEncoderLayer(4, 2, activation="tanh"),
        lambda: nn.Transformer(4, 2, 1, 1)(q, q[:, :1]),
        lambda: nn.Transformer(4, 2, 1, 1)(q, q[..., :3]),
        lambda: nn.Bilinear(0, 1, 2),
        lambda: nn.Bilinear(2, 3, 4)(zeros(2, 3), zeros(2, 3)),
        lambda: functional.interpolate(image),
        lambda: functional.interpolate(image, size=5, scale_factor=2),
        lambda: functional.interpolate(image, size=(5,)),
        lambda: functional.interpolate(image, scale_factor=(2,)),
        lambda: functional.interpolate(image, size=5, mode="linear"),
        lambda: functional.interpolate(image, size=5, mode="cubic"),
        lambda: functional.interpolate(image[0], size=5, mode="bicubic"),
        lambda: functional.interpolate(image, size=5, align_corners=True),
        lambda: functional.interpolate(image, size=5, recompute_scale_factor=True),
        lambda: functional.interpolate(image, size=5, antialias=True),
        lambda: functional.interpolate(image, scale_factor=-1.0),
    ]
    return [attempt(action).splitlines()[0] if isinstance(attempt(action), str) else "none" for action in actions]


EXACT: dict[str, Scenario] = {
    "refused": refused,
    "packing": packing,
    **{f"{name}, made": first_state(made) for name, made in {**RECURRENT, **ATTENTIVE, **OTHERS}.items()},
}
CLOSE: dict[str, Scenario] = {
    "dropped": dropped,
    "resampled": resampled,
    "bilinear": bilinear,
    **{name: (run_cell if "Cell" in name else run_layer)(made) for name, made in RECURRENT.items()},
    **{name: attention(made) for name, made in ATTENTIVE.items() if name.startswith("Multihead")},
    **{name: encoder_layer(made) for name, made in ATTENTIVE.items() if "EncoderLayer" in name},
    **{name: decoder_layer(made) for name, made in ATTENTIVE.items() if "DecoderLayer" in name},
    "Transformer": transformer(ATTENTIVE["Transformer"]),
}
"""Answers that may differ by rounding, since sums are taken in another order."""
