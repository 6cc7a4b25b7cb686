"""Measures onetape and, where they are installed, its peers, taking turns in one run.

``python -m benchmarks`` runs everything; ``python -m benchmarks seed chain`` some cases. PyTorch is taken from the
interpreter in ONETAPE_PEER_PYTHON, JavaCPP's jars from the folder in ONETAPE_PEER_JARS; scripts/peers.sh installs both.
Every figure is the best of interleaved repeats. Results go to build/bench/results.json too.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from pathlib import Path

from benchmarks import java, startup

ROOT = Path(__file__).resolve().parent.parent
CASES = sorted(path.stem for path in (ROOT / "benchmarks" / "cases").glob("*.py"))
OTHERS = ("startup", "java", "java-models", "memory")
UNITS = {"bytes_tensor": "B", "bytes_node": "B", "two_threads": "x"}  # all others: seconds


def run_worker(python: str, library: str, case: str, threads: int, *more: str) -> float:
    command = [python, str(ROOT / "benchmarks" / "worker.py"), library, case, str(threads), *more]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python") if library == "onetape" else ""}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(
            f"{library} {case}: {done.stderr.strip().splitlines()[-1] if done.stderr else done.returncode}"
        )
    return json.loads(done.stdout.splitlines()[-1])["value"]


def python_cases(cases: list[str], peer: str | None, repeats: int, threads: int) -> list[dict]:
    rows = []
    for case in cases:
        print(f"bench: {case}", file=sys.stderr)
        ours, theirs = [], []
        try:
            for _ in range(repeats):
                ours.append(run_worker(sys.executable, "onetape", case, threads))
                if peer:
                    theirs.append(run_worker(peer, "torch", case, threads))
        except RuntimeError as error:
            print(f"bench: {error}", file=sys.stderr)
            continue
        unit = UNITS.get(case, "s")
        best = max if unit == "x" else min
        rows.append(row(case, "PyTorch", best(ours), best(theirs) if theirs else None, unit))
    return rows


def memory_rows(peer: str | None, threads: int) -> list[dict]:
    rows = []
    for case in java.MODELS:
        ours = run_worker(sys.executable, "onetape", case, threads, "memory")
        theirs = run_worker(peer, "torch", case, threads, "memory") if peer else None
        rows.append(row(f"memory {case}", "PyTorch", ours, theirs, "B"))
    return rows


def row(case: str, peer: str, ours: float, theirs: float | None, unit: str) -> dict:
    return {"case": case, "peer": peer, "onetape": ours, "theirs": theirs, "unit": unit}


def shown(value: float | None, unit: str) -> str:
    if value is None:
        return "–"
    if unit == "B" and value >= 1e6:
        return f"{value / 1e6:.1f} MB"
    if unit == "B":
        return f"{value:.0f} B"
    if unit == "x":  # how many times as many: more is better
        return f"{value:.2f} x"
    for size, name in ((1e-6, "ns"), (1e-3, "µs"), (1.0, "ms")):
        if value < size:
            return f"{value / size * 1000:.3g} {name}"
    return f"{value:.3g} s"


def table(rows: list[dict]) -> str:
    lines = ["| case | onetape | peer | | ratio |", "| --- | ---: | ---: | --- | ---: |"]
    for r in rows:
        better = (r["onetape"], r["theirs"]) if r["unit"] == "x" else (r["theirs"], r["onetape"])
        ratio = f"{better[0] / better[1]:.2f}" if r["theirs"] else "–"
        ours, theirs = (shown(r[key], r["unit"]) for key in ("onetape", "theirs"))
        lines.append(f"| {r['case']} | {ours} | {theirs} | {r['peer']} | {ratio} |")
    return "\n".join(lines)


def machine() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    model = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "?")
    return f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("cases", nargs="*", help=f"some of: {' '.join([*CASES, *OTHERS])}")
    parser.add_argument("--repeats", type=int, default=3, help="processes a library and case")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    peer = os.environ.get("ONETAPE_PEER_PYTHON")
    jars = os.environ.get("ONETAPE_PEER_JARS")
    wanted = options.cases or [*CASES, *OTHERS]
    unknown = set(wanted) - {*CASES, *OTHERS}
    if unknown:
        parser.error(f"no such case: {' '.join(sorted(unknown))}")
    rows = python_cases([c for c in wanted if c in CASES], peer, options.repeats, options.threads)
    if "startup" in wanted:
        rows += startup.rows(peer, options.repeats)
    if "java" in wanted:
        rows += java.rows(jars, options.repeats)
    if "java-models" in wanted:
        rows += java.model_rows(jars, options.repeats, options.threads)
    if "memory" in wanted:
        rows += memory_rows(peer, options.threads)
    print(f"\n{machine()}; {options.threads} thread(s); ratio = peer / onetape\n\n{table(rows)}")
    folder = ROOT / "build" / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "results.json").write_text(json.dumps({"machine": machine(), "rows": rows}, indent=1), encoding="utf-8")
    return 0 if rows else 1


if __name__ == "__main__":
    sys.exit(main())
