#pragma once

#include <optional>

#include "core/device.h"
#include "core/dtype.h"
#include "core/ints.h"
#include "python/reference.h"

namespace onetape::python {

// The small immutable values: dtypes, layouts, memory formats, devices, shapes.

/// torch.dtype, one object each.
extern PyTypeObject* dtype_type;
PyObject* dtype_object(DType dtype);  // borrowed
inline bool is_dtype(PyObject* object) { return Py_TYPE(object) == dtype_type; }
DType dtype_of_object(PyObject* object);
/// Also of Python's bool, int, float and complex.
std::optional<DType> as_dtype(PyObject* object);

/// torch.layout and torch.memory_format: names without meaning for an engine that has one layout.
extern PyTypeObject* layout_type;
extern PyTypeObject* memory_format_type;
PyObject* strided_layout();  // borrowed

/// torch.device
extern PyTypeObject* device_type;
PyObject* device_object(Device device);  // a new reference
Device device_of_object(PyObject* object);

/// torch.Size, a tuple. New references.
extern PyTypeObject* size_type;
PyObject* size_object(IntSpan sizes);
PyObject* int_tuple(IntSpan values);

/// Makes the classes and adds them, and the constants, to the module.
void add_dtypes(PyObject* module);
void add_layouts(PyObject* module);
void add_device(PyObject* module);
void add_size(PyObject* module);

}  // namespace onetape::python
