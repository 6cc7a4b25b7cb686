#include "python/modes.h"

#include <string>

#include "autograd/anomaly.h"
#include "autograd/mode.h"
#include "python/errors.h"
#include "python/gil.h"

namespace onetape::python {
namespace {

// ---- grad and inference mode of the thread ----

PyObject* is_grad_enabled(PyObject*, PyObject*) { return PyBool_FromLong(grad_mode()); }
PyObject* is_inference_mode_enabled(PyObject*, PyObject*) { return PyBool_FromLong(inference_mode()); }

PyObject* set_grad_mode(PyObject*, PyObject* enabled) {
  if (!PyBool_Check(enabled)) {
    return PyErr_Format(PyExc_TypeError,
                        "set_grad_enabled(): argument 'enabled' (position 1) must be bool, not %s",
                        Py_TYPE(enabled)->tp_name);
  }
  set_grad_enabled(enabled == Py_True);
  Py_RETURN_NONE;
}

PyObject* set_inference(PyObject*, PyObject* enabled) {
  if (!PyBool_Check(enabled)) {
    return PyErr_Format(PyExc_TypeError, "inference_mode(): argument 'mode' must be bool, not %s",
                        Py_TYPE(enabled)->tp_name);
  }
  set_inference_mode(enabled == Py_True);
  Py_RETURN_NONE;
}

// ---- anomaly mode of the process ----

/// The Python calls that the thread is in, as traceback.format_stack() writes them.
std::string python_calls() {
  if (!interpreter_alive() || !PyGILState_GetThisThreadState()) return {};
  const HoldGil gil;
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  std::string text;
  const Owned module(PyImport_ImportModule("traceback"));
  const Owned lines(module ? PyObject_CallMethod(module.get(), "format_stack", nullptr) : nullptr);
  const Owned empty(lines ? PyUnicode_FromString("") : nullptr);
  const Owned joined(empty ? PyUnicode_Join(empty.get(), lines.get()) : nullptr);
  if (const char* chars = joined ? PyUnicode_AsUTF8(joined.get()) : nullptr) text = chars;
  PyErr_Clear();
  PyErr_Restore(type, value, trace);
  return text;
}

PyObject* set_anomaly(PyObject*, PyObject* arguments) {
  int on = 0;
  int check_nan = 0;
  if (!PyArg_ParseTuple(arguments, "pp", &on, &check_nan)) return nullptr;
  set_anomaly_mode(on != 0, check_nan != 0);
  Py_RETURN_NONE;
}
PyObject* is_anomaly_enabled(PyObject*, PyObject*) { return PyBool_FromLong(anomaly_mode()); }
PyObject* is_anomaly_check_nan_enabled(PyObject*, PyObject*) { return PyBool_FromLong(anomaly_check_nan()); }

PyMethodDef functions[] = {
    {"is_grad_enabled", is_grad_enabled, METH_NOARGS,
     "is_grad_enabled()\n--\n\nIs the grad mode of this thread on?"},
    {"_set_grad_enabled", set_grad_mode, METH_O,
     "_set_grad_enabled(enabled, /)\n--\n\nSets whether operators are recorded on this thread."},
    {"is_inference_mode_enabled", is_inference_mode_enabled, METH_NOARGS,
     "is_inference_mode_enabled()\n--\n\nIs this thread in inference mode?"},
    {"_set_inference_mode", set_inference, METH_O,
     "_set_inference_mode(enabled, /)\n--\n\nTakes this thread into inference mode, or out of it."},
    {"is_anomaly_enabled", is_anomaly_enabled, METH_NOARGS,
     "is_anomaly_enabled()\n--\n\nIs anomaly detection on?"},
    {"is_anomaly_check_nan_enabled", is_anomaly_check_nan_enabled, METH_NOARGS,
     "is_anomaly_check_nan_enabled()\n--\n\nAre gradients searched for nan in anomaly mode?"},
    {"_set_anomaly", set_anomaly, METH_VARARGS,
     "_set_anomaly(on, check_nan, /)\n--\n\nSwitches anomaly detection."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void add_modes(PyObject* module) {
  need(PyModule_AddFunctions(module, functions));
  add_call_teller(python_calls);
}

}  // namespace onetape::python
