"""Java next to Python: one process, one native library, one graph.

>>> from onetape import jvm
>>> jvm.start(class_path=["app.jar"])
>>> Net = jvm.java_class("com.example.Net")

Tensors pass to Java methods as they are: the same native tensor, without a copy, with its graph. A tensor that comes
back is a Java object with Python manners (operators, indexing, ``numpy()``, ``repr``); ``jvm.from_java`` makes it a
Python tensor again, as ``jvm.call``, ``jvm.module`` and ``jvm.function`` do by themselves. ``python -m onetape.jvm -cp
app.jar Main`` runs a Java program next to Python. A process can start one JVM, once.
"""

from __future__ import annotations

from onetape.jvm._calls import JavaModule, call, callback, function, module
from onetape.jvm._start import classpath, is_started, jar, java_class, start
from onetape.jvm._tensors import from_java, to_java

__all__ = [
    "JavaModule",
    "call",
    "callback",
    "classpath",
    "from_java",
    "function",
    "is_started",
    "jar",
    "java_class",
    "module",
    "start",
    "to_java",
]
