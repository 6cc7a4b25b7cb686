"""Runs one case with one library in this process and prints the seconds as JSON: ``python worker.py LIBRARY CASE``.

``python worker.py LIBRARY CASE THREADS memory`` prints by how many bytes twenty steps make the process grow at most.

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

BATCHES = 40  # at least
SECONDS = 2.0  # of all batches, at least
BATCH_SECONDS = 0.001


def load(name: str):
    path = Path(__file__).parent / "cases" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def seconds_per_call(step, threads: int) -> float:
    """With one thread the time for which the process had a CPU, so that what else runs takes none of it."""
    clock = time.process_time if threads == 1 else time.perf_counter
    step()
    start = clock()
    step()
    once = max(clock() - start, 1e-7)
    calls = max(1, int(BATCH_SECONDS / once))
    best = float("inf")
    end = time.perf_counter() + SECONDS
    batches = 0
    while batches < BATCHES or time.perf_counter() < end:
        batches += 1
        start = clock()
        for _ in range(calls):
            step()
        best = min(best, (clock() - start) / calls)
    return best


def status_bytes(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))


def peak_growth(module, torch) -> int:
    """From the imported library to the peak of some steps."""
    before = status_bytes("VmRSS")
    step = module.prepare(torch)
    for _ in range(20):
        step()
    return status_bytes("VmHWM") - before


def main() -> None:
    library, case = sys.argv[1:3]
    threads = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    torch = importlib.import_module(library)
    torch.set_num_threads(threads)
    module = load(case)
    if sys.argv[4:] == ["memory"]:
        print(json.dumps({"library": library, "case": case, "value": peak_growth(module, torch)}))
        return
    measured = hasattr(module, "measure")
    value = module.measure(torch) if measured else seconds_per_call(module.prepare(torch), threads)
    print(json.dumps({"library": library, "case": case, "value": value}))


if __name__ == "__main__":
    main()
