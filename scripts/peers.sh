#!/usr/bin/env bash
# Installs the peers that `make bench` measures against (a gigabyte): PyTorch into build/peers/venv, JavaCPP's PyTorch
# into build/peers/jars, DJL's PyTorch engine into build/peers/djl. Prints the variables to set.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p build/peers
if [ ! -e build/peers/venv/ready ]; then
  echo "peers: installing PyTorch" >&2
  python3 -m venv build/peers/venv
  build/peers/venv/bin/pip install -q numpy torch >&2
  touch build/peers/venv/ready
fi
if [ ! -e build/peers/jars/ready ]; then
  echo "peers: fetching JavaCPP's PyTorch" >&2
  mvn -q -f benchmarks/java/peers.xml dependency:copy-dependencies -DoutputDirectory="$PWD/build/peers/jars" >&2
  touch build/peers/jars/ready
fi
if [ ! -e build/peers/djl/ready ]; then
  echo "peers: fetching DJL's PyTorch engine" >&2
  mvn -q -f benchmarks/java/djl.xml dependency:copy-dependencies -DoutputDirectory="$PWD/build/peers/djl" >&2
  touch build/peers/djl/ready
fi
echo "export ONETAPE_PEER_PYTHON=$PWD/build/peers/venv/bin/python ONETAPE_PEER_JARS=$PWD/build/peers/jars"
echo "export ONETAPE_PEER_DJL=$PWD/build/peers/djl"
