#pragma once

#include "core/tensor.h"
#include "python/reference.h"

namespace onetape::python {

// NumPy is never imported here for its own sake: an object can only be one of its arrays if a program
// imported it.

bool is_numpy_array(PyObject* object);
/// An instance of numpy.generic that is a number or a bool.
bool is_numpy_number(PyObject* object);
bool is_numpy_complex(PyObject* object);
bool is_numpy_bool(PyObject* object);

/// A tensor over an array's elements; keeps the array alive. TypeError for dtypes that have no tensor.
Tensor tensor_from_numpy(PyObject* array);
/// An array over a tensor's elements; keeps the tensor's storage alive. A new reference.
PyObject* numpy_from_tensor(const Tensor& tensor);

}  // namespace onetape::python
