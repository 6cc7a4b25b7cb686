#include "python/node_hooks.h"

#include <pybind11/pybind11.h>

#include "python/callable.h"
#include "python/errors.h"
#include "python/generated.h"

namespace onetape::python {
namespace {

namespace py = pybind11;

/// What register_hook() gives: ends the hook when asked, at most once.
class RemovableHandle {
 public:
  explicit RemovableHandle(std::function<void()> undo) : undo_(std::move(undo)) {}
  void remove() {
    if (auto undo = std::exchange(undo_, nullptr)) undo();
  }

 private:
  std::function<void()> undo_;
};

Owned tuple_of(const TensorList& tensors) {
  Owned tuple(need(PyTuple_New(static_cast<Py_ssize_t>(tensors.size()))));
  for (size_t i = 0; i < tensors.size(); ++i)
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), wrap(tensors[i]));
  return tuple;
}

/// Puts what a hook returned in the place of the gradients: None keeps them.
void replace(TensorList& grads, PyObject* returned) {
  if (returned == Py_None) return;
  const bool single = !PyTuple_Check(returned);
  const Owned tuple = single ? Owned(need(PyTuple_Pack(1, returned))) : Owned::share(returned);
  if (static_cast<size_t>(PyTuple_GET_SIZE(tuple.get())) != grads.size()) {
    throw_python(PyExc_RuntimeError,
                 "hook has returned an incorrect number of values (got %zd, but expected %zu)",
                 PyTuple_GET_SIZE(tuple.get()), grads.size());
  }
  for (size_t i = 0; i < grads.size(); ++i) {
    PyObject* one = PyTuple_GET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i));
    if (one != Py_None && !is_tensor(one)) {
      throw_python(PyExc_TypeError, "expected Variable, but hook returned '%s'", Py_TYPE(one)->tp_name);
    }
    grads[i] = one == Py_None ? Tensor() : tensor_of(one);
  }
}

}  // namespace

PyObject* removable_handle(std::function<void()> undo) {
  return py::cast(RemovableHandle(std::move(undo))).release().ptr();
}

PyObject* register_node_hook(const Ref<Node>& node, PyObject* function) {
  const uint64_t id = node->extra().post_hooks.add([held = Held(function)](TensorList& grad_inputs,
                                                                           const TensorList& grad_outputs) {
    const HoldGil gil;
    const Owned inputs = tuple_of(grad_inputs);
    const Owned outputs = tuple_of(grad_outputs);
    const Owned result(need(PyObject_CallFunctionObjArgs(held.get(), inputs.get(), outputs.get(), nullptr)));
    replace(grad_inputs, result.get());
  });
  return removable_handle([node, id] { node->extra().post_hooks.remove(id); });
}

PyObject* register_node_prehook(const Ref<Node>& node, PyObject* function) {
  const uint64_t id = node->extra().pre_hooks.add([held = Held(function)](TensorList& grad_outputs) {
    const HoldGil gil;
    const Owned outputs = tuple_of(grad_outputs);
    const Owned result(need(PyObject_CallOneArg(held.get(), outputs.get())));
    replace(grad_outputs, result.get());
  });
  return removable_handle([node, id] { node->extra().pre_hooks.remove(id); });
}

void add_hooks(PyObject* module) {
  py::class_<RemovableHandle>(
      py::reinterpret_borrow<py::module_>(module), "RemovableHandle",
      "What registering a hook gives: remove() ends the hook, and so does leaving a with block.")
      .def("remove", &RemovableHandle::remove, "Ends the hook; harmless when repeated.")
      .def("__enter__", [](py::object self) { return self; })
      .def("__exit__", [](RemovableHandle& self, const py::args&) { self.remove(); });
}

}  // namespace onetape::python
