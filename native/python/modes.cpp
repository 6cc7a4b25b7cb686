#include "python/modes.h"

#include "autograd/mode.h"
#include "python/errors.h"

namespace onetape::python {
namespace {

PyObject* is_grad_enabled(PyObject*, PyObject*) { return PyBool_FromLong(grad_enabled()); }

PyObject* set_grad_mode(PyObject*, PyObject* enabled) {
  if (!PyBool_Check(enabled)) {
    return PyErr_Format(PyExc_TypeError,
                        "set_grad_enabled(): argument 'enabled' (position 1) must be bool, not %s",
                        Py_TYPE(enabled)->tp_name);
  }
  set_grad_enabled(enabled == Py_True);
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"is_grad_enabled", is_grad_enabled, METH_NOARGS,
     "is_grad_enabled()\n--\n\nAre operators recorded on this thread?"},
    {"_set_grad_enabled", set_grad_mode, METH_O,
     "_set_grad_enabled(enabled, /)\n--\n\nSets whether operators are recorded on this thread."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void add_modes(PyObject* module) { need(PyModule_AddFunctions(module, functions)); }

}  // namespace onetape::python
