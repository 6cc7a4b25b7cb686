#pragma once

#define PY_SSIZE_T_CLEAN
#include <utility>

#include <Python.h>
#include <structmember.h>

#include "python/exit.h"

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
  ~Owned() {
    if (!object_) return;
    if (exiting_elsewhere()) stop_thread();  // this thread is being unwound, without the GIL
    Py_DECREF(object_);
  }

  PyObject* get() const { return object_; }
  /// Gives the reference to the caller.
  PyObject* take() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

/// Calls f with each item of a list or tuple. What f runs may change the list: each item is held while f has
/// it, and those that come or go meanwhile are not visited.
template <typename F>
void for_each_item(PyObject* sequence, F f) {
  const Py_ssize_t n = PySequence_Fast_GET_SIZE(sequence);
  for (Py_ssize_t i = 0; i < n && i < PySequence_Fast_GET_SIZE(sequence); ++i) {
    const Owned item = Owned::share(PySequence_Fast_GET_ITEM(sequence, i));
    f(item.get());
  }
}

}  // namespace onetape::python
