#!/usr/bin/env bash
# Configures a native build folder and builds targets in it:
#
#   scripts/build.sh FOLDER TARGET... [-DONETAPE_…=…]...
#
# The folder is configured here where it is new or the options have changed; CMake itself sees to everything else.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$1
shift

targets=()
options=(-G Ninja "-DPython_EXECUTABLE=$PWD/.venv/bin/python")
# The native tests are not part of `all`, but ready to be built where GoogleTest is installed.
[ ! -e /usr/include/gtest/gtest.h ] || options+=(-DONETAPE_TESTS=ON)
for argument in "$@"; do
  case $argument in
    -D*) options+=("$argument") ;;
    *) targets+=("$argument") ;;
  esac
done

mkdir -p "$folder"
if [ ! -e "$folder/build.ninja" ] || ! cmp -s <(printf '%s\n' "${options[@]}") "$folder/options"; then
  echo "build: configuring $folder"
  cmake -S . -B "$folder" "${options[@]}" > "$folder/configure.log" 2>&1 || {
    cat "$folder/configure.log" >&2
    exit 1
  }
  printf '%s\n' "${options[@]}" > "$folder/options"
fi
echo "build: ${targets[*]} in $folder"
NINJA_STATUS='[%f/%t] ' cmake --build "$folder" --target "${targets[@]}" --parallel "${JOBS:-$(nproc)}" -- -k 0
