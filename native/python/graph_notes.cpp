// What Python tells the nodes that are recorded while somebody records: the line, and the module that is
// called.

#include "python/graph_notes.h"

#include <string>
#include <vector>

#include "autograd/notes.h"
#include "python/errors.h"
#include "python/gil.h"

namespace onetape::python {
namespace {

thread_local std::vector<std::shared_ptr<const ModulePath>> t_modules;
/// The folder of the package, with the separator at its end: calls from there are not the program's own.
std::string& package_folder() {
  static auto* const folder = new std::string;
  return *folder;
}

bool is_own(std::string_view file) {
  const std::string& package = package_folder();
  return (!package.empty() && file.starts_with(package)) || file.starts_with("<frozen ");
}

/// `train.py:12 in step` of the innermost frame that is not the library's; empty if there is none.
std::string place_of_frames() {
  Owned frame(reinterpret_cast<PyObject*>(PyThreadState_GetFrame(PyThreadState_Get())));
  while (frame) {
    auto* at = reinterpret_cast<PyFrameObject*>(frame.get());
    const Owned code(reinterpret_cast<PyObject*>(PyFrame_GetCode(at)));
    const Owned file(PyObject_GetAttrString(code.get(), "co_filename"));
    const char* path = file ? PyUnicode_AsUTF8(file.get()) : nullptr;
    if (path && !is_own(path)) {
      const Owned function(PyObject_GetAttrString(code.get(), "co_name"));
      const char* name = function ? PyUnicode_AsUTF8(function.get()) : nullptr;
      std::string place = std::string(path) + ":" + std::to_string(PyFrame_GetLineNumber(at));
      return name && name[0] != '<' ? place + " in " + name : place;
    }
    PyErr_Clear();  // a name that is no UTF-8
    frame = Owned(reinterpret_cast<PyObject*>(PyFrame_GetBack(at)));
  }
  return {};
}

CallPlace python_place() {
  if (!interpreter_alive() || !PyGILState_GetThisThreadState()) return {};
  CallPlace told;
  if (!t_modules.empty()) told.module = t_modules.back();
  const HoldGil gil;
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  told.place = place_of_frames();
  PyErr_Clear();
  PyErr_Restore(type, value, trace);
  return told;
}

PyObject* start(PyObject*, PyObject* folder) {
  const char* path = PyUnicode_AsUTF8(folder);
  if (!path) return nullptr;
  package_folder() = path;
  start_recording();
  Py_RETURN_NONE;
}

PyObject* stop(PyObject*, PyObject*) {
  stop_recording();
  Py_RETURN_NONE;
}

PyObject* enter(PyObject*, PyObject* arguments) {
  const char* names = nullptr;
  const char* classes = nullptr;
  if (!PyArg_ParseTuple(arguments, "ss", &names, &classes)) return nullptr;
  return guarded([&]() -> PyObject* {
    t_modules.push_back(std::make_shared<const ModulePath>(ModulePath{names, classes}));
    Py_RETURN_NONE;
  });
}

PyObject* leave(PyObject*, PyObject*) {
  if (!t_modules.empty()) t_modules.pop_back();
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"_start_recording", start, METH_O,
     "_start_recording(package_folder, /)\n--\n\nNodes note where they come from until _stop_recording()."},
    {"_stop_recording", stop, METH_NOARGS, "_stop_recording()\n--\n\nEnds what _start_recording() began."},
    {"_enter_module", enter, METH_VARARGS,
     "_enter_module(names, classes, /)\n--\n\nThis thread calls the module at the end of a dotted path."},
    {"_leave_module", leave, METH_NOARGS, "_leave_module()\n--\n\nThe call of the last entered module ends."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void add_graph_notes(PyObject* module) {
  need(PyModule_AddFunctions(module, functions));
  add_place_teller(python_place);
}

}  // namespace onetape::python
