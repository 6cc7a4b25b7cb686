#pragma once

#include <functional>

#include "autograd/meta.h"
#include "python/reference.h"

namespace onetape::python {

/// grad_fn.next_functions
PyObject* next_functions_of(const Node& node);
/// The node behind an object that node_object() gave; null for any other object.
Ref<Node> node_behind(PyObject* object);
/// Hooks on tensors and nodes; each gives a handle with remove(). New references.
PyObject* register_tensor_hook(const Tensor& tensor, PyObject* function);
PyObject* register_accumulate_hook(const Tensor& tensor, PyObject* function);
PyObject* register_node_hook(const Ref<Node>& node, PyObject* function);
PyObject* register_node_prehook(const Ref<Node>& node, PyObject* function);
/// A handle whose remove() calls `undo` once.
PyObject* removable_handle(std::function<void()> undo);
void add_hooks(PyObject* module);

}  // namespace onetape::python
