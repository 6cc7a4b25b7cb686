"""Calls everything public, in Python and in Java, with arguments nobody means: ``python -m tests.fuzz --seconds 60``.

Further programs let eight threads use, differentiate, change and close the same tensors, end 1,000 processes in random
ways, and read damaged files. All run in child processes. A child that dies, hangs or finds a fault of the library ends
the run with the line that repeats it; its seed depends on nothing but the program: ``--first SEED --count 1 --show``
shows the calls.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python"
JAR = PACKAGE / "onetape" / "onetape.jar"
JAVA_TESTS = ROOT / "java" / "onetape" / "src" / "test" / "java" / "org" / "onetape" / "fuzz"
BATCH = 2000
SPACE = 5 << 30
"""Bytes of addresses that a child may have: 2**31 elements of more than a byte each, whose computing might take longer
than our patience, are refused."""


@dataclass
class Fault:
    face: str
    seed: int
    what: str

    def __str__(self) -> str:
        again = f"python -m tests.fuzz --face {self.face} --first {self.seed} --count 1 --show"
        return f"{self.face}: case {self.seed} {self.what}; to repeat it: {again}"


PYTHON_PROGRAMS = {"python": "child", "python-threads": "threads", "python-exit": "ending", "python-files": "files"}
JAVA_PROGRAMS = {"java": "FaceFuzz", "java-threads": "ThreadFuzz", "java-exit": "Ending", "java-files": "FileFuzz"}
FACES = [*PYTHON_PROGRAMS, *JAVA_PROGRAMS]
"""A face is called everything of; eight threads do what they like; processes end in random ways;
damaged files are read."""
EXITS = 1000


def command_of(face: str, classes: Path) -> list[str]:
    if face in PYTHON_PROGRAMS:
        return [sys.executable, "-m", f"tests.fuzz.{PYTHON_PROGRAMS[face]}"]
    return java_command(classes, JAVA_PROGRAMS[face])


def batch_of(face: str) -> int:
    """So many cases run in one process."""
    if face == "java":  # what a case leaves stays until the collector comes, which knows nothing of its size
        return BATCH // 8
    return 1 if face.endswith("-exit") else 100 if face.endswith("-threads") else BATCH


def java_command(classes: Path, program: str) -> list[str]:
    limits = [
        "-Xmx256m",
        "-XX:ReservedCodeCacheSize=64m",
        "-XX:CompressedClassSpaceSize=64m",
        "-XX:-CreateCoredumpOnCrash",
    ]
    path = os.pathsep.join([str(JAR), str(classes)])
    golden = f"-Donetape.golden={ROOT / 'tests' / 'golden'}"
    return ["java", *limits, golden, f"-XX:ErrorFile={classes}/crash.log", "-cp", path, f"org.onetape.fuzz.{program}"]


def compile_java(classes: Path) -> None:
    sources = sorted(str(path) for path in JAVA_TESTS.glob("*.java"))
    subprocess.run(["javac", "-nowarn", "-d", str(classes), "-cp", str(JAR), *sources], check=True)


def progress_of(file: Path) -> int | None:
    text = file.read_bytes().strip() if file.exists() else b""
    return int(text) if text else None


def run_batch(face: str, command: list[str], first: int, count: int, args: argparse.Namespace) -> Fault | None:
    """Runs cases in a child and watches it."""
    with tempfile.TemporaryDirectory() as folder:
        progress, output = Path(folder) / "progress", Path(folder) / "output"
        arguments = [*command, str(first), str(count), str(progress), *(["--show"] if args.show else [])]
        with output.open("wb") as sink:
            child = subprocess.Popen(
                arguments,
                cwd=folder,  # for files that calls write
                env={**os.environ, "PYTHONPATH": os.pathsep.join([str(PACKAGE), str(ROOT)])},
                stdout=None if args.show else sink,
                stderr=None if args.show else subprocess.STDOUT,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (SPACE, SPACE)),
            )
            seen, since = None, time.monotonic()
            while child.poll() is None:
                time.sleep(0.05)
                now = progress_of(progress)
                if now != seen:
                    seen, since = now, time.monotonic()
                elif time.monotonic() - since > args.patience:
                    child.kill()
                    child.wait()
                    return Fault(face, now if now is not None else first, "hangs")
        if child.returncode != 0 or progress_of(progress) != -1:
            text = output.read_bytes().decode("utf-8", "replace")
            sys.stderr.write(text if len(text) < 8000 else f"{text[:4000]}\n…\n{text[-4000:]}")
            at = progress_of(progress)
            return Fault(face, first if at in (None, -1) else at, f"ended the process (status {child.returncode})")
    return None


def run_face(face: str, command: list[str], args: argparse.Namespace) -> tuple[int, Fault | None]:
    """Runs batches until the time is over; says how many cases ran."""
    started, cases, batch = time.monotonic(), 0, min(args.count or BATCH, batch_of(face))
    wanted = args.count or (EXITS if face.endswith("-exit") else 0)
    with tqdm(desc=f"fuzz {face}", unit=" cases", disable=None) as bar:
        while True:
            fault = run_batch(face, command, args.first + cases, batch, args)
            if fault:
                return cases, fault
            cases += batch
            bar.update(batch)
            if cases >= wanted if wanted else time.monotonic() - started > args.seconds:
                return cases, None


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--seconds", type=float, default=30, help="how long each program is tried, at least; but the ends"
    )
    parser.add_argument("--face", choices=FACES, action="append", help="one of the programs only")
    parser.add_argument("--first", type=int, default=0, help="the first seed; -1 for one from the clock")
    parser.add_argument("--count", type=int, help="so many cases, whatever time they take")
    parser.add_argument(
        "--patience", type=float, default=60, help="seconds without a new case after which a program is said to hang"
    )
    parser.add_argument("--show", action="store_true", help="print the calls")
    args = parser.parse_args(arguments)
    if args.first < 0:
        args.first = int(time.time()) % 1_000_000 * 1000
    failed = False
    for face in args.face or FACES:
        with tempfile.TemporaryDirectory() as folder:
            if face in JAVA_PROGRAMS:
                compile_java(Path(folder))
            cases, fault = run_face(face, command_of(face, Path(folder)), args)
        print(f"fuzz {face}: {cases} cases" + (f"; {fault}" if fault else ", no fault"), flush=True)
        failed = failed or fault is not None
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
