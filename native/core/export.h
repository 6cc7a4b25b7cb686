#pragma once

/// Marks what the shared library shows to the Python module, the JNI glue and the native tests.
#define ONETAPE_API __attribute__((visibility("default")))
