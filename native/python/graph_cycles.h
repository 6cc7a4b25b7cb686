#pragma once

#include "core/tensor.h"
#include "python/reference.h"

namespace onetape::python {

/// Shows Python's garbage collector the objects that are reachable through a tensor's gradient, hooks and
/// graph and through nothing else, so that cycles through them can be collected.
int visit_graph(const Tensor& tensor, visitproc visit, void* arg);

/// Counts what programs hang on nodes: without any of it there is nothing to look for behind a tensor.
void count_attachment(int change);

/// Lets the collector tell when it starts.
void watch_collector();

}  // namespace onetape::python
