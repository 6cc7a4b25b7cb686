"""Runs one case with one library in this process and prints the seconds as JSON: ``python worker.py LIBRARY CASE``.

The very same case runs with ``onetape`` and with ``torch``: a case is a module of benchmarks/cases with a function
``prepare(torch)`` that returns a callable; its time is the smallest of many short batches, so that disturbed ones do
not count.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import sys
import time
from pathlib import Path

BATCHES = 100
BATCH_SECONDS = 0.01


def load(name: str):
    path = Path(__file__).parent / "cases" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def seconds_per_call(step) -> float:
    step()
    start = time.perf_counter()
    step()
    once = max(time.perf_counter() - start, 1e-7)
    calls = max(1, int(BATCH_SECONDS / once))
    best = float("inf")
    for _ in range(BATCHES):
        start = time.perf_counter()
        for _ in range(calls):
            step()
        best = min(best, (time.perf_counter() - start) / calls)
    return best


def main() -> None:
    library, case = sys.argv[1:3]
    threads = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    torch = importlib.import_module(library)
    torch.set_num_threads(threads)
    module = load(case)
    value = module.measure(torch) if hasattr(module, "measure") else seconds_per_call(module.prepare(torch))
    print(json.dumps({"library": library, "case": case, "value": value}))


if __name__ == "__main__":
    main()
