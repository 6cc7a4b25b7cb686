#pragma once

#include "autograd/node.h"
#include "python/reference.h"

namespace onetape::python {

/// grad_fn._saved_self and the like: the tensor that a node keeps under PyTorch's name for it;
/// grad_fn._raw_saved_self: an object with register_hooks(). Null without an exception where the node keeps
/// nothing of that name.
PyObject* saved_attribute(const Ref<Node>& node, const char* attribute);
void add_saved_attributes(PyObject* module);

}  // namespace onetape::python
