#include <string>

#include "python/errors.h"
#include "python/values.h"

namespace onetape::python {

PyTypeObject* layout_type = nullptr;
PyTypeObject* memory_format_type = nullptr;

namespace {

/// A constant that is known by its name.
struct NameObject {
  PyObject_HEAD const char* name;
};

PyObject* g_strided = nullptr;

const char* name(PyObject* self) { return reinterpret_cast<NameObject*>(self)->name; }
PyObject* repr(PyObject* self) { return PyUnicode_FromFormat("torch.%s", name(self)); }
PyObject* reduce(PyObject* self, PyObject*) { return PyUnicode_FromString(name(self)); }

PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};

PyTypeObject* make_type(PyObject* module, const char* full_name, const char* doc) {
  PyType_Slot slots[] = {{Py_tp_repr, reinterpret_cast<void*>(repr)},
                         {Py_tp_methods, methods},
                         {Py_tp_doc, const_cast<char*>(doc)},
                         {0, nullptr}};
  PyType_Spec spec = {full_name, sizeof(NameObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  PyObject* type = need(PyType_FromSpec(&spec));
  need(PyModule_AddObjectRef(module, full_name + std::string("onetape.").size(), type));
  return reinterpret_cast<PyTypeObject*>(type);
}

PyObject* add_constant(PyObject* module, PyTypeObject* type, const char* constant) {
  PyObject* object = need(type->tp_alloc(type, 0));
  reinterpret_cast<NameObject*>(object)->name = constant;
  need(PyModule_AddObjectRef(module, constant, object));
  return object;
}

}  // namespace

PyObject* strided_layout() { return g_strided; }

void add_layouts(PyObject* module) {
  layout_type = make_type(module, "onetape.layout", "How a tensor's elements lie in memory.");
  g_strided = add_constant(module, layout_type, "strided");
  memory_format_type =
      make_type(module, "onetape.memory_format", "The order of a tensor's dimensions in memory.");
  for (const char* format : {"contiguous_format", "preserve_format", "channels_last"}) {
    Py_DECREF(add_constant(module, memory_format_type, format));
  }
}

}  // namespace onetape::python
