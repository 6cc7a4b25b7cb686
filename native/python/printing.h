#pragma once

#include "python/reference.h"

namespace onetape::python {

/// How tensors are written: what torch.set_printoptions and the repr of subclasses call.
void add_printing(PyObject* module);

}  // namespace onetape::python
