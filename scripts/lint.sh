#!/usr/bin/env bash
# Runs every check, also when an earlier one fails, and names at the end those that failed.
set -uo pipefail
cd "$(dirname "$0")/.."
. scripts/sources.sh

failed=()

check() { # check NAME COMMAND...
  local name=$1
  shift
  echo "lint: $name"
  "$@" || failed+=("$name")
}

cpp_form() {
  cpp_files | xargs -0 -r .venv/bin/clang-format --dry-run --Werror
}

cpp_tidy() { # the sources that the build compiles; headers are seen through them
  .venv/bin/python scripts/tidy_sources.py build/native/compile_commands.json |
    xargs -0 -r -n 4 -P "$(nproc)" .venv/bin/clang-tidy -p build/native --quiet 2> build/lint/tidy.log
}

java_form() {
  local changed
  changed=$(java_files | xargs -0 -r "${java_formatter[@]}" --dry-run)
  [ -z "$changed" ] || { printf '%s: not in form; run make format\n' $changed; return 1; }
}

java_check() { # the compiler with all its warnings and Error Prone, on the library, its tests and the examples
  local classes=build/lint/classes plugin warnings=all,-try
  ! javac --help-lint | grep -q this-escape || warnings+=,-this-escape # as in native/cmake/Jar.cmake
  plugin="-Xplugin:ErrorProne -XepDisableAllWarnings -XepExcludedPaths:.*/generated/.*"
  plugin+=$(sed 's/#.*//; /^ *$/d; s/^/ -Xep:/; s/$/:ERROR/' scripts/errorprone.txt | tr -d '\n')
  rm -rf "$classes"
  mkdir -p "$classes"
  # What is for Spark is compiled with Spark's jars only, by scripts/spark.sh.
  { java_files | tr '\0' '\n' | grep -v '^java/spark/'; find build/native/generated/java -name '*.java'; } > build/lint/java.txt
  javac "${javac_exports[@]/#/-J}" --release 17 -encoding UTF-8 -parameters -Xlint:$warnings -Werror \
    -XDcompilePolicy=simple --should-stop=ifError=FLOW -processorpath "$(printf '%s:' build/lint/checker/*.jar)" "$plugin" \
    -implicit:none -proc:none -classpath 'build/lint/libraries/*' -d "$classes" @build/lint/java.txt
}

mkdir -p build/lint
if ! java_tools; then
  echo "lint: the Java tools could not be fetched" >&2
  exit 1
fi
check "form of C++ (clang-format)" cpp_form
check "C++ (clang-tidy)" cpp_tidy
check "Python (ruff)" .venv/bin/ruff check --quiet
check "form of Python (ruff)" .venv/bin/ruff format --check --quiet
check "types of Python (mypy)" .venv/bin/mypy --no-error-summary
check "form of Java (google-java-format)" java_form
check "Java (javac, Error Prone)" java_check
check "changelog and sizes of files" .venv/bin/python scripts/check_tree.py

if [ ${#failed[@]} -gt 0 ]; then
  printf 'lint: failed: %s\n' "${failed[@]}" >&2
  exit 1
fi
echo "lint: all is well"
