#pragma once

#include <memory>

#include "core/tensor.h"
#include "python/gil.h"
#include "python/reference.h"

namespace onetape::python {

/// A Python object held by C++ code that copies and drops it without the GIL.
class Held {
 public:
  /// Adds a reference; the GIL is held.
  explicit Held(PyObject* object) : object_(new PyObject*(object), drop) { Py_INCREF(object); }

  PyObject* get() const { return *object_; }
  /// Is this the only copy? Then the object has one reference from here.
  bool alone() const { return object_.use_count() == 1; }

 private:
  static void drop(PyObject** slot) {
    if (interpreter_alive()) {
      const HoldGil gil;
      Py_DECREF(*slot);
    }
    delete slot;
  }
  std::shared_ptr<PyObject*> object_;
};

/// A Python function as a hook on a tensor: may return a gradient to use instead.
struct PythonTensorHook {
  Held function;
  Tensor operator()(const Tensor& grad) const;
};

/// A Python function that is called with a leaf after its gradient was added.
struct PythonAccumulateHook {
  Held function;
  void operator()(const Tensor& leaf) const;
};

uint64_t add_accumulate_hook(const Tensor& leaf, PythonAccumulateHook hook);
void remove_accumulate_hook(const Tensor& leaf, uint64_t id);

}  // namespace onetape::python
