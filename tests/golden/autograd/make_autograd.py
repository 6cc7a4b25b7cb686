"""Stores what the cases note with PyTorch: ``python -m tests.golden.autograd.make_autograd`` where there is torch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.golden.autograd import (
    checkpoints,
    engine,
    functions,
    hooks,
    modes,
    overlaps,
    results,
    saved,
    ties,
    view_origins,
    views,
)
from tests.golden.autograd.record import CASES, Log

GROUPS = (checkpoints, engine, functions, hooks, modes, overlaps, results, saved, ties, view_origins, views)
PATH = Path(__file__).with_name("answers.json")


def run(torch: Any, name: str) -> list[Any]:
    log = Log()
    CASES[name](torch, log)
    return log.entries


def main() -> None:
    import torch

    answers: dict[str, Any] = {"torch": torch.__version__.split("+")[0]}
    answers.update({name: run(torch, name) for name in sorted(CASES)})
    lines = [f"{json.dumps(name)}: {json.dumps(answer)}" for name, answer in answers.items()]
    PATH.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
