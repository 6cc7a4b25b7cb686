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
extern PyMethodDef dlpack_methods[];
extern PyMethodDef indexing_methods[];
extern PyMethodDef new_methods[];
extern PyGetSetDef view_properties[];
extern PyMethodDef storage_methods[];

/// torch.from_dlpack
void add_dlpack(PyObject* module);
/// What the storage classes of the package are made of.
void add_storage_functions(PyObject* module);

}  // namespace onetape::python
