"""Writes names.json: the public names of PyTorch's modules for training.

    python tests/golden/names/make_names.py

Needs PyTorch; tests/python/test_names.py reads the file.
"""

from __future__ import annotations

import importlib
import json
import types
from pathlib import Path

import torch

FILE = Path(__file__).with_name("names.json")
MODULES = (
    "nn",
    "nn.functional",
    "nn.init",
    "nn.parameter",
    "nn.utils",
    "nn.utils.fusion",
    "nn.utils.parametrizations",
    "nn.utils.parametrize",
    "nn.utils.prune",
    "nn.utils.rnn",
    "nn.utils.stateless",
    "optim",
    "optim.lr_scheduler",
    "optim.swa_utils",
    "utils.data",
)


def public_names(module: types.ModuleType) -> list[str]:
    """The names that the module lists; where it lists none, those of what its package defines and dir() shows."""
    listed = getattr(module, "__all__", None)
    if listed is not None:
        return sorted(name for name in listed if not name.startswith("_"))
    return sorted(
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and not isinstance(value, types.ModuleType)
        and str(getattr(value, "__module__", "")).startswith("torch")
        and value is not torch.Tensor
    )


def main() -> None:
    names = {name: public_names(importlib.import_module(f"torch.{name}")) for name in MODULES}
    content = {"torch": torch.__version__.split("+")[0], **names}
    FILE.write_text(json.dumps(content, indent=0) + "\n")
    print({name: len(found) for name, found in names.items()})


if __name__ == "__main__":
    main()
