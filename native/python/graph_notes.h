#pragma once

#include "python/reference.h"

namespace onetape::python {

/// What onetape.graph.record calls.
void add_graph_notes(PyObject* module);

}  // namespace onetape::python
