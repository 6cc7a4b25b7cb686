#pragma once

#include "core/tensor.h"
#include "python/errors.h"
#include "python/reference.h"

namespace onetape::python {

/// The Python object of a tensor. A tensor has at most one, and keeps it for its whole life if anybody could
/// tell the difference: normally the object owns the tensor; an object with attributes, weak references or a
/// class of its own whose last Python reference goes while C++ still uses the tensor is lent to it, and comes
/// back unchanged.
struct TensorObject {
  PyObject_HEAD Tensor tensor;  // undefined while the object is lent to the tensor
  PyObject* dict;
  PyObject* weakrefs;
};

/// onetape.Tensor; set by make_tensor_type().
extern PyTypeObject* tensor_type;
/// Makes the class and its metaclass from the generated and the hand-written methods; returns a new
/// reference.
PyObject* make_tensor_type();

inline bool is_tensor(PyObject* object) {
  return Py_TYPE(object) == tensor_type || PyType_IsSubtype(Py_TYPE(object), tensor_type);
}

/// Takes a lent object back; RuntimeError if its tensor is gone.
const Tensor& reclaim(PyObject* object);

/// The tensor of an object that is a Tensor.
inline const Tensor& tensor_of(PyObject* object) {
  const Tensor& tensor = reinterpret_cast<TensorObject*>(object)->tensor;
  if (!tensor.defined()) [[unlikely]]
    return reclaim(object);
  return tensor;
}

/// The object of a tensor, made if there is none; None for an undefined one. A new reference.
PyObject* wrap(Tensor tensor);
/// A new object of a subclass for a tensor that has none yet.
PyObject* wrap_as(PyTypeObject* type, Tensor tensor);

/// Number of tensors that have a Python object, for tests.
int64_t live_objects();

}  // namespace onetape::python
