#pragma once

#include <vector>

#include "python/function_node.h"

namespace onetape::python {

/// Forward mode of one application of a custom function: its `jvp` gives the results their tangents.
class FunctionTangents {
 public:
  /// Notes the tangents that the arguments have before `forward` may change them.
  explicit FunctionTangents(PyObject* args);

  /// Calls cls.jvp(ctx, *tangents) if an argument has a tangent. `raw` is what forward returned, `outputs`
  /// what the program gets, `node` the node or null.
  void finish(PyObject* cls, ContextObject* ctx, PyObject* raw, PyObject* outputs, const Node* node) const;

 private:
  Owned call(PyObject* cls, ContextObject* ctx) const;
  void give(ContextObject* ctx, PyObject* raw, PyObject* outputs, PyObject* tangents, Py_ssize_t i) const;
  Py_ssize_t argument_of(PyObject* object) const;

  PyObject* args_;
  std::vector<Tensor> tangents_;  // one an argument, perhaps undefined
  bool any_ = false;
};

/// Adds the functions that onetape.autograd.forward_ad calls.
void add_forward_functions(PyObject* module);

}  // namespace onetape::python
