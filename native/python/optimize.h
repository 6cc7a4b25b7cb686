#pragma once

#include "python/reference.h"

namespace onetape::python {

/// What the optimizers of onetape.optim call.
void add_optimizers(PyObject* module);

}  // namespace onetape::python
