#pragma once

#include "python/arguments.h"
#include "python/numpy.h"

namespace onetape::python {

/// A binary operator of Python. `forward(tensor, other)` where a tensor stands on the left,
/// `reflected(tensor, other)` where only the right side is one. NotImplemented lets Python ask the other
/// operand.
template <Kind Other, bool Wraps, typename Forward, typename Reflected>
PyObject* binary_slot(PyObject* left, PyObject* right, Forward forward, Reflected reflected) {
  try {
    const bool straight = is_tensor(left);
    PyObject* tensor = straight ? left : right;
    PyObject* other = straight ? right : left;
    Owned array;  // the tensor of a NumPy array
    if (!accepts(Other, other)) [[unlikely]] {
      if (!is_numpy_array(other)) Py_RETURN_NOTIMPLEMENTED;
      array = Owned(wrap(tensor_from_numpy(other)));
      other = array.get();
    }
    const Tensor& self = tensor_of(tensor);
    const TensorOrNumber value(other, std::span<PyObject* const>(&tensor, 1), Wraps);
    Tensor result;
    {
      const ReleaseGil gil(is_large(self) || is_large(value));
      result = straight ? forward(self, value) : reflected(self, value);
    }
    return wrap(std::move(result));
  } catch (...) {
    return raise_current();
  }
}

/// An operator that has no reflected form.
template <Kind Other, bool Wraps, typename Forward>
PyObject* left_slot(PyObject* left, PyObject* right, Forward forward) {
  if (!is_tensor(left)) Py_RETURN_NOTIMPLEMENTED;
  return binary_slot<Other, Wraps>(left, right, forward, forward);
}

template <typename F>
PyObject* unary_slot(PyObject* self, F operation) {
  try {
    const Tensor& tensor = tensor_of(self);
    Tensor result;
    {
      const ReleaseGil gil(is_large(tensor));
      result = operation(tensor);
    }
    return wrap(std::move(result));
  } catch (...) {
    return raise_current();
  }
}

/// The `~` of Python, which has a text of its own for what has no bits.
template <typename F>
PyObject* invert_slot(PyObject* self, F operation) {
  return unary_slot(self, [&](const Tensor& tensor) {
    check_type(kind_of(tensor.dtype()) <= DTypeKind::Integral,
               "~ (operator.invert) is only implemented on integer and Boolean-type tensors");
    return operation(tensor);
  });
}

}  // namespace onetape::python
