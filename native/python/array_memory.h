#pragma once

#include "python/reference.h"

namespace onetape::python {

// A program can have NumPy free an array's elements while others look at them: `__setstate__` and the setter
// of `data` do not ask. While a tensor shows them they are therefore owned by an object that no program can
// reach.

/// Makes a hidden object the owner of an array's elements; a new reference to it. Null, without an exception,
/// if the array does not own them, or this NumPy looks otherwise than expected.
PyObject* hide_owner(PyObject* array, PyTypeObject* array_class);
/// The hidden owner that an array has already; a new reference, or null.
PyObject* hidden_owner(PyObject* base);
/// Lets the array own its elements again if nobody else holds the hidden owner; takes that reference.
void give_back(PyObject* array, PyObject* owner);

}  // namespace onetape::python
