"""The library loads on every CPU: what runs while it loads is made of instructions that all of them have."""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import onetape

LIBRARY = Path(onetape.__file__).parent / "lib" / "libonetape.so"
SIZED = re.compile(r"^([0-9a-f]+) ([0-9a-f]+) [tTwW] (\S+)$", re.MULTILINE)
CALLED = re.compile(r"\b(?:call|jmp)\s+[0-9a-f]+ <([^@+>]+)>")
LEVELS = re.compile(r"7onetape2v[34]")


def functions() -> list[tuple[str, tuple[int, int]]]:
    """All functions: where each begins, and how many bytes it has. Those of several files may have one name."""
    listed = subprocess.run(["nm", "-S", LIBRARY], check=True, capture_output=True, text=True).stdout
    return [(name, (int(start, 16), int(size, 16))) for start, size, name in SIZED.findall(listed)]


def code_of(start: int, size: int) -> str:
    command = ["objdump", "-d", "--no-show-raw-insn", f"--start-address={start}", f"--stop-address={start + size}"]
    return subprocess.run([*command, LIBRARY], check=True, capture_output=True, text=True).stdout


@pytest.mark.skipif(platform.machine() != "x86_64", reason="there is one level on other machines")
@pytest.mark.skipif(not shutil.which("objdump") or not shutil.which("nm"), reason="needs binutils")
def test_kernels_of_higher_levels_register_without_vectors() -> None:
    listed = functions()
    known = dict(listed)
    seen = {place for name, place in listed if name.startswith("_GLOBAL__sub_I_") and ".simd.cpp" in name}
    assert len(seen) > 50, "the kernels' initialisers are not there: the library was stripped"
    waiting = list(seen)
    while waiting:
        code = code_of(*waiting.pop())
        for line in code.splitlines():
            assert not re.search(r"%[yz]mm|\bv[a-z]+\b.*%xmm", line), code[:2000]
        for name in CALLED.findall(code):
            if LEVELS.search(name) and name in known and known[name] not in seen:
                seen.add(known[name])
                waiting.append(known[name])
