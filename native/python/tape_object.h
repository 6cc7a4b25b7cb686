#pragma once

#include "python/reference.h"

namespace onetape::python {

/// onetape.jit.Tape, and what records one.
void add_tape(PyObject* module);

}  // namespace onetape::python
