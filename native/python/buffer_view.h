#pragma once

#include "python/gil.h"
#include "python/reference.h"

namespace onetape::python {

/// A view of another object's memory, held until it is dropped, on any thread.
class BufferView {
 public:
  /// With flags of PyObject_GetBuffer; if that fails, taken() is false and the exception is set.
  BufferView(PyObject* owner, int flags) { taken_ = PyObject_GetBuffer(owner, &view_, flags) == 0; }
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
  Py_buffer view_{};
  bool taken_ = false;
};

}  // namespace onetape::python
