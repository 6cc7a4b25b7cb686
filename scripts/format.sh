#!/usr/bin/env bash
# Brings every source file into the form that `make lint` asks for.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/sources.sh

echo "format: C++"
cpp_files | xargs -0 -r .venv/bin/clang-format -i
echo "format: Python"
.venv/bin/ruff check --quiet --fix-only --select I
.venv/bin/ruff format --quiet
echo "format: Java"
java_tools
java_files | xargs -0 -r "${java_formatter[@]}" --replace
