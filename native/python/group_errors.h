#pragma once

#include "distributed/group_error.h"
#include "python/reference.h"

namespace onetape::python {

/// torch.distributed.DistError, a RuntimeError, and the classes that are made from it.
PyObject* distributed_error();
PyObject* group_error(distributed::GroupError::Part part);

}  // namespace onetape::python
