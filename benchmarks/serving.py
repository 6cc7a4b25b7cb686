"""A served MLP 784-128-10 in Java, single rows: ``python -m benchmarks.serving`` prints a table.

The tape is recorded here and run in Java. Beside it, where they are installed, the same weights as TorchScript in DJL's
PyTorch engine: its jars from the folder in ONETAPE_PEER_DJL, PyTorch from the interpreter in ONETAPE_PEER_PYTHON
(scripts/peers.sh installs both).
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import onetape as torch
from onetape import jit, nn

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "benchmarks" / "java" / "serving"
FOLDER = ROOT / "build" / "bench" / "serving"
SECONDS = 8
SCRIPT = """
import sys, torch
model = torch.nn.Sequential(torch.nn.Linear(784, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))
model.load_state_dict(torch.load(sys.argv[1]))
torch.jit.trace(model.eval(), torch.ones(1, 784)).save(sys.argv[2])
"""

Figures = dict[str, float]


def save_models(peer: str | None) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))
    with torch.no_grad():
        jit.record(model, torch.ones(1, 784)).save(str(FOLDER / "mlp.tape"))
    if peer:
        torch.save(model.state_dict(), str(FOLDER / "mlp.weights"))
        subprocess.run(
            [peer, "-c", SCRIPT, str(FOLDER / "mlp.weights"), str(FOLDER / "mlp.pt")],
            check=True,
            env={**os.environ, "PYTHONPATH": ""},
        )


def compile_server(library: str, class_path: str) -> str:
    """The class path that runs it."""
    classes = FOLDER / library
    classes.mkdir(parents=True, exist_ok=True)
    name = "DjlModel" if library == "djl" else "OnetapeModel"
    sources = [str(SOURCES / f"{part}.java") for part in ("Served", name, "Serving")]
    subprocess.run(["javac", "-nowarn", "-cp", class_path, "-d", str(classes), *sources], check=True)
    return f"{classes}:{class_path}"


def serve(library: str, class_path: str, threads: int) -> tuple[Figures, list[float]]:
    """What the program printed, and the scores of a row."""
    settings = [f"-Dai.djl.pytorch.{name}=1" for name in ("num_threads", "num_interop_threads")]
    settings += ["-Dai.djl.pytorch.graph_optimizer=false", "-Dai.djl.offline=true"]
    command = ["java", *settings, "-cp", class_path, "Serving", library, str(FOLDER), str(threads), str(SECONDS)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    lines = [line.split(" ", 1) for line in done.stdout.splitlines()]
    printed = {name: text for name, text in lines if name in ("scores", "median", "p99", "throughput", "pause")}
    scores = ast.literal_eval(printed.pop("scores"))
    return {name: float(text) for name, text in printed.items()}, scores


def main() -> int:
    jars, peer = os.environ.get("ONETAPE_PEER_DJL"), os.environ.get("ONETAPE_PEER_PYTHON")
    paths = {"onetape": str(ROOT / "python" / "onetape" / "onetape.jar")}
    if jars and peer:
        paths["djl"] = f"{jars}/*"
    save_models(peer if jars else None)
    paths = {library: compile_server(library, path) for library, path in paths.items()}
    print("| threads | library | median | p99 | p99 / median | answers a second | longest pause |")
    print("| ---: | --- | ---: | ---: | ---: | ---: | ---: |")
    seen: list[list[float]] = []
    for threads in (1, 2, 16):
        for library, path in paths.items():
            print(f"serving: {library}, {threads} threads", file=sys.stderr)
            figures, scores = serve(library, path, threads)
            seen.append(scores)
            median, p99 = figures["median"], figures["p99"]
            print(
                f"| {threads} | {library} | {median * 1e6:.1f} µs | {p99 * 1e6:.1f} µs | {p99 / median:.1f} | "
                f"{figures['throughput']:,.0f} | {figures['pause'] * 1e3:.0f} ms |"
            )
    if any(abs(a - b) > 1e-5 for scores in seen for a, b in zip(scores, seen[0], strict=True)):
        print("serving: the libraries do not agree", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
