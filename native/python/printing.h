#pragma once

#include "python/reference.h"

namespace onetape::python {

/// What onetape's printing module calls.
void add_printing(PyObject* module);

}  // namespace onetape::python
