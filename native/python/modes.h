#pragma once

#include "python/reference.h"

namespace onetape::python {

/// The grad mode of the calling thread.
void add_modes(PyObject* module);

}  // namespace onetape::python
