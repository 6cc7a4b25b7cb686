"""Stores random programs with what PyTorch does: ``python -m tests.golden.programs.make_programs`` (needs PyTorch).

``--first SEED --count N --to FILE`` makes others, which ``python -m tests.python.test_random_programs FILE`` compares.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import warnings
from pathlib import Path
from typing import Any

from tests.golden.programs import smooth
from tests.golden.programs.generate import program_of

PATH = Path(__file__).with_name("programs.json.gz")
COUNT = 2460
SKIPPED = {
    63,
    72,
    345,
    362,
    431,
    461,
    480,
    488,
    490,
    492,
    555,
    567,
    621,
    636,
    663,
    744,
    802,
    803,
    815,
    850,
    956,
    1049,
    1103,
    1142,
    1157,
    1200,
    1211,
    1232,
    1234,
    1235,
    1341,
    1394,
    1516,
    1601,
    1678,
    1690,
    1714,
    1921,
    1997,
    2002,
    2006,
    2017,
    2039,
    2049,
    2086,
    2110,
    2124,
    2243,
    2248,
    2277,
    2291,
    2300,
    2382,
    2447,
}
"""Seeds of programs with more than one error, of which PyTorch meets another one first, or which it refuses since it
saves operands that the gradient does not need (the source of ``index_add``, ``self`` of ``gather``, the result of
``copysign``); with equal elements in an unstable sort; with memory that is read while it is written."""
SMOOTH = Path(__file__).with_name("smooth.json.gz")
SMOOTH_COUNT = 300


def stored(value: Any) -> Any:
    """An answer as JSON: of a checksum only the sum, with the digits that it has."""
    if isinstance(value, tuple):
        total, size = value
        return round(total, 8 - math.floor(math.log10(size))) + 0.0 if size else 0.0
    if isinstance(value, dict):
        return {key: stored(item) for key, item in value.items()}
    return [stored(item) for item in value] if isinstance(value, list) else value


def main() -> None:
    import torch

    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--to", type=Path, default=PATH)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    entries = []
    for seed in range(options.first, options.first + options.count):
        if seed in SKIPPED:
            continue
        dtype, program, answer = program_of(torch, seed)
        entries.append({"seed": seed, "dtype": dtype, "program": program, **stored(answer)})
    write(options.to, torch.__version__, entries)
    if options.to == PATH:
        entries = []
        for seed in range(SMOOTH_COUNT):
            program, roots = smooth.program_of(torch, seed)
            entries.append({"seed": seed, "program": program, "roots": roots})
        write(SMOOTH, torch.__version__, entries)


def write(path: Path, version: str, entries: list[dict[str, Any]]) -> None:
    lines = [json.dumps(entry, separators=(",", ":"), ensure_ascii=False) for entry in entries]
    head = json.dumps({"torch": version.split("+")[0]})[:-1]
    text = head + ', "programs": [\n' + ",\n".join(lines) + "\n]}\n"
    path.write_bytes(gzip.compress(text.encode(), compresslevel=9, mtime=0))
    print(f"{path}: {len(lines)} programs, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
