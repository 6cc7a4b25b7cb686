#pragma once

#include "core/tensor.h"
#include "python/reference.h"

namespace onetape::python {

/// Part of the garbage collector's walk: visits the Python objects that only this tensor, held by one Python
/// object, keeps alive through its gradient, its hooks and its graph. So `y.register_hook(lambda g: y)` is
/// collected.
int visit_graph(const Tensor& tensor, visitproc visit, void* arg);

}  // namespace onetape::python
