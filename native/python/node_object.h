#pragma once

#include "autograd/node.h"
#include "python/reference.h"

namespace onetape::python {

/// The Python object of a node, as `grad_fn` shows it; None for null. A new reference; a node has one object
/// as long as anybody holds it. A custom function's node is shown by its context.
PyObject* node_object(const Ref<Node>& node);
void add_node(PyObject* module);

}  // namespace onetape::python
