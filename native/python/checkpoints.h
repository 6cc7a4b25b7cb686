#pragma once

#include "python/reference.h"

namespace onetape::python {

/// _run_checkpoint and what torch.utils.checkpoint asks of the run that it is in.
void add_checkpoints(PyObject* module);

}  // namespace onetape::python
