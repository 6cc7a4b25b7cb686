"""Calls public functions of the Python face with nasty arguments, one seed a case.

``python -m tests.fuzz.child FIRST COUNT PROGRESS`` runs cases and keeps in the file PROGRESS which one it is at. What
the calls raise does not matter; ``python -m tests.fuzz.child SEED 1 - --show`` prints it.
"""

from __future__ import annotations

import faulthandler
import os
import random
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import onetape as torch
from native.codegen.tables import Op, load
from tests.fuzz.nasty import Nasty

ROOT = Path(__file__).resolve().parents[2]
LEFT_OUT = {"serve", "show", "save", "compile", "set_num_threads", "set_printoptions", "set_default_dtype"}
"""Members that wait for somebody, write files or change what the other cases meet."""
SHOW = "--show" in sys.argv


def owners() -> dict[str, Any]:
    return {
        "torch": torch,
        "Tensor": torch.Tensor,
        "nn.functional": torch.nn.functional,
        "nn": torch.nn,
        "nn.init": torch.nn.init,
        "autograd": torch.autograd,
        "autograd.forward_ad": torch.autograd.forward_ad,
        "autograd.functional": torch.autograd.functional,
        "func": torch.func,
        "optim": torch.optim,
        "utils": torch.utils,
        "utils.data": torch.utils.data,
        "utils.metrics": torch.utils.metrics,
    }


def targets() -> list[tuple[str, str, Callable[..., Any]]]:
    found = []
    for where, owner in owners().items():
        for name in sorted(dir(owner)):
            public = not name.startswith("_") or (name.startswith("__") and where == "Tensor" and name not in BASIC)
            member = getattr(owner, name, None) if public and name not in LEFT_OUT else None
            if callable(member):
                found.append((where, name, member))
    return found


BASIC = {name for name in dir(object) if name not in ("__eq__", "__ne__", "__lt__", "__repr__", "__setattr__")}
TABLES: dict[str, list[Op]] = {}
for op in load(ROOT / "native" / "ops"):
    TABLES.setdefault(op.name, []).append(op)


def arguments(nasty: Nasty, where: str, name: str) -> tuple[list[Any], dict[str, Any]]:
    rng = nasty.rng
    ops = TABLES.get(name) or TABLES.get(name.rstrip("_"))
    if ops and rng.random() < 0.75:
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        for param in rng.choice(ops).params:
            if param.default is not None and rng.random() < 0.5:
                break
            value = nasty.for_type(param.type)
            if param.keyword_only or kwargs or rng.random() < 0.1:
                kwargs[param.name] = value
            else:
                args.append(value)
        return args, kwargs
    args = [nasty.tensor()] if where == "Tensor" and rng.random() < 0.9 else []
    args += [nasty.value() for _ in range(rng.choice([0, 1, 1, 2, 2, 3, 4]))]
    names = ["dim", "out", "dtype", "keepdim", "requires_grad", "device", "generator", "other", "nonsense"]
    return args, {rng.choice(names): nasty.value()} if rng.random() < 0.15 else {}


def one_call(nasty: Nasty, where: str, name: str, member: Callable[..., Any]) -> None:
    nasty.longest = 3 if where == "utils.data" else 2**62  # loops of Python go through all they are given
    try:
        args, kwargs = arguments(nasty, where, name)
        if SHOW:
            print(f"{where}.{name}", [type(a).__name__ for a in args], kwargs.keys(), flush=True)
        result = member(*args, **kwargs)
        nasty.pool += [result, *(a for a in args if isinstance(a, torch.Tensor))]
        use(result, nasty)
    except SystemError:
        raise
    except BaseException as error:
        if SHOW:
            print("  raised", type(error).__name__, str(error)[:200].encode("utf-8", "replace").decode(), flush=True)


def use(result: Any, nasty: Nasty) -> None:
    """Looks at a result as programs do: writes it, differentiates it, calls it."""
    if isinstance(result, torch.Tensor):
        if result.numel() < 10**6:
            repr(result)
        if result.requires_grad and nasty.rng.random() < 0.5:
            result.backward(torch.ones_like(result), retain_graph=nasty.rng.random() < 0.5)
    elif isinstance(result, torch.nn.Module):
        repr(result)
        use(result(nasty.tensor()), nasty)


def run(seed: int, calls: list[tuple[str, str, Callable[..., Any]]]) -> None:
    rng = random.Random(seed)
    torch.manual_seed(seed)
    nasty = Nasty(rng)
    for _ in range(rng.choice([1, 2, 4])):
        one_call(nasty, *rng.choice(calls))


def main() -> None:
    faulthandler.enable()
    warnings.simplefilter("ignore")
    first, count, progress = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    calls = targets()
    at = os.open(progress, os.O_WRONLY | os.O_CREAT) if progress != "-" else None
    for seed in range(first, first + count):
        if at is not None:
            os.pwrite(at, b"%20d" % seed, 0)
        run(seed, calls)
    if at is not None:
        os.pwrite(at, b"%20d" % -1, 0)


if __name__ == "__main__":
    main()
