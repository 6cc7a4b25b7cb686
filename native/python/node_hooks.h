#pragma once

#include <functional>

#include "autograd/node.h"
#include "python/reference.h"

namespace onetape::python {

/// grad_fn.next_functions
PyObject* next_functions_of(const Node& node);
/// Hooks on nodes; each gives a handle with remove(). New references.
PyObject* register_node_hook(const Ref<Node>& node, PyObject* function);
PyObject* register_node_prehook(const Ref<Node>& node, PyObject* function);
/// A handle whose remove() calls `undo` once.
PyObject* removable_handle(std::function<void()> undo);
void add_hooks(PyObject* module);

}  // namespace onetape::python
