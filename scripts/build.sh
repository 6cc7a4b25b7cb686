#!/usr/bin/env bash
# Configures and builds a native build folder:  scripts/build.sh FOLDER [-DONETAPE_…=…]...
# The folder is configured anew where it is new or the options have changed; CMake itself sees to everything else.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$1
shift
options=(-G Ninja "-DPython_EXECUTABLE=$PWD/.venv/bin/python" "$@")
# The native tests are not part of the default target, but ready to be built where GoogleTest is installed.
[ ! -e /usr/include/gtest/gtest.h ] || options+=(-DONETAPE_TESTS=ON)

mkdir -p "$folder"
if [ ! -e "$folder/build.ninja" ] || ! cmp -s <(printf '%s\n' "${options[@]}") "$folder/options"; then
  echo "build: configuring $folder"
  cmake -S . -B "$folder" "${options[@]}" > "$folder/configure.log" 2>&1 || {
    cat "$folder/configure.log" >&2
    exit 1
  }
  printf '%s\n' "${options[@]}" > "$folder/options"
fi
echo "build: compiling in $folder"
NINJA_STATUS='[%f/%t] ' cmake --build "$folder" --parallel "${JOBS:-$(nproc)}" -- -k 0
