#pragma once

#include "python/reference.h"

namespace onetape::python {

/// What onetape.graph calls.
void add_graph_pictures(PyObject* module);

}  // namespace onetape::python
