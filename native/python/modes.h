#pragma once

#include "python/reference.h"

namespace onetape::python {

/// Grad, inference and anomaly mode.
void add_modes(PyObject* module);

}  // namespace onetape::python
