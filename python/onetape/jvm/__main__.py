"""``python -m onetape.jvm -cp app.jar Main args``: runs a Java program in this Python process."""

from __future__ import annotations

import argparse
import os
import sys

from onetape import jvm


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m onetape.jvm", description=__doc__)
    parser.add_argument("-cp", "-classpath", "--class-path", dest="class_path", default="", help="jars and folders")
    parser.add_argument("-J", dest="options", action="append", default=[], help="an option of the JVM: -J=-Xmx2g")
    parser.add_argument("main", help="the class with the main method")
    parser.add_argument("args", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    jvm.start([entry for entry in options.class_path.split(os.pathsep) if entry], options.options)
    import jpype

    try:
        program = jpype.JClass(options.main)
    except TypeError:
        print(f"Error: Could not find or load main class {options.main}", file=sys.stderr)
        return 1
    if not hasattr(program, "main"):
        print(f"Error: Main method not found in class {options.main}", file=sys.stderr)
        return 1
    try:
        program.main(options.args)
    except jpype.JException as error:
        print(f'Exception in thread "main" {error.stacktrace()}', file=sys.stderr, end="")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
