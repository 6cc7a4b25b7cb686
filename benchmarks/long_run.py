"""Does a long training keep its memory? 100,000 steps in Python and in Java, and a picture of what each process holds.

``python -m benchmarks.long_run PICTURE`` draws it; ``python -m benchmarks.long_run --steps N`` runs N steps here and
prints steps and bytes, a line for every hundredth of them.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from benchmarks import java

STEPS = 100_000
SAMPLES = 100
SETTLED = 10  # samples after which caches are full and the JVM has compiled what it will
Samples = list[tuple[int, int]]


def resident_bytes() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:"))


def train(steps: int) -> None:
    import onetape as torch

    torch.set_num_threads(1)
    torch.manual_seed(0)
    nn = torch.nn
    model = nn.Sequential(nn.Linear(16, 64), nn.Tanh(), nn.Linear(64, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    loss_of = nn.MSELoss()
    for i in range(1, steps + 1):
        inputs = torch.randn(32, 16)
        targets = inputs.narrow(1, 0, 1).sin()
        optimizer.zero_grad()
        loss_of(model(inputs), targets).backward()
        optimizer.step()
        if i % (steps // SAMPLES) == 0:
            print(i, resident_bytes(), flush=True)


def samples_of(command: list[str]) -> Samples:
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(java.ROOT / "python")}
    done = subprocess.run(command, cwd=java.ROOT, env=environment, capture_output=True, text=True, check=True)
    return [(int(step), int(held)) for step, held in (line.split() for line in done.stdout.splitlines())]


def in_python(steps: int) -> Samples:
    return samples_of([sys.executable, "-m", "benchmarks.long_run", "--steps", str(steps)])


def in_java(steps: int) -> Samples:
    jar = java.ROOT / "python" / "onetape" / "onetape.jar"
    folder = java.ROOT / "build" / "bench" / "java-onetape"
    java.compile_ours(java.SOURCES / "LongRun.java", jar, folder)
    # A small heap of fixed size, so that what is seen is not the collector's taste.
    heap = ["-Xms64m", "-Xmx64m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC"]
    return samples_of(["java", *heap, "-cp", f"{jar}:{folder}", "LongRun", str(steps)])


def growth(samples: Samples) -> float:
    """Bytes a step from the settled process to the end."""
    first, last = samples[SETTLED], samples[-1]
    return (last[1] - first[1]) / (last[0] - first[0])


def draw(runs: dict[str, Samples], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 3), layout="constrained")
    for name, samples in runs.items():
        axes.plot([step for step, _ in samples], [held / 2**20 for _, held in samples], label=name)
    axes.set(xlabel="step of the training", ylabel="memory of the process, MiB")
    axes.set_ylim(bottom=0)
    axes.legend()
    figure.savefig(path, dpi=80)
    pyplot.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.long_run", description=__doc__)
    parser.add_argument("picture", nargs="?", type=Path, default=java.ROOT / "build" / "bench" / "memory.png")
    parser.add_argument("--steps", type=int)
    options = parser.parse_args()
    if options.steps:
        train(options.steps)
        return
    runs = {"Python": in_python(STEPS), "Java": in_java(STEPS)}
    for name, samples in runs.items():
        print(f"{name}: {samples[-1][1] / 2**20:.0f} MiB after {STEPS} steps, {growth(samples):+.2f} bytes a step")
    options.picture.parent.mkdir(parents=True, exist_ok=True)
    draw(runs, options.picture)


if __name__ == "__main__":
    main()
