#include <string>

#include "python/errors.h"
#include "python/values.h"

namespace onetape::python {

PyTypeObject* dtype_type = nullptr;

namespace {

struct DTypeObject {
  PyObject_HEAD DType dtype;
};

PyObject* g_dtypes[kDTypes];

DType value(PyObject* self) { return reinterpret_cast<DTypeObject*>(self)->dtype; }

std::string name(PyObject* self) { return std::string(name_of(value(self))); }

PyObject* repr(PyObject* self) { return PyUnicode_FromString(("torch." + name(self)).c_str()); }

/// Pickled by name: the singletons are attributes of the package.
PyObject* reduce(PyObject* self, PyObject*) { return PyUnicode_FromString(name(self).c_str()); }

PyObject* to_real_method(PyObject* self, PyObject*) { return Py_NewRef(dtype_object(to_real(value(self)))); }
PyObject* to_complex_method(PyObject* self, PyObject*) {
  return Py_NewRef(dtype_object(to_complex(value(self))));
}

PyObject* is_floating_point(PyObject* self, void*) { return PyBool_FromLong(is_floating(value(self))); }
PyObject* is_complex_property(PyObject* self, void*) { return PyBool_FromLong(is_complex(value(self))); }
PyObject* is_signed(PyObject* self, void*) {
  return PyBool_FromLong(value(self) != DType::Bool && value(self) != DType::U8);
}
PyObject* itemsize(PyObject* self, void*) { return PyLong_FromSize_t(item_size(value(self))); }

PyMethodDef methods[] = {
    {"__reduce__", reduce, METH_NOARGS, nullptr},
    {"to_real", to_real_method, METH_NOARGS, "The real dtype of a complex one, else the dtype itself."},
    {"to_complex", to_complex_method, METH_NOARGS, "The complex dtype of a real one."},
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef properties[] = {
    {"is_floating_point", is_floating_point, nullptr, "Is it a real floating dtype?", nullptr},
    {"is_complex", is_complex_property, nullptr, "Is it a complex dtype?", nullptr},
    {"is_signed", is_signed, nullptr, "Can it hold negative numbers?", nullptr},
    {"itemsize", itemsize, nullptr, "Bytes of an element.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

}  // namespace

PyObject* dtype_object(DType dtype) { return g_dtypes[static_cast<size_t>(dtype)]; }
DType dtype_of_object(PyObject* object) { return value(object); }

std::optional<DType> as_dtype(PyObject* object) {
  if (is_dtype(object)) return value(object);
  if (object == reinterpret_cast<PyObject*>(&PyFloat_Type)) return DType::F64;
  if (object == reinterpret_cast<PyObject*>(&PyLong_Type)) return DType::I64;
  if (object == reinterpret_cast<PyObject*>(&PyBool_Type)) return DType::Bool;
  if (object == reinterpret_cast<PyObject*>(&PyComplex_Type)) return DType::C128;
  return std::nullopt;
}

void add_dtypes(PyObject* module) {
  PyType_Slot slots[] = {{Py_tp_repr, reinterpret_cast<void*>(repr)},
                         {Py_tp_methods, methods},
                         {Py_tp_getset, properties},
                         {Py_tp_doc, const_cast<char*>("The type of a tensor's elements.")},
                         {0, nullptr}};
  PyType_Spec spec = {"onetape.dtype", sizeof(DTypeObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  PyObject* type = need(PyType_FromSpec(&spec));
  dtype_type = reinterpret_cast<PyTypeObject*>(type);
  dtype_type->tp_name = "torch.dtype";  // as error texts name it
  need(PyModule_AddObjectRef(module, "dtype", type));
  for (int i = 0; i < kDTypes; ++i) {
    auto* object = need(dtype_type->tp_alloc(dtype_type, 0));
    reinterpret_cast<DTypeObject*>(object)->dtype = static_cast<DType>(i);
    g_dtypes[i] = object;
    need(PyModule_AddObjectRef(module, name(object).c_str(), object));
  }
  const std::pair<const char*, DType> aliases[] = {
      {"float", DType::F32}, {"double", DType::F64}, {"half", DType::F16},   {"int", DType::I32},
      {"long", DType::I64},  {"short", DType::I16},  {"cfloat", DType::C64}, {"cdouble", DType::C128}};
  for (const auto& [alias, dtype] : aliases) need(PyModule_AddObjectRef(module, alias, dtype_object(dtype)));
}

}  // namespace onetape::python
