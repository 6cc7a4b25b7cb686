#pragma once

#include <memory>

#include "autograd/node.h"
#include "core/tensor.h"
#include "python/gil.h"
#include "python/graph_cycles.h"
#include "python/reference.h"

namespace onetape::python {

/// A Python object held by C++ code that copies and drops it without the GIL.
class Held {
 public:
  /// Adds a reference; the GIL is held.
  explicit Held(PyObject* object) : object_(new PyObject*(object), drop) {
    Py_INCREF(object);
    count_attachment(+1);
  }

  PyObject* get() const { return *object_; }
  /// Is this the only copy? Then the object has one reference from here.
  bool alone() const { return object_.use_count() == 1; }

 private:
  static void drop(PyObject** slot) {
    count_attachment(-1);
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

/// Python functions as hooks on a node; a tuple that they return replaces the gradients.
struct PythonNodePreHook {
  Held function;
  void operator()(TensorList& grad_outputs) const;
};
struct PythonNodePostHook {
  Held function;
  void operator()(TensorList& grad_inputs, const TensorList& grad_outputs) const;
};

}  // namespace onetape::python
