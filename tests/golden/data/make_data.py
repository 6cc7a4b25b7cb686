"""Writes answers.json.gz: what PyTorch answers in the scenarios of this folder.

    python tests/golden/data/make_data.py

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

from tests.golden.data.scenarios import SCENARIOS  # noqa: E402
from tests.golden.training.scenarios import encoded  # noqa: E402

FILE = Path(__file__).with_name("answers.json.gz")


def main() -> None:
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    answers = {name: encoded(torch, scenario(torch)) for name, scenario in SCENARIOS.items()}
    text = json.dumps({"torch": torch.__version__, **answers}, ensure_ascii=False, indent=0) + "\n"
    FILE.write_bytes(gzip.compress(text.encode(), compresslevel=9, mtime=0))
    print(f"{FILE.name}: {FILE.stat().st_size} bytes")


if __name__ == "__main__":
    main()
