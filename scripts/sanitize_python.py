"""Runs Python tests against the module that a build folder with AddressSanitizer has.

``scripts/sanitize_python.py FOLDER [PYTEST ARGUMENTS]``; leaks are not looked for, since the interpreter itself leaves
objects to the end of the process.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "python" / "onetape"


def runtime(name: str) -> str:
    return subprocess.run(
        ["gcc", f"-print-file-name={name}"], check=True, capture_output=True, text=True
    ).stdout.strip()


def main() -> None:
    package = ROOT / sys.argv[1] / "package"
    # What the build put there stays; the Python sources come beside it.
    ignored = shutil.ignore_patterns("_C", "_C.*", "lib", "onetape.jar", "__pycache__")
    shutil.copytree(SOURCES, package / "onetape", ignore=ignored, dirs_exist_ok=True)
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(package), str(ROOT)]),
        # The C++ library must stand before the sanitizer looks for what throws exceptions.
        "LD_PRELOAD": f"{runtime('libasan.so')} {runtime('libstdc++.so')}",
        "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1",
        "PYTHONMALLOC": "malloc",
        "OPENBLAS_NUM_THREADS": "2",
    }
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *sys.argv[2:]]
    sys.exit(subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode)


if __name__ == "__main__":
    main()
