#pragma once

#include "core/generator.h"
#include "python/reference.h"

namespace onetape::python {

/// torch.Generator
bool is_generator(PyObject* object);
void add_generator(PyObject* module);

}  // namespace onetape::python
