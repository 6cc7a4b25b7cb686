#include "python/saved_hooks.h"

#include "autograd/meta.h"
#include "python/errors.h"
#include "python/generated.h"

namespace onetape::python {

Ref<PackedTensor> PythonSavedHooks::pack(const Tensor& tensor) {
  const GeometryFixed fixed;
  const HoldGil gil;
  const Owned argument(wrap(tensor));
  const Owned packed(need(PyObject_CallOneArg(pack_.get(), argument.get())));
  return Ref<PackedTensor>::adopt(new PythonPackedTensor(packed.get(), unpack_));
}

Tensor PythonPackedTensor::unpack() {
  const Upcall call;
  const Owned result(need(PyObject_CallOneArg(unpack_.get(), packed_.get())));
  if (!is_tensor(result.get())) {
    throw_python(PyExc_TypeError,
                 "Output of saved tensor unpack_hook expected to be a Tensor but got result of type %s",
                 Py_TYPE(result.get())->tp_name);
  }
  return tensor_of(result.get());
}

namespace {

PyObject* push_hooks(PyObject*, PyObject* arguments) {
  return guarded([&]() -> PyObject* {
    PyObject* pack = nullptr;
    PyObject* unpack = nullptr;
    if (!PyArg_ParseTuple(arguments, "OO", &pack, &unpack)) return nullptr;
    if (!PyCallable_Check(pack) || !PyCallable_Check(unpack)) {
      throw_python(
          PyExc_TypeError,
          "_push_saved_tensors_default_hooks(): incompatible function arguments. The following argument "
          "types are supported:\n    1. (pack_hook: Callable, unpack_hook: Callable)");
    }
    push_saved_hooks(std::make_shared<PythonSavedHooks>(pack, unpack));
    Py_RETURN_NONE;
  });
}

PyObject* pop_hooks(PyObject*, PyObject*) {
  pop_saved_hooks();
  Py_RETURN_NONE;
}

PyObject* disable(PyObject*, PyObject* why) {
  return guarded([&]() -> PyObject* {
    const char* text = PyUnicode_AsUTF8(why);
    if (!text) return nullptr;
    const std::string before = disable_saved_hooks(text);
    return PyUnicode_FromString(before.c_str());
  });
}

PyObject* restore(PyObject*, PyObject* why) {
  return guarded([&]() -> PyObject* {
    const char* text = PyUnicode_AsUTF8(why);
    if (!text) return nullptr;
    restore_saved_hooks(text);
    Py_RETURN_NONE;
  });
}

PyObject* increment(PyObject*, PyObject* tensor) {
  return guarded([&]() -> PyObject* {
    if (!is_tensor(tensor)) {
      throw_python(PyExc_TypeError, "increment_version expects a Tensor, got %s", Py_TYPE(tensor)->tp_name);
    }
    check(!is_inference(tensor_of(tensor)),
          "In-place updates to inference tensors outside InferenceMode is not allowed.");
    bump_version(tensor_of(tensor));
    Py_RETURN_NONE;
  });
}

PyMethodDef functions[] = {
    {"_push_saved_hooks", push_hooks, METH_VARARGS,
     "_push_saved_hooks(pack, unpack, /)\n--\n\nPuts a pair of hooks for saved tensors in force on this "
     "thread."},
    {"_pop_saved_hooks", pop_hooks, METH_NOARGS, "_pop_saved_hooks()\n--\n\nEnds the innermost pair."},
    {"_disable_saved_hooks", disable, METH_O,
     "_disable_saved_hooks(why, /)\n--\n\nForbids hooks for saved tensors; returns the text before, '' if "
     "none."},
    {"_restore_saved_hooks", restore, METH_O, "_restore_saved_hooks(why, /)\n--\n\nPuts that text back."},
    {"_increment_version", increment, METH_O,
     "_increment_version(tensor, /)\n--\n\nNotes that the elements were changed in place."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void add_saved_hooks(PyObject* module) { need(PyModule_AddFunctions(module, functions)); }

}  // namespace onetape::python
