#pragma once

#define PY_SSIZE_T_CLEAN
#include <utility>

#include <Python.h>
#include <structmember.h>

namespace onetape::python {

/// Owns one reference to a Python object. Only touched while the GIL is held.
class Owned {
 public:
  Owned() = default;
  /// Takes over a reference; null is allowed.
  explicit Owned(PyObject* object) : object_(object) {}
  static Owned share(PyObject* object) {
    Py_XINCREF(object);
    return Owned(object);
  }
  Owned(const Owned& other) : object_(other.object_) { Py_XINCREF(object_); }
  Owned(Owned&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Owned& operator=(Owned other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Owned() { Py_XDECREF(object_); }

  PyObject* get() const { return object_; }
  /// Gives the reference to the caller.
  PyObject* take() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

}  // namespace onetape::python
