#pragma once

#include <vector>

#include "python/reference.h"

namespace onetape::python {

void tensor_dealloc(PyObject* object);

/// All slots of onetape.Tensor but those that manage its memory.
std::vector<PyType_Slot> tensor_type_slots();

// Their hand-written parts, each from the source of the same name.
extern PyMethodDef autograd_methods[];
extern PyGetSetDef autograd_properties[];
extern PyMethodDef conversion_methods[];
extern PyMethodDef property_methods[];
extern PyGetSetDef property_getters[];
extern PyMethodDef numpy_methods[];

}  // namespace onetape::python
