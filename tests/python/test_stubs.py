"""The type stubs name what the compiled module has, and nothing else."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

import onetape as torch
from onetape import _C

FOLDER = Path(torch.__file__).parent / "_C"
INHERITED = {"__class__", "__doc__", "__module__", "__dict__", "__weakref__", "__init_subclass__", "__subclasshook__"}


def names(body: list[ast.stmt]) -> set[str]:
    """What a module's or a class's stub defines."""
    found: set[str] = set()
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
    return found


@pytest.fixture(scope="module")
def stub() -> ast.Module:
    return ast.parse((FOLDER / "__init__.pyi").read_text(encoding="utf-8"))


def test_module(stub: ast.Module) -> None:
    public = {name for name in dir(_C) if not name.startswith("_")}
    stubbed = {name for name in names(stub.body) if not name.startswith("_")} - {"Number"}
    assert stubbed == public
    assert {name for name in names(stub.body) if hasattr(_C, name)} >= {"_apply_function", "_unique2"}


def test_functional() -> None:
    stubbed = names(ast.parse((FOLDER / "_nn.pyi").read_text(encoding="utf-8")).body)
    assert stubbed == {name for name in dir(_C._nn) if not name.startswith("__")}


def test_distributed() -> None:
    importlib.import_module("onetape.distributed")  # adds Work.get_future
    body = ast.parse((FOLDER / "_distributed.pyi").read_text(encoding="utf-8")).body
    assert names(body) == {name for name in dir(_C._distributed) if not name.startswith("__")}
    for node in body:
        if isinstance(node, ast.ClassDef) and not any(isinstance(base, ast.Attribute) for base in node.bases):
            real = {member for member in vars(getattr(_C._distributed, node.name)) if not member.startswith("_")}
            assert {member for member in names(node.body) if not member.startswith("_")} == real, node.name


def test_classes(stub: ast.Module) -> None:
    classes = {node.name: names(node.body) for node in stub.body if isinstance(node, ast.ClassDef)}
    for name in ("Tensor", "dtype", "device", "Size", "Generator", "Node", "_FunctionBase", "RemovableHandle"):
        real = {member for member in vars(getattr(_C, name)) if not member.startswith("_")}
        assert {member for member in classes[name] if not member.startswith("_")} == real, name


def test_special_methods_of_tensor(stub: ast.Module) -> None:
    tensor = next(node for node in stub.body if isinstance(node, ast.ClassDef) and node.name == "Tensor")
    missing = {name for name in names(tensor.body) if name.startswith("__") and not hasattr(torch.Tensor, name)}
    assert not missing
