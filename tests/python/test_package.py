"""The package as a whole: its names, its documentation, and what importing it costs."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import onetape as torch
from onetape import _C


def test_star_import_gives_all_names() -> None:
    names: dict[str, object] = {}
    exec("from onetape import *", names)
    assert set(torch.__all__) <= set(names)
    assert {"Tensor", "tensor", "mul", "float32", "nn", "optim", "no_grad", "graph", "pi"} <= set(names)
    assert not [name for name in torch.__all__ if name.startswith("_") and name != "__version__"]


def test_unknown_names() -> None:
    with pytest.raises(AttributeError, match="module 'onetape' has no attribute 'nothing'"):
        torch.nothing  # noqa: B018


def test_typed() -> None:
    assert (Path(torch.__file__).parent / "py.typed").exists()


def public_functions() -> list[str]:
    return [name for name in dir(_C) if not name.startswith("_") and inspect.isbuiltin(getattr(_C, name))]


def test_everything_is_documented() -> None:
    bare = [name for name in public_functions() if not (getattr(_C, name).__doc__ or "").strip()]
    methods = [name for name in dir(torch.Tensor) if not name.startswith("_")]
    bare += [f"Tensor.{name}" for name in methods if not (getattr(torch.Tensor, name).__doc__ or "").strip()]
    assert not bare


def test_documentation_of_an_operator() -> None:
    text = torch.div.__doc__
    assert text is not None
    first = text.splitlines()[0]
    assert first == (
        "div(input: Tensor, other: Tensor | Number, *, rounding_mode: str | None = None, out=None) -> Tensor"
    )
    assert "rounding_mode: None; 'trunc' (towards zero)" in text and "Raises RuntimeError" in text


def run(code: str) -> str:
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return result.stdout


def test_import_leaves_numpy_alone() -> None:
    assert run("import onetape, sys; print('numpy' in sys.modules, 'onetape.nn' in sys.modules)") == "False False\n"


def test_ends_cleanly_with_tensors_alive() -> None:
    code = (
        "import onetape as torch\n"
        "x = torch.ones(3, requires_grad=True); x.me = x; x.grad = torch.ones(3); x.grad.note = [x]\n"
        "y = x.exp(); y.register_hook(lambda g: y); x.register_hook(lambda g: x)\n"
        "import builtins; builtins.kept = (x, y, y.grad_fn, x.numpy if False else x.detach().numpy)\n"
        "print(y.sum().item() > 8)"
    )
    assert run(code) == "True\n"
