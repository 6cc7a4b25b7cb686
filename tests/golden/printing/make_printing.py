"""Writes cases.json.gz: how PyTorch writes tensors of all dtypes, shapes and print options, from a fixed seed.

    python tests/golden/printing/make_printing.py            writes the file
    python tests/golden/printing/make_printing.py --fuzz N   compares N other tensors with onetape

Needs PyTorch; the tests read the file.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import random
import sys
import warnings
from pathlib import Path
from typing import Any

import torch

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

from tests.golden import store  # noqa: E402
from tests.golden.printing.cases import DEFAULTS, FILE, prepared  # noqa: E402

SEED = 20
CASES = 300
INTEGERS = ("uint8", "int8", "int16", "int32", "int64")
FLOATS = ("float16", "bfloat16", "float32", "float64")
DTYPES = ("bool", *INTEGERS, *FLOATS, "complex64", "complex128")
SPECIAL = (0.0, -0.0, math.nan, math.inf, -math.inf, 1e-5, 1e5, 1e8, 1.0000001e8, 1e-4, 0.99995, 1234.5, -1.0, 3.0)
LARGE_SHAPES = (
    (40,),
    (999,),
    (1000,),
    (1001,),
    (40, 30),
    (7, 600),
    (2, 33),
    (12, 9, 50),
    (3, 4, 5),
    (7, 8, 3, 11),
    (2, 2, 7, 4),
)
OPTIONS: dict[str, tuple[Any, ...]] = {
    "precision": (0, 1, 2, 4, 8, 12),
    "threshold": (0, 5, 20, 1000, math.inf),
    "edgeitems": (0, 1, 2, 3, 5),
    "linewidth": (1, 20, 80, 120),
    "sci_mode": (None, None, True, False),
}


def reals(draw: random.Random, count: int) -> list[float]:
    """Numbers of one of the characters that decide how they are written: whole, spread, special …"""
    scale = 10.0 ** draw.randint(-6, 10)
    kinds = (
        lambda: float(draw.randint(-5, 5)),
        lambda: draw.gauss(0, 1),
        lambda: draw.gauss(0, 1) * scale,
        lambda: draw.choice(SPECIAL),
        lambda: 10.0 ** draw.uniform(-8, 8),
        lambda: float(draw.randint(-(10**9), 10**9)),
        lambda: draw.choice((0.0, math.nan, math.inf, -0.0)),
        lambda: draw.choice((draw.gauss(0, 1), draw.choice(SPECIAL))),
    )
    kind = draw.choice(kinds)
    return [float(f"{kind():.6g}") for _ in range(count)]  # few digits, for a small file


def elements(draw: random.Random, dtype: str, count: int) -> torch.Tensor:
    wanted = getattr(torch, dtype)
    if dtype == "bool":
        return torch.tensor([draw.random() < 0.5 for _ in range(count)], dtype=wanted)
    if dtype in INTEGERS:
        limits = torch.iinfo(wanted)
        low = max(draw.choice((0, -1, -100, limits.min)), limits.min)
        high = min(draw.choice((1, 10, 100, limits.max)), limits.max)
        return torch.tensor([draw.randint(low, high) for _ in range(count)], dtype=wanted)
    real = torch.tensor(reals(draw, count), dtype=torch.float64)
    if dtype in FLOATS:
        return real.to(wanted)
    return torch.complex(real, torch.tensor(reals(draw, count), dtype=torch.float64)).to(wanted)


def shape_of(draw: random.Random) -> tuple[int, ...]:
    dims = draw.choice((0, 1, 1, 2, 2, 3, 4))
    kind = draw.random()
    if kind < 0.1:
        return tuple(draw.choice((0, 1, 2, 3)) for _ in range(dims))
    if kind < 0.14:
        return draw.choice(LARGE_SHAPES)
    return tuple(draw.randint(1, 6 if dims < 3 else 3) for _ in range(dims))


def make_case(draw: random.Random) -> tuple[torch.Tensor, dict[str, Any]]:
    """A plain tensor, and how it is to be shown."""
    dtype = draw.choice(DTYPES)
    shape = shape_of(draw)
    tensor = elements(draw, dtype, math.prod(shape)).reshape(shape)
    options = {name: draw.choice(values) for name, values in OPTIONS.items()} if draw.random() < 0.5 else DEFAULTS
    state = draw.choice(("", "", "leaf", "view")) if tensor.is_floating_point() or tensor.is_complex() else ""
    transposed = tensor.dim() > 1 and draw.random() < 0.3
    return tensor, {"options": options, "state": state, "transposed": transposed}


def shown(library: Any, tensor: Any, case: dict[str, Any]) -> str:
    library.set_printoptions(**case["options"])
    try:
        return repr(prepared(tensor, case))
    finally:
        library.set_printoptions(**DEFAULTS)


def stored(tensor: torch.Tensor) -> dict[str, Any]:
    dtype = str(tensor.dtype).removeprefix("torch.")
    plain = (tensor.float() if dtype == "bfloat16" else tensor).numpy()
    return {"dtype": dtype, "shape": list(tensor.shape), "data": store.numbers(plain, dtype)}


def write() -> None:
    draw = random.Random(SEED)
    lines = []
    for _ in range(CASES):
        tensor, case = make_case(draw)
        case |= stored(tensor)
        case["repr"] = shown(torch, tensor, case)
        if tensor.dim() == 0:
            case["format"] = f"{tensor.detach()}"
        lines.append(json.dumps(case))
    head = json.dumps({"torch": torch.__version__, "seed": SEED})
    text = head[:-1] + ', "cases": [\n' + ",\n".join(lines) + "\n]}\n"
    FILE.write_bytes(gzip.compress(text.encode(), compresslevel=9, mtime=0))
    print(f"{FILE.name}: {CASES} cases, {FILE.stat().st_size} bytes")


def fuzz(count: int, seed: int) -> int:
    import onetape

    draw = random.Random(seed)
    different = 0
    for _ in range(count):
        tensor, case = make_case(draw)
        data = stored(tensor)
        values = store.elements(data["data"], data["dtype"]).reshape(tensor.shape)
        mine = onetape.from_numpy(values).to(getattr(onetape, data["dtype"]))
        expected, got = shown(torch, tensor, case), shown(onetape, mine, case)
        if expected != got:
            different += 1
            print(f"--- {case} {data['dtype']} {tuple(tensor.shape)}\n{expected}\n--- onetape:\n{got}")
    print(f"{different} of {count} differ (seed {seed})")
    return different


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fuzz", type=int)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    sys.exit(bool(fuzz(arguments.fuzz, arguments.seed)) if arguments.fuzz else write())
