#include "python/checkpoints.h"

#include "autograd/checkpoint.h"
#include "autograd/graph_task.h"
#include "python/callable.h"
#include "python/errors.h"
#include "python/generated.h"
#include "python/node_hooks.h"

namespace onetape::python {
namespace {

/// The arguments of a call: tensors among them are kept by the checkpoint, the rest as they are.
struct CallArguments {
  explicit CallArguments(PyObject* args) : all(args) {}

  std::vector<Tensor> tensors() const {
    std::vector<Tensor> found;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(all); ++i) {
      if (is_tensor(PyTuple_GET_ITEM(all, i))) found.push_back(tensor_of(PyTuple_GET_ITEM(all, i)));
    }
    return found;
  }
  /// Where they stand.
  std::vector<bool> places() const {
    std::vector<bool> found;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(all); ++i)
      found.push_back(is_tensor(PyTuple_GET_ITEM(all, i)));
    return found;
  }
  /// The others, with None in those places.
  Owned rest() const {
    Owned others(need(PyTuple_New(PyTuple_GET_SIZE(all))));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(all); ++i) {
      PyObject* one = PyTuple_GET_ITEM(all, i);
      PyTuple_SET_ITEM(others.get(), i, Py_NewRef(is_tensor(one) ? Py_None : one));
    }
    return others;
  }

  PyObject* all;
};

/// The call again, with tensors in their places.
struct PythonAgain {
  Held function;
  Held rest;
  std::vector<bool> places;

  void operator()(const std::vector<Tensor>& inputs) const {
    const Upcall call;
    Owned args(need(PyTuple_New(static_cast<Py_ssize_t>(places.size()))));
    size_t next = 0;
    for (size_t i = 0; i < places.size(); ++i) {
      const auto at = static_cast<Py_ssize_t>(i);
      PyTuple_SET_ITEM(args.get(), at,
                       places[i] ? wrap(inputs[next++]) : Py_NewRef(PyTuple_GET_ITEM(rest.get(), at)));
    }
    const Owned ignored(need(PyObject_Call(function.get(), args.get(), nullptr)));
  }
};

/// _run_checkpoint(forward, again, args, preserve_random_state, early_stop, check_shapes)
PyObject* run_checkpoint(PyObject*, PyObject* arguments) {
  return guarded([&]() -> PyObject* {
    PyObject *forward = nullptr, *again = nullptr, *args = nullptr;
    int preserve = 0, early = 0, shapes = 0;
    if (!PyArg_ParseTuple(arguments, "OOO!ppp", &forward, &again, &PyTuple_Type, &args, &preserve, &early,
                          &shapes))
      return nullptr;
    const CallArguments call(args);
    const auto checkpoint = Checkpoint::make(
        call.tensors(),
        {.preserve_random_state = preserve != 0, .early_stop = early != 0, .check_shapes = shapes != 0});
    checkpoint->set_again(PythonAgain{Held(again), Held(call.rest().get()), call.places()});
    Owned result;
    checkpoint->run([&] { result = Owned(need(PyObject_Call(forward, args, nullptr))); });
    return result.take();
  });
}

PyObject* current_run(PyObject*, PyObject*) {
  const GraphTask* task = GraphTask::current();
  return PyLong_FromLongLong(task ? static_cast<long long>(task->id()) : -1);
}

PyObject* run_is_selective(PyObject*, PyObject*) {
  const GraphTask* task = GraphTask::current();
  return PyBool_FromLong(task && task->selective());
}

PyObject* run_executes(PyObject*, PyObject* tensor) {
  return guarded([&] {
    const GraphTask* task = GraphTask::current();
    const Edge edge = is_tensor(tensor) ? gradient_edge(tensor_of(tensor)) : Edge();
    return PyBool_FromLong(task && edge.node && task->executes(edge.node.get()));
  });
}

/// _grad_at(outputs, edges, grad_outputs, retain_graph, create_graph, allow_unused)
PyObject* grad_at_edges(PyObject*, PyObject* arguments) {
  return guarded([&]() -> PyObject* {
    PyObject *outputs = nullptr, *edges = nullptr, *gradients = nullptr;
    int retain = 0, create = 0, unused = 0;
    if (!PyArg_ParseTuple(arguments, "O!O!O!ppp", &PyTuple_Type, &outputs, &PyTuple_Type, &edges,
                          &PyTuple_Type, &gradients, &retain, &create, &unused))
      return nullptr;
    std::vector<Edge> at;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(edges); ++i) {
      PyObject* node = nullptr;
      unsigned number = 0;
      if (!PyArg_ParseTuple(PyTuple_GET_ITEM(edges, i), "OI", &node, &number)) return nullptr;
      at.push_back({node_behind(node), number});
    }
    const std::vector<Tensor> from = CallArguments(outputs).tensors();
    std::vector<Tensor> given;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(gradients); ++i) {
      PyObject* one = PyTuple_GET_ITEM(gradients, i);
      given.push_back(is_tensor(one) ? tensor_of(one) : Tensor());
    }
    const BackwardOptions options = {.retain_graph = retain != 0, .create_graph = create != 0};
    return wrap(run(true, [&] { return grad_at(from, at, given, options, unused != 0); }));
  });
}

PyMethodDef functions[] = {
    {"_grad_at", grad_at_edges, METH_VARARGS,
     "_grad_at(outputs, edges, grad_outputs, retain_graph, create_graph, allow_unused, /)\n--\n\nAs _grad, "
     "for "
     "gradient edges."},
    {"_run_checkpoint", run_checkpoint, METH_VARARGS,
     "_run_checkpoint(forward, again, args, preserve_rng_state, early_stop, check_shapes, /)\n--\n\nCalls "
     "forward(*args) and keeps the tensors among args instead of what it saves, which again(*args) computes "
     "then."},
    {"_current_graph_task_id", current_run, METH_NOARGS,
     "_current_graph_task_id()\n--\n\nNumber of the backward pass that this thread is in; -1 if there is "
     "none."},
    {"_run_is_selective", run_is_selective, METH_NOARGS,
     "_run_is_selective()\n--\n\nDoes that pass compute only the gradients of some inputs?"},
    {"_will_execute", run_executes, METH_O,
     "_will_execute(tensor, /)\n--\n\nDoes that pass compute the gradient of this tensor?"},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void add_checkpoints(PyObject* module) { need(PyModule_AddFunctions(module, functions)); }

}  // namespace onetape::python
