#pragma once

#include <pybind11/pybind11.h>

namespace onetape::python {

/// What onetape.profiler calls.
void add_profiler(pybind11::module_& module);

}  // namespace onetape::python
