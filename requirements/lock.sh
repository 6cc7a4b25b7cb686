#!/usr/bin/env bash
# Writes the lock files anew: each NAME.txt is what its NAME.in needs, with exact versions for Python 3.10 and later.
set -euo pipefail
cd "$(dirname "$0")"

lock() {
  local name=$1
  shift
  uv pip compile --quiet --universal --python-version 3.10 --upgrade --no-header --no-annotate \
    --no-emit-index-url --no-emit-find-links "$@" "$name.in" -o "$name.txt"
}

command -v uv > /dev/null || { echo "lock.sh needs uv: pip install uv" >&2; exit 1; }
lock build
lock run
lock data --no-deps
lock test
lock lint
lock docs
lock spark
