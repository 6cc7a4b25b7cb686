#pragma once

#include <string>
#include <vector>

#include "autograd/node.h"
#include "autograd/saved_tensor.h"
#include "python/reference.h"

namespace onetape::python {

/// The `ctx` of a torch.autograd.Function, which also is its grad_fn.
struct ContextObject {
  PyObject_HEAD class PythonFunctionNode* node;  // null before forward is done and after the node is gone
  PyObject* dict;
  PyObject* to_save;
  PyObject* saved_for_forward;  // until jvp() has run
  PyObject* non_differentiable;
  PyObject* dirty;
  PyObject* needs_input_grad;
  bool materialize_grads;
};

/// Shape and dtype of a tensor that went in or came out.
struct TensorInfo {
  Ints sizes;
  DType dtype = DType::F32;
  bool is_tensor = false;
};

/// The node of a custom function written in Python.
class PythonFunctionNode final : public Node {
 public:
  /// `inputs`: one an argument of apply(); the edges are those of the tensors among them.
  PythonFunctionNode(ContextObject* context, std::vector<TensorInfo> inputs, std::vector<TensorInfo> outputs);
  ~PythonFunctionNode() override;

  std::string name() const override { return name_; }
  TensorList apply(TensorList&& grads) override;
  void release_saved() override;
  std::vector<Tensor> saved() const override;
  void visit_saved(const std::function<void(const SavedTensor&)>& visit) const override {
    for (const SavedTensor& one : saved_) visit(one);
  }
  PyObject* context() const { return reinterpret_cast<PyObject*>(context_); }
  void* face_object() const override { return context_; }

  void save(std::vector<SavedTensor> saved) { saved_ = std::move(saved); }
  /// What ctx.saved_tensors gives; RuntimeError after they were freed.
  std::vector<Tensor> unpack();

 private:
  Tensor gradient_of(size_t argument, PyObject* object) const;
  TensorList gradients_from(PyObject* returned);

  ContextObject* context_;
  std::string name_;
  std::vector<TensorInfo> inputs_;
  std::vector<TensorInfo> outputs_info_;
  std::vector<SavedTensor> saved_;
  bool released_ = false;
};

/// The node of a context; null if it has none, or the object is no context.
Ref<Node> function_node_behind(PyObject* object);
/// Adds the base class of contexts and the function that torch.autograd.Function.apply calls.
void add_function(PyObject* module);
/// _apply_function(cls, args)
PyObject* apply_function(PyObject* module, PyObject* const* args, Py_ssize_t nargs);

}  // namespace onetape::python
