"""``python -m native.codegen --ops native/ops --out build/native/generated``: writes all that comes from the tables.

Output is the same byte for byte for the same tables; a file is rewritten only if its text changed. ``--list`` prints
the names of the outputs instead.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys
from pathlib import Path

import native.codegen
from native.codegen.optimizers import load_optimizers
from native.codegen.tables import TableError, load

NOT_BACK_ENDS = {"tables", "__main__"}


def back_ends() -> list[str]:
    """Every module beside this one that has generate(ops) or generate_optimizers(optimizers) -> {file name: text}."""
    return sorted(m.name for m in pkgutil.iter_modules(native.codegen.__path__) if m.name not in NOT_BACK_ENDS)


def outputs(ops_folder: Path) -> dict[str, str]:
    ops = load(ops_folder)
    optimizers = load_optimizers(ops_folder)
    files: dict[str, str] = {}
    for name in back_ends():
        module = importlib.import_module(f"native.codegen.{name}")
        if hasattr(module, "generate"):
            files.update(module.generate(ops))
        if hasattr(module, "generate_optimizers"):
            files.update(module.generate_optimizers(optimizers))
    return files


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ops", type=Path, required=True, help="folder of the tables")
    parser.add_argument("--out", type=Path, help="folder to write into")
    parser.add_argument("--list", action="store_true", help="print the names of the outputs and write nothing")
    options = parser.parse_args()
    try:
        files = outputs(options.ops)
    except TableError as error:
        print(error, file=sys.stderr)
        return 1
    if options.list:
        print("\n".join(sorted(files)))
        return 0
    if not options.out:
        parser.error("--out is missing")
    for name, text in sorted(files.items()):
        path = options.out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
