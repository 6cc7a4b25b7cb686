#pragma once

#include <vector>

#include "python/gil.h"
#include "python/reference.h"

namespace onetape::python {

/// Keeps NumPy from resizing an array, and those whose memory it shows, also where a program tells it not to
/// count references: it refuses as long as an array has weak references. Where one owns its elements, they go
/// to a hidden owner meanwhile.
class ArrayPins {
 public:
  explicit ArrayPins(PyObject* object);
  ~ArrayPins() {
    if (!pins_.empty()) end();
  }
  ArrayPins(const ArrayPins&) = delete;
  ArrayPins& operator=(const ArrayPins&) = delete;

 private:
  void end();

  std::vector<PyObject*> pins_;  // weak references to the arrays
  PyObject* owner_ = nullptr;    // of the last one's elements
};

/// A view of another object's memory, held until it is dropped, on any thread.
class BufferView {
 public:
  /// With flags of PyObject_GetBuffer; if that fails, taken() is false and the exception is set.
  BufferView(PyObject* owner, int flags) : pins_(owner) {
    taken_ = PyObject_GetBuffer(owner, &view_, flags) == 0;
  }
  ~BufferView() {
    if (!taken_ || !interpreter_alive()) return;
    const HoldGil gil;
    PyBuffer_Release(&view_);
  }
  BufferView(const BufferView&) = delete;
  BufferView& operator=(const BufferView&) = delete;

  bool taken() const { return taken_; }
  const Py_buffer& operator*() const { return view_; }
  const Py_buffer* operator->() const { return &view_; }

 private:
  ArrayPins pins_;
  Py_buffer view_{};
  bool taken_ = false;
};

}  // namespace onetape::python
