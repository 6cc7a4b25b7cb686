#!/usr/bin/env bash
# Gets a machine ready: system packages that are missing, then .venv with the locked Python packages of each group.
#
#   scripts/setup.sh GROUP...    groups are the files in requirements/: build run data test spark lint docs;
#                               and gradle, which has no Python packages
#
# Says nothing and changes nothing where all is in place. Without root, or without apt-get, it names what is missing,
# and how to install it, before it touches anything.
set -euo pipefail
cd "$(dirname "$0")/.."

missing=()

need() { # need PACKAGE COMMAND...: the package is missing where the command fails
  local package=$1
  shift
  "$@" > /dev/null 2>&1 || missing+=("$package")
}

is_new_enough() { # is_new_enough PYTHON
  "$1" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2> /dev/null
}

find_python() { # the first python3 on the path that is new enough
  local candidate
  for candidate in python3 python3.14 python3.13 python3.12 python3.11 python3.10; do
    if is_new_enough "$candidate"; then
      command -v "$candidate"
      return
    fi
  done
  return 1
}

check_python() {
  if ! PYTHON=${BASE_PYTHON:-$(find_python)}; then
    missing+=(python3 python3-venv python3-dev)
    return
  fi
  is_new_enough "$PYTHON" || {
    echo "BASE_PYTHON is $PYTHON, which is not a Python of version 3.10 or newer" >&2
    exit 1
  }
  need python3-venv "$PYTHON" -c 'import ensurepip, venv'
  need python3-dev "$PYTHON" -c \
    'import os, sysconfig; assert os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h"))'
}

check_jdk() { # JAVA_HOME, or the JDK whose javac is on the path
  local javac
  javac=$(readlink -f "${JAVA_HOME:+$JAVA_HOME/bin/javac}" || readlink -f "$(command -v javac)") || true
  need openjdk-17-jdk-headless test -e "${javac%/bin/javac}/include/jni.h"
}

check_system() {
  need g++ command -v g++
  need cmake command -v cmake
  need ninja-build command -v ninja
  need libtbb-dev test -e /usr/include/tbb/tbb.h
  need libgloo-dev test -e /usr/include/gloo/allreduce.h
  need nlohmann-json3-dev test -e /usr/include/nlohmann/json.hpp
  check_python
  check_jdk
  local group
  for group in "$@"; do
    case $group in
      test) need libgtest-dev test -e /usr/include/gtest/gtest.h ;;
    esac
  done
  case " $* " in
    *" test "* | *" lint "* | *" gradle "*) need gradle command -v gradle ;;
  esac
}

install_system() {
  [ ${#missing[@]} -gt 0 ] || return 0
  local command="apt-get install -y --no-install-recommends ${missing[*]}"
  if [ "$(id -u)" != 0 ] || ! command -v apt-get > /dev/null; then
    echo "Missing system packages (Debian's names): ${missing[*]}" >&2
    echo "Install them with:  sudo $command" >&2
    exit 1
  fi
  echo "setup: installing system packages: ${missing[*]}"
  mkdir -p build
  export DEBIAN_FRONTEND=noninteractive
  # Fresh images have no package lists, old ones have stale lists.
  { apt-get update -q && $command -q; } > build/setup.log 2>&1 || {
    tail -n 20 build/setup.log >&2
    echo "setup: '$command' failed; the whole output is in build/setup.log" >&2
    exit 1
  }
}

# A browser for the tests of the page of a graph, which are skipped without one. Where it cannot be had, all else goes on.
install_browser() {
  if command -v chromium > /dev/null || [ "$(id -u)" != 0 ] || ! command -v apt-get > /dev/null; then
    return 0
  fi
  mkdir -p build
  # Not where the package only leads to a package of another kind, as on Ubuntu.
  if [ "$(. /etc/os-release && echo "${ID:-}")" = debian ]; then
    echo "setup: installing chromium for the tests of the graph's page"
    export DEBIAN_FRONTEND=noninteractive
    { apt-get update -q && timeout 600 apt-get install -q -y --no-install-recommends chromium; } \
      > build/setup-browser.log 2>&1 || echo "setup: no chromium (see build/setup-browser.log); its tests are skipped"
  fi
}

make_venv() {
  if ! .venv/bin/python -c 'import pip' 2> /dev/null; then
    echo "setup: making .venv with $("$PYTHON" --version)"
    "$PYTHON" -m venv --clear .venv
  fi
  # The package is used from the source tree.
  local site
  for site in .venv/lib/python3*/site-packages; do
    echo "$PWD/python" | cmp -s - "$site/onetape.pth" || echo "$PWD/python" > "$site/onetape.pth"
  done
}

install_group() {
  local lock=requirements/$1.txt done=.venv/.lock-$1.txt
  cmp -s "$lock" "$done" && return
  echo "setup: installing Python packages from $lock"
  # The lock names every package, so pip has nothing to resolve.
  .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --requirement "$lock"
  cp "$lock" "$done"
}

check_system "$@"
install_system
case " $* " in
  *" test "*) install_browser ;;
esac
PYTHON=${BASE_PYTHON:-$(find_python)}
make_venv
for group in "$@"; do
  [ "$group" = gradle ] || install_group "$group"
done
