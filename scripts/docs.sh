#!/usr/bin/env bash
# Builds the site in build/docs from docs/ and the operator reference that the generator makes from the tables.
set -euo pipefail
cd "$(dirname "$0")/.."

echo "docs: collecting pages"
rm -rf build/docs-source
mkdir -p build/docs-source
cp -r docs/. build/docs-source/
cp -r build/native/generated/docs build/docs-source/reference
echo "docs: building build/docs"
# The theme prints an advertisement of its authors at every build otherwise.
NO_MKDOCS_2_WARNING=1 .venv/bin/python -m mkdocs build --quiet --strict --config-file mkdocs.yml
echo "docs: open build/docs/index.html"
