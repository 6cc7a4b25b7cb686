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
  explicit RemovableHandle(std::function<void()> undo) : undo_(std::move(undo)), id_(next_id()) {}
  void remove() {
    if (auto undo = std::exchange(undo_, nullptr)) undo();
  }
  uint64_t id() const { return id_; }

 private:
  static uint64_t next_id() {
    static uint64_t last = 0;  // guarded by the GIL
    return last++;
  }

  std::function<void()> undo_;
  uint64_t id_;
};

void check_callable(PyObject* function) {
  if (!PyCallable_Check(function))
    throw_python(PyExc_TypeError, "a hook must be callable, not %s", Py_TYPE(function)->tp_name);
}

}  // namespace

PyObject* removable_handle(std::function<void()> undo) {
  return py::cast(RemovableHandle(std::move(undo))).release().ptr();
}

PyObject* register_tensor_hook(const Tensor& tensor, PyObject* function) {
  check_callable(function);
  return removable_handle(register_hook(tensor, PythonTensorHook{Held(function)}));
}

PyObject* register_accumulate_hook(const Tensor& tensor, PyObject* function) {
  check_callable(function);
  return removable_handle(register_post_accumulate_hook(tensor, PythonAccumulateHook{Held(function)}));
}

PyObject* register_node_hook(const Ref<Node>& node, PyObject* function) {
  check_callable(function);
  return removable_handle(node->extra().post_hooks.add(PythonNodePostHook{Held(function)}));
}

PyObject* register_node_prehook(const Ref<Node>& node, PyObject* function) {
  check_callable(function);
  return removable_handle(node->extra().pre_hooks.add(PythonNodePreHook{Held(function)}));
}

void add_hooks(PyObject* module) {
  py::class_<RemovableHandle>(
      py::reinterpret_borrow<py::module_>(module), "RemovableHandle",
      "What registering a hook gives: remove() ends the hook, and so does leaving a with block.")
      .def("remove", &RemovableHandle::remove, "Ends the hook; harmless when repeated.")
      .def_property_readonly("id", &RemovableHandle::id, "Counts the handles.")
      .def("__enter__", [](py::object self) { return self; })
      .def("__exit__", [](RemovableHandle& self, const py::args&) { self.remove(); });
}

}  // namespace onetape::python
