#include "python/engine_functions.h"

#include "autograd/engine.h"
#include "core/handover.h"
#include "python/generated.h"

namespace onetape::python {
namespace {

constexpr Parameter backward_parameters[] = {
    {"tensors", Kind::Tensors},   {"grad_tensors", Kind::OptionalTensors},
    {"retain_graph", Kind::Bool}, {"create_graph", Kind::Bool},
    {"inputs", Kind::Tensors},
};
constexpr Signature backward_signatures[] = {{backward_parameters}};
constexpr Parser backward_parser = {"backward", backward_signatures};

PyObject* backward_call(const Arguments& call) {
  const std::vector<Tensor> tensors = call.tensors(0);
  const std::vector<Tensor> gradients = call.optional_tensors(1);
  const std::vector<Tensor> inputs = call.tensors(4);
  const BackwardOptions options = {.retain_graph = call.boolean(2), .create_graph = call.boolean(3)};
  {
    const ReleaseGil gil;
    backward(tensors, gradients, options, inputs);
  }
  Py_RETURN_NONE;
}

constexpr Parameter grad_parameters[] = {
    {"outputs", Kind::Tensors},   {"inputs", Kind::Tensors},    {"grad_outputs", Kind::OptionalTensors},
    {"retain_graph", Kind::Bool}, {"create_graph", Kind::Bool}, {"allow_unused", Kind::Bool},
};
constexpr Signature grad_signatures[] = {{grad_parameters}};
constexpr Parser grad_parser = {"grad", grad_signatures};

PyObject* grad_call(const Arguments& call) {
  const std::vector<Tensor> outputs = call.tensors(0);
  const std::vector<Tensor> inputs = call.tensors(1);
  const std::vector<Tensor> gradients = call.optional_tensors(2);
  const BackwardOptions options = {.retain_graph = call.boolean(3), .create_graph = call.boolean(4)};
  const bool allow_unused = call.boolean(5);
  return wrap(run(true, [&] { return grad(outputs, inputs, gradients, options, allow_unused); }));
}

constexpr Parameter hand_over_parameters[] = {{"tensors", Kind::OptionalTensors}};
constexpr Signature hand_over_signatures[] = {{hand_over_parameters}};
constexpr Parser hand_over_parser = {"_hand_over", hand_over_signatures};

PyObject* hand_over_call(const Arguments& call) {
  hand_over(call.optional_tensors(0));
  Py_RETURN_NONE;
}

PyObject* take_over_call(PyObject*, PyObject*) {
  return guarded([] {
    const std::vector<Tensor> taken = take_over();
    Owned list(need(PyList_New(static_cast<Py_ssize_t>(taken.size()))));
    for (size_t i = 0; i < taken.size(); ++i) {
      PyObject* one = taken[i].defined() ? wrap(taken[i]) : Py_NewRef(Py_None);
      PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), need(one));
    }
    return list.take();
  });
}

PyObject* set_bridge_call(PyObject*, PyObject* arguments) {
  PyObject* leave = nullptr;
  PyObject* rethrow = nullptr;
  if (!PyArg_ParseTuple(arguments, "OO", &leave, &rethrow)) return nullptr;
  set_bridge(leave, rethrow);
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    method_entry("_backward", entry<backward_parser, backward_call>, "What torch.autograd.backward calls."),
    method_entry("_grad", entry<grad_parser, grad_call>, "What torch.autograd.grad calls."),
    method_entry("_hand_over", entry<hand_over_parser, hand_over_call>,
                 "Leaves tensors for another language in this thread."),
    {"_take_over", take_over_call, METH_NOARGS,
     "Takes the tensors that another language left in this thread."},
    {"_set_bridge", set_bridge_call, METH_VARARGS,
     "Tells how an exception is left to another language, and how one left by it is raised."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void add_engine_functions(PyObject* module) { need(PyModule_AddFunctions(module, functions)); }

}  // namespace onetape::python
