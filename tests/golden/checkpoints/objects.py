"""Objects that are saved here and by PyTorch: written once, for both."""

from __future__ import annotations

from collections import Counter, OrderedDict
from typing import Any

DTYPES = [
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]


def numbers(torch: Any, dtype: str) -> Any:
    """A 2 × 3 tensor whose elements are all different where the dtype has that many."""
    made = torch.arange(6).reshape(2, 3)
    if dtype.startswith("complex"):
        return made.to(getattr(torch, dtype)) * (1 - 2j)
    return made.to(getattr(torch, dtype)) if dtype == "bool" else (made * 3 - 7).to(getattr(torch, dtype))


def dtypes(torch: Any) -> Any:
    """Every dtype."""
    return {dtype: numbers(torch, dtype) for dtype in DTYPES}


def plain(torch: Any) -> Any:
    """Every kind of object."""
    inner: list[Any] = [1, 2]
    inner.append(inner)
    return {
        "numbers": [0, 1, 255, 256, 65535, 65536, -1, -128, -129, 2**31, -(2**31), 2**63, -(2**63), 2**200, -(2**2031)],
        "floats": [0.0, -0.0, 1.5, 1e308, float("inf"), -float("inf")],
        "texts": ["", "a", "äöü", "\U0001f600", "a" * 300, "\ud800"],
        "bytes": [b"\0\xff", bytearray(b"abc"), bytearray()],
        "nothing": None,
        "flags": (True, False),
        "tuples": [(), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)],
        "sets": [set(), {7}],
        "ordered": OrderedDict([("b", 1), ("a", 2)]),
        "counter": Counter({3: 2, 5: 1}),
        "complex": 1.5 - 2j,
        "cycle": inner,
        "sizes": torch.Size([2, 3]),
        "dtypes": [getattr(torch, dtype) for dtype in DTYPES],
        "device": torch.device("cpu"),
        "cuda": torch.device("cuda:1"),
        5: {1.5: "float", None: "none", (1, "x"): "tuple", b"k": "bytes", True: "bool"},
        "many": list(range(2500)),
        "wide": {i: str(i) for i in range(1500)},
    }


def tensors(torch: Any) -> Any:
    """Views, shared memory, parameters, attributes, storages."""
    x = torch.arange(12.0).reshape(3, 4)
    named = torch.ones(2)
    named.note = "kept"
    weight = torch.nn.Parameter(torch.ones(2, 2))
    noted = torch.nn.Parameter(torch.zeros(1), requires_grad=False)
    noted.note = [1]
    return {
        "x": x,
        "transposed": x.t(),
        "rows": x[1:],
        "column": x[:, 2],
        "expanded": x[0].expand(5, 4),
        "scalar": torch.tensor(3.5),
        "empty": torch.empty(0, 3),
        "leaf": torch.ones(3, requires_grad=True),
        "same": [weight, weight],
        "frozen": torch.nn.Parameter(torch.ones(2), requires_grad=False),
        "noted": noted,
        "named": named,
        "storage": torch.arange(5, dtype=torch.uint8).untyped_storage(),
        "state": torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Identity()).state_dict(),
    }


def common(torch: Any) -> Any:
    """What Java has, too, so that both languages must write the same bytes."""
    x = torch.arange(12.0).reshape(3, 4)
    cycle: list[Any] = ["again"]
    cycle.append(cycle)
    return {
        "x": x,
        "transposed": x.t(),
        "rows": x[1:],
        "expanded": x[0].expand(5, 4),
        "scalar": torch.tensor(3.5),
        "empty": torch.empty(0, 3),
        "leaf": torch.ones(3, requires_grad=True),
        "numbers": [0, 255, 256, 65535, 65536, -1, 2**31, -(2**31), 2**63 - 1, -(2**63), 2**200, -(2**200)],
        "floats": [0.0, -1.5, float("inf")],
        "texts": ["", "äöü", "\U0001f600", "\ud800"],
        "bytes": b"\0\xff",
        "nothing": None,
        "flags": (True, False),
        "tuples": [(), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)],
        "set": {7},
        "ordered": OrderedDict([("b", 1), ("a", 2)]),
        "cycle": cycle,
        "size": torch.Size([2, 3]),
        "dtype": torch.float16,
        5: {1.5: "float"},
        "many": list(range(2500)),
    }


OBJECTS = {"common": common, "dtypes": dtypes, "plain": plain, "tensors": tensors}


def model(torch: Any) -> Any:
    """A small model, made from the seed."""
    torch.manual_seed(3)
    return torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Dropout(0.25), torch.nn.Linear(8, 1))


def training(torch: Any) -> tuple[Any, Any, Any]:
    """A model, what trains it, and what sets the learning rate."""
    made = model(torch)
    optimizer = torch.optim.AdamW(made.parameters(), lr=0.05, amsgrad=True)
    return made, optimizer, torch.optim.lr_scheduler.StepLR(optimizer, step_size=3, gamma=0.5)


def train(torch: Any, parts: tuple[Any, Any, Any], steps: int) -> list[float]:
    """Trains for some steps on data drawn from the generator; the losses."""
    made, optimizer, schedule = parts
    losses = []
    for _ in range(steps):
        inputs = torch.rand(16, 4)
        loss = ((made(inputs) - inputs.sum(1, keepdim=True)) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
    return losses


def state(torch: Any, parts: tuple[Any, Any, Any]) -> dict[str, Any]:
    """Everything that training needs to go on."""
    made, optimizer, schedule = parts
    return {
        "model": made.state_dict(),
        "optimizer": optimizer.state_dict(),
        "schedule": schedule.state_dict(),
        "random": torch.get_rng_state(),
    }


def restore(torch: Any, parts: tuple[Any, Any, Any], saved: dict[str, Any]) -> None:
    """Goes back to a state."""
    for part, name in zip(parts, ("model", "optimizer", "schedule")):
        part.load_state_dict(saved[name])
    torch.set_rng_state(saved["random"])
