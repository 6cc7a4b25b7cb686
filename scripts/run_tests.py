"""Runs every suite, also when an earlier one fails, and ends with the totals of each and of all.

The totals are read from the suites' own JUnit reports. A suite that fails without a failed test in its
report, for example because it crashed or found no tests, counts as one failure: it can never pass unseen.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "build" / "test-results"


@dataclass
class Totals:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"

    def add(self, other: Totals) -> None:
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped


@dataclass
class Suite:
    name: str
    command: list[str]
    reports: str
    """Where the suite leaves its reports: a pattern below the root."""


def suites() -> list[Suite]:
    jobs = str(os.cpu_count() or 1)
    ctest = [
        "ctest",
        "--test-dir",
        "build/native",
        "--parallel",
        jobs,
        "--output-on-failure",
        "--no-tests=error",
    ]
    ctest += ["--progress", "--output-junit", str(RESULTS / "ctest.xml")]
    pytest = [sys.executable, "-m", "pytest", "--junitxml", str(RESULTS / "pytest.xml")]
    gradle = ["gradle", "--no-daemon", "--console=plain", "--quiet", "--continue", "test"]
    return [
        Suite("ctest", ctest, "build/test-results/ctest.xml"),
        Suite("pytest", pytest, "build/test-results/pytest.xml"),
        Suite("junit", gradle, "java/*/build/test-results/test/*.xml"),
    ]


def read_report(path: Path) -> Totals:
    """Counts the test cases of one JUnit report."""
    totals = Totals()
    for case in ElementTree.parse(path).iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            totals.failed += 1
        elif case.find("skipped") is not None or case.get("status") == "disabled":
            totals.skipped += 1
        else:
            totals.passed += 1
    return totals


def run(suite: Suite) -> Totals:
    for old in ROOT.glob(suite.reports):
        old.unlink()
    print(f"test: running {suite.name}", flush=True)
    started = time.monotonic()
    environment = {key: value for key, value in os.environ.items() if key not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    status = subprocess.run(suite.command, cwd=ROOT, env=environment).returncode
    print(f"test: {suite.name} took {time.monotonic() - started:.1f} s", flush=True)

    totals = Totals()
    for report in ROOT.glob(suite.reports):
        try:
            totals.add(read_report(report))
        except ElementTree.ParseError as error:
            print(f"test: cannot read {report.relative_to(ROOT)}: {error}", file=sys.stderr)
            totals.failed += 1
    if totals.failed == 0 and (status != 0 or totals.passed == 0):
        print(
            f"test: {suite.name} ended with status {status} after {totals.passed} passed tests",
            file=sys.stderr,
        )
        totals.failed += 1
    return totals


def main() -> int:
    RESULTS.mkdir(parents=True, exist_ok=True)
    chosen = sys.argv[1:]
    results = {}
    for suite in suites():
        if chosen and suite.name not in chosen:
            continue
        if shutil.which(suite.command[0]) is None:
            print(f"test: {suite.command[0]} is not installed", file=sys.stderr)
            results[suite.name] = Totals(failed=1)
            continue
        results[suite.name] = run(suite)

    total = Totals()
    print()
    for name, totals in results.items():
        print(f"{name}: {totals}")
        total.add(totals)
    print(total)
    return 0 if total.failed == 0 and total.passed > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
