"""Stores what PyTorch gives for the scenarios: ``python tests/golden/functional/make_functional.py``."""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

import torch

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2]))

from tests.golden.functional.answers import answer  # noqa: E402
from tests.golden.functional.scenarios import SCENARIOS  # noqa: E402


def main() -> None:
    warnings.simplefilter("ignore")
    found = {name: answer(torch, scenario) for name, scenario in SCENARIOS.items()}
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(found[name])}" for name in sorted(found))
    content = f'{{"version": {json.dumps(torch.__version__)}, "answers": {{\n{lines}\n}}}}\n'
    (HERE / "answers.json").write_text(content, encoding="utf-8")
    print(f"{len(found)} answers of PyTorch {torch.__version__}")


if __name__ == "__main__":
    main()
