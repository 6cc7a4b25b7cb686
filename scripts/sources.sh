# The hand-written sources, as lists that end in NUL, and the tools for Java; sourced by lint.sh and format.sh.
# shellcheck shell=bash

source_files() { # source_files PATTERN...: those under version control and new ones that are not ignored
  local file
  git ls-files -z --cached --others --exclude-standard -- "$@" | while IFS= read -r -d '' file; do
    [ ! -e "$file" ] || printf '%s\0' "$file"
  done
}

cpp_files() { source_files 'native/*.h' 'native/*.cpp'; }
java_files() { source_files 'java/*.java'; }

# The formatter and Error Prone work on the compiler's insides, which the module system hides.
javac_exports=()
for package in api code comp file main model parser processing tree util; do
  javac_exports+=("--add-opens=jdk.compiler/com.sun.tools.javac.$package=ALL-UNNAMED")
  javac_exports+=("--add-exports=jdk.compiler/com.sun.tools.javac.$package=ALL-UNNAMED")
done

java_tools() { # fetches the tools through Gradle and sets java_formatter
  if [ ! -d build/lint/checker ] || [ gradle/versions.gradle -nt build/lint/checker ]; then
    echo "setup: fetching google-java-format and Error Prone"
    gradle --no-daemon --console=plain --quiet lintTools > build/lint.log 2>&1 || {
      cat build/lint.log >&2
      return 1
    }
    touch build/lint/checker
  fi
  java_formatter=(java "${javac_exports[@]}" -jar)
  java_formatter+=(build/lint/formatter/google-java-format-*-all-deps.jar)
}
