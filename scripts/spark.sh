#!/usr/bin/env bash
# Compiles the Java part for Apache Spark against PySpark's jars into build/spark/onetape-spark.jar, and runs its tests.
set -euo pipefail
cd "$(dirname "$0")/.."
jars=$(.venv/bin/python -c 'import os, pyspark; print(os.path.join(os.path.dirname(pyspark.__file__), "jars"))')
echo "spark: compiling onetape-spark.jar"
rm -rf build/spark
mkdir -p build/spark/classes
find java/spark/src/main -name '*.java' > build/spark/sources.txt
# Spark's own class files name annotations and jars that are not there.
javac --release 17 -encoding UTF-8 -Xlint:all,-try,-classfile,-path -d build/spark/classes \
  -cp "python/onetape/onetape.jar:$jars/*" @build/spark/sources.txt > build/spark/javac.log 2>&1 || {
  cat build/spark/javac.log >&2
  exit 1
}
jar --create --file build/spark/onetape-spark.jar -C build/spark/classes .
ONETAPE_TEST_SPARK=1 .venv/bin/python -m pytest tests/spark "$@"
