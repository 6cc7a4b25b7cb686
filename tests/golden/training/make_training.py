"""Writes answers.json.gz: what PyTorch answers in the scenarios of this folder.

    python tests/golden/training/make_training.py

Needs PyTorch; the tests read the file.
"""

from __future__ import annotations

import gzip
import json
import sys
import warnings
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

from tests.golden.training import layers, modules, optimizers, spatial  # noqa: E402
from tests.golden.training.answers import FILE  # noqa: E402
from tests.golden.training.scenarios import encoded  # noqa: E402

SETS = {
    "optimizers": {**optimizers.EXACT, **optimizers.ADAMS, **optimizers.HALF},
    "modules": {**modules.EXACT, **modules.CLOSE},
    "layers": {**layers.EXACT, **layers.CLOSE},
    "spatial": {**spatial.EXACT, **spatial.CLOSE},
}


def main() -> None:
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    answers = {"torch": torch.__version__}
    for group, scenarios in SETS.items():
        answers[group] = {name: encoded(torch, scenario(torch)) for name, scenario in scenarios.items()}
    text = json.dumps(answers, ensure_ascii=False, indent=0) + "\n"
    FILE.write_bytes(gzip.compress(text.encode(), compresslevel=9, mtime=0))
    print(f"{FILE.name}: {FILE.stat().st_size} bytes")


if __name__ == "__main__":
    main()
