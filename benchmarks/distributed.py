"""Measures process groups: operations beside Gloo alone, and training on several processes beside one.

``python -m benchmarks.distributed [--world 2]`` prints a table; results go to build/bench/distributed.json, too. A
process computes with one thread. Figures are the best of repeats.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SIZES = (1, 1_000, 100_000, 1_000_000, 10_000_000, 25_000_000)


def digits_cnn() -> tuple[Any, Callable[[int], tuple[Any, Any]]]:
    import onetape as torch
    from examples.cnn import make_model

    model = make_model()
    return model, lambda count: (torch.randn(count, 1, 8, 8), torch.randint(0, 10, (count,)))


def large_mlp() -> tuple[Any, Callable[[int], tuple[Any, Any]]]:
    """10 million parameters."""
    import onetape as torch
    from onetape import nn

    layers = [nn.Linear(784, 2048), nn.ReLU(), nn.Linear(2048, 2048), nn.ReLU(), nn.Linear(2048, 2048), nn.ReLU()]
    model = nn.Sequential(*layers, nn.Linear(2048, 10))
    return model, lambda count: (torch.randn(count, 784), torch.randint(0, 10, (count,)))


MODELS = {"digits CNN": (digits_cnn, 256, 12), "MLP, 10 M parameters": (large_mlp, 1024, 4)}


def train(name: str, world: int, rank: int, compressed: bool = False) -> float:
    """Seconds a step, of the whole batch."""
    import onetape as torch
    from onetape.distributed import BuiltinCommHookType
    from onetape.nn import functional as F
    from onetape.nn.parallel import DistributedDataParallel

    make, batch, steps = MODELS[name]
    torch.manual_seed(0)
    model, data = make()
    if world > 1:
        model = DistributedDataParallel(model, gradient_as_bucket_view=True)
        if compressed:
            model._register_builtin_comm_hook(BuiltinCommHookType.BF16_COMPRESS)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = data(batch // world)
    times = []
    for _ in range(steps):
        begin = time.perf_counter()
        optimizer.zero_grad(set_to_none=False)
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
        times.append(time.perf_counter() - begin)
    return min(times[1:])


def operations() -> dict[str, float]:
    import onetape as torch
    import onetape.distributed as dist

    results = {}
    for size in SIZES:
        tensor = torch.ones(size)
        best = 1e9
        for _ in range(30 if size <= 100_000 else 10):
            dist.barrier()
            begin = time.perf_counter()
            dist.all_reduce(tensor)
            best = min(best, time.perf_counter() - begin)
        results[f"all_reduce of {4 * size} bytes"] = best
    return results


def child(rank: int, world: int, url: str, what: str, answers: Any) -> None:
    import onetape as torch
    import onetape.distributed as dist

    torch.set_num_threads(1)
    if world > 1:
        dist.init_process_group("gloo", url, rank=rank, world_size=world)
    if what == "operations":
        result: Any = operations()
    else:
        name, _, compressed = what.partition("/")
        result = train(name, world, rank, bool(compressed))
    if rank == 0:
        answers.put(result)
    if world > 1:
        dist.barrier()


def measured(world: int, what: str) -> Any:
    """What rank 0 measures."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        url = f"tcp://127.0.0.1:{probe.getsockname()[1]}"
    spawn = multiprocessing.get_context("spawn")
    answers = spawn.Queue()
    ranks = [spawn.Process(target=child, args=(rank, world, url, what, answers)) for rank in range(world)]
    for process in ranks:
        process.start()
    answer = answers.get(timeout=600)
    for process in ranks:
        process.join()
    return answer


def gloo_alone(world: int) -> dict[str, float]:
    """The same sums by Gloo without anything around; nothing where it cannot be compiled."""
    if not shutil.which("g++") or not Path("/usr/include/gloo/allreduce.h").exists():
        return {}
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "gloo_all_reduce"
        source = str(ROOT / "benchmarks" / "gloo_all_reduce.cpp")
        subprocess.run(["g++", "-std=c++17", "-O2", source, "-o", str(program), "-lgloo"], check=True)
        results = {}
        for size in SIZES:
            store = tempfile.mkdtemp(dir=folder)
            repeats = "30" if size <= 100_000 else "10"
            commands = [[str(program), store, str(rank), str(world), str(size), repeats] for rank in range(world)]
            ranks = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for command in commands]
            outputs = [process.communicate()[0] for process in ranks]
            results[f"all_reduce of {4 * size} bytes"] = float(outputs[0])
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--world", type=int, default=2)
    world = parser.parse_args().world
    ours, theirs = measured(world, "operations"), gloo_alone(world)
    table: dict[str, dict[str, float]] = {}
    for name, seconds in ours.items():
        table[name] = {"onetape": seconds, **({"Gloo alone": theirs[name]} if name in theirs else {})}
    for name in MODELS:
        # In turns, since a machine is not equally fast at all times.
        one = min(measured(1, name) for _ in range(2))
        several = min(measured(world, name) for _ in range(2))
        compressed = measured(world, name + "/bf16")
        table[name] = {"one process": one, f"{world} processes": several, "compressed": compressed}
    for name, row in table.items():
        first, *rest = row.values()
        cells = "  ".join(f"{key} {1000 * value:.3f} ms" for key, value in row.items())
        print(f"{name:32} {cells}  ratio {first / rest[0]:.2f}" if rest else f"{name:32} {cells}")
    target = ROOT / "build" / "bench" / "distributed.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps({"world": world, "seconds": table}, indent=1))


if __name__ == "__main__":
    main()
