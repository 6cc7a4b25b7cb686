"""Prints, ended by NUL, the hand-written sources in a compilation database, each once."""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    entries = json.loads(Path(sys.argv[1]).read_text())
    files = {Path(entry["file"]) for entry in entries}
    native = ROOT / "native"
    sys.stdout.write("".join(f"{file}\0" for file in sorted(files) if native in file.parents))


if __name__ == "__main__":
    main()
