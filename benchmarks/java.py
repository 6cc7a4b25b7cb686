"""The Java programs of benchmarks/java, with onetape and with JavaCPP's PyTorch: the same source, other imports."""

from __future__ import annotations

import os
import re
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "benchmarks" / "java"
MODELS = ("mlp", "cnn", "lstm", "transformer_block")


def compile_for_peer(source: Path, jars: str, folder: Path) -> None:
    """JavaCPP's packages in place of ours, and the few names that differ."""
    text = source.read_text(encoding="utf-8")
    text = re.sub(r"import org\.onetape\.(nn|optim)\.\*;\n", "", text)
    text = text.replace("forwardT_TensorT_TensorTensor_T_T(", "forward(")
    text = text.replace("backward(grad)", "backward(grad, new BoolOptional(), false, new TensorArrayRefOptional())")
    text = re.sub(r"org\.onetape\.global\.torch", "org.bytedeco.pytorch.global.torch", text)
    text = text.replace("import org.onetape.*;", "import org.bytedeco.javacpp.*;\nimport org.bytedeco.pytorch.*;")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / source.name
    path.write_text(text, encoding="utf-8")
    subprocess.run(["javac", "-nowarn", "-cp", f"{jars}/*", "-d", str(folder), str(path)], check=True)


def compile_ours(source: Path, jar: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["javac", "-cp", str(jar), "-d", str(folder), str(source)], check=True)


def run(class_path: str, name: str, *arguments: str, threads: int = 1) -> tuple[dict[str, float], float]:
    """What the program printed (case and seconds a line), and the wall time of the whole process."""
    start = time.perf_counter()
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
    done = subprocess.run(
        ["java", "-cp", class_path, name, *arguments], env=environment, capture_output=True, text=True, check=True
    )
    wall = time.perf_counter() - start
    found = re.findall(r"^(\w+) ([0-9.eE+-]+)$", done.stdout, re.MULTILINE)
    return {case: float(seconds) for case, seconds in found}, wall


def unit_of(case: str) -> str:
    return "x" if case == "two_threads" else "s"


def best_of(results: list[dict[str, float]]) -> dict[str, float]:
    return {case: (max if unit_of(case) == "x" else min)(r[case] for r in results) for case in results[0]}


def rows(jars: str | None, repeats: int) -> list[dict]:
    jar = ROOT / "python" / "onetape" / "onetape.jar"
    if not jar.exists():
        return []
    ours_folder = ROOT / "build" / "bench" / "java-onetape"
    peer_folder = ROOT / "build" / "bench" / "java-javacpp"
    compile_ours(SOURCES / "Steps.java", jar, ours_folder)
    compile_ours(SOURCES / "FirstGradient.java", jar, ours_folder)
    compile_ours(SOURCES / "CustomFunction.java", jar, ours_folder)  # JavaCPP's PyTorch has none
    if jars:
        compile_for_peer(SOURCES / "Steps.java", jars, peer_folder)
        compile_for_peer(SOURCES / "FirstGradient.java", jars, peer_folder)
    ours, theirs, our_start, their_start = [], [], [], []
    for _ in range(repeats):
        steps = run(f"{jar}:{ours_folder}", "Steps")[0]
        ours.append({**steps, **run(f"{jar}:{ours_folder}", "CustomFunction")[0]})
        our_start.append(run(f"{jar}:{ours_folder}", "FirstGradient")[1])
        if jars:
            theirs.append(run(f"{jars}/*:{peer_folder}", "Steps")[0])
            their_start.append(run(f"{jars}/*:{peer_folder}", "FirstGradient")[1])
    best, peer_best = best_of(ours), best_of(theirs) if theirs else {}
    found = [
        {
            "case": f"java {case}",
            "peer": "JavaCPP",
            "onetape": best[case],
            "theirs": peer_best.get(case),
            "unit": unit_of(case),
        }
        for case in best
    ]
    start = {"case": "java: process to first gradient", "peer": "JavaCPP", "onetape": min(our_start), "unit": "s"}
    return [*found, {**start, "theirs": min(their_start) if their_start else None}]


def model_rows(jars: str | None, repeats: int, threads: int) -> list[dict]:
    """The models of benchmarks/cases, written in Java."""
    jar = ROOT / "python" / "onetape" / "onetape.jar"
    if not jar.exists():
        return []
    ours_folder = ROOT / "build" / "bench" / "java-onetape"
    peer_folder = ROOT / "build" / "bench" / "java-javacpp"
    compile_ours(SOURCES / "Models.java", jar, ours_folder)
    if jars:
        compile_for_peer(SOURCES / "Models.java", jars, peer_folder)
    arguments = (str(threads), *MODELS)
    ours, theirs = [], []
    for _ in range(repeats):
        ours.append(run(f"{jar}:{ours_folder}", "Models", *arguments, threads=threads)[0])
        if jars:
            theirs.append(run(f"{jars}/*:{peer_folder}", "Models", *arguments, threads=threads)[0])
    best, peer_best = best_of(ours), best_of(theirs) if theirs else {}
    return [
        {
            "case": f"java {case}",
            "peer": "JavaCPP",
            "onetape": best[case],
            "theirs": peer_best.get(case),
            "unit": "s",
        }
        for case in MODELS
    ]
