"""Writes answers.json.gz: what PyTorch answers in the scenarios of this folder.

    python tests/golden/training/make_training.py

Needs PyTorch; the tests read the file.
"""

from __future__ import annotations

import gzip
import json
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import numpy as np
import torch

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

from tests.golden.training import (  # noqa: E402
    averages,
    layers,
    lazy,
    lbfgs,
    modules,
    optimizers,
    orthogonal,
    parts,
    schedules,
    sequences,
    spatial,
    utilities,
)
from tests.golden.training.answers import FILE  # noqa: E402
from tests.golden.training.scenarios import encoded  # noqa: E402

SETS = {
    "optimizers": {**optimizers.EXACT, **optimizers.CLOSE, **optimizers.HALF},
    "optimizers with PyTorch's roots": optimizers.ROOTS,
    "schedules": schedules.EXACT,
    "lbfgs": {**lbfgs.EXACT, **lbfgs.CLOSE},
    "averages": {**averages.EXACT, **averages.CLOSE},
    "modules": {**modules.EXACT, **modules.CLOSE},
    "layers": {**layers.EXACT, **layers.CLOSE},
    "lazy": {**lazy.EXACT, **lazy.CLOSE},
    "parts": {**parts.EXACT, **parts.CLOSE},
    "sequences": {**sequences.EXACT, **sequences.CLOSE},
    "spatial": {**spatial.EXACT, **spatial.CLOSE},
    "utilities": utilities.CLOSE,
    "orthogonal": {**orthogonal.EXACT, **orthogonal.CLOSE},
}


@contextmanager
def exact_roots() -> Iterator[None]:
    """Square roots that are the nearest numbers: those of PyTorch's library are not always."""

    def nearest(self: torch.Tensor) -> torch.Tensor:
        if self.dtype not in (torch.float32, torch.float64):
            return root(self)
        return torch.from_numpy(np.sqrt(np.atleast_1d(self.numpy()))).reshape(self.shape)

    root, in_place = torch.Tensor.sqrt, torch.Tensor.sqrt_
    torch.Tensor.sqrt = nearest
    torch.Tensor.sqrt_ = lambda self: self.copy_(nearest(self))
    try:
        yield
    finally:
        torch.Tensor.sqrt, torch.Tensor.sqrt_ = root, in_place


def main() -> None:
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    answers = {"torch": torch.__version__}
    for group, scenarios in SETS.items():
        with exact_roots() if group == "optimizers" else nullcontext():
            answers[group] = {name: encoded(torch, scenario(torch)) for name, scenario in scenarios.items()}
    text = json.dumps(answers, ensure_ascii=False, indent=0) + "\n"
    FILE.write_bytes(gzip.compress(text.encode(), compresslevel=9, mtime=0))
    print(f"{FILE.name}: {FILE.stat().st_size} bytes")


if __name__ == "__main__":
    main()
