#include "python/function_node.h"

#include "autograd/function_gradient.h"
#include "ops.h"
#include "python/generated.h"
#include "python/graph_cycles.h"

namespace onetape::python {

PythonFunctionNode::PythonFunctionNode(ContextObject* context, std::vector<TensorInfo> inputs,
                                       std::vector<TensorInfo> outputs)
    : Node(static_cast<uint32_t>(outputs.size()), next_sequence()),
      context_(context),
      name_(Py_TYPE(context)->tp_name),
      inputs_(std::move(inputs)),
      outputs_info_(std::move(outputs)) {
  Py_INCREF(context);
  context->node = this;
  count_attachment(+1);
}

PythonFunctionNode::~PythonFunctionNode() {
  count_attachment(-1);
  if (!interpreter_alive()) return;
  const HoldGil gil;
  context_->node = nullptr;
  Py_DECREF(context_);
}

void PythonFunctionNode::release_saved() {
  saved_.clear();
  released_ = true;
}

std::vector<Tensor> PythonFunctionNode::saved() const {
  std::vector<Tensor> all;
  for (const SavedTensor& one : saved_) {
    if (!one.packed()) all.push_back(one.raw());
  }
  return all;
}

std::vector<Tensor> PythonFunctionNode::unpack() {
  if (released_) fail_backward_twice();
  std::vector<Tensor> all;
  for (const SavedTensor& one : saved_) all.push_back(one.unpack(*this));
  return all;
}

TensorList PythonFunctionNode::apply(TensorList&& grads) {
  const Upcall call;
  Owned arguments(need(PyTuple_New(static_cast<Py_ssize_t>(grads.size()) + 1)));
  PyTuple_SET_ITEM(arguments.get(), 0, Py_NewRef(context()));
  for (size_t i = 0; i < grads.size(); ++i) {
    const TensorInfo& info = outputs_info_[i];
    if (!grads[i].defined() && info.is_tensor && context_->materialize_grads) {
      grads[i] = ops::zeros(info.sizes, Options{.dtype = info.dtype});
    }
    PyTuple_SET_ITEM(arguments.get(), static_cast<Py_ssize_t>(i) + 1,
                     wrap(known_to_none(std::move(grads[i]))));
  }
  const Owned function(need(PyObject_GetAttrString(context(), "_backward_function")));
  const Owned returned(need(PyObject_Call(function.get(), arguments.get(), nullptr)));
  return gradients_from(returned.get());
}

TensorList PythonFunctionNode::gradients_from(PyObject* returned) {
  const Owned tuple =
      PyTuple_Check(returned) ? Owned::share(returned) : Owned(need(PyTuple_Pack(1, returned)));
  const auto wanted = static_cast<Py_ssize_t>(inputs_.size());
  Py_ssize_t given = PyTuple_GET_SIZE(tuple.get());
  while (given > wanted && PyTuple_GET_ITEM(tuple.get(), given - 1) == Py_None) --given;
  if (given != wanted) {
    throw_python(PyExc_RuntimeError,
                 "function %s returned an incorrect number of gradients (expected %zd, got %zd)",
                 name_.c_str(), wanted, given);
  }
  TensorList result(edges().size());
  size_t edge = 0;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    PyObject* one = PyTuple_GET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i));
    if (inputs_[i].is_tensor) {
      if (needs(edge)) result[edge] = gradient_of(i, one);
      ++edge;
    } else if (one != Py_None) {
      throw_python(PyExc_RuntimeError,
                   "function %s returned a gradient different than None at position %zu, but the "
                   "corresponding forward input "
                   "was not a Variable",
                   name_.c_str(), i + 1);
    }
  }
  return result;
}

Tensor PythonFunctionNode::gradient_of(size_t argument, PyObject* object) const {
  if (object == Py_None) return {};
  if (!is_tensor(object)) {
    throw_python(PyExc_RuntimeError, "expected Variable or None (got %s)", Py_TYPE(object)->tp_name);
  }
  const TensorInfo& input = inputs_[argument];
  return fitting_gradient(name_, argument, tensor_of(object), input.sizes, input.dtype);
}

}  // namespace onetape::python
