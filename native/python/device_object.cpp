#include <string>
#include <vector>

#include "python/arguments.h"
#include "python/default_device.h"
#include "python/errors.h"
#include "python/values.h"

namespace onetape::python {

PyTypeObject* device_type = nullptr;

namespace {

struct DeviceObject {
  PyObject_HEAD Device device;
};

Device value(PyObject* self) { return reinterpret_cast<DeviceObject*>(self)->device; }

[[noreturn]] void fail_arguments(PyObject* given) {
  throw_python(PyExc_TypeError,
               "device() received an invalid combination of arguments - got (%s), but expected one of:\n"
               " * (torch.device device)\n * (str type, int index = -1)\n",
               Py_TYPE(given)->tp_name);
}

std::string type_name(Device device) { return to_string(Device{device.type, -1}); }

PyObject* make(PyTypeObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"type", "index", nullptr};
  PyObject* what = nullptr;
  PyObject* index = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O:device", const_cast<char**>(names), &what, &index))
    return nullptr;
  try {
    if (Py_TYPE(what) == device_type && index == Py_None) return Py_NewRef(what);
    if (PyLong_Check(what) && index == Py_None) {  // as in PyTorch, a number alone is of a CUDA device
      const long number = PyLong_AsLong(what);
      check(number >= 0 && number < 128, "Device index must not be negative");
      return device_object(Device{DeviceType::CUDA, static_cast<int8_t>(number)});
    }
    if (index == Py_None && !PyUnicode_Check(what)) {
      fail_arguments(what);
    }
    if (!PyUnicode_Check(what)) {
      throw_python(PyExc_TypeError, "device(): argument 'type' (position 1) must be str, not %s",
                   Py_TYPE(what)->tp_name);
    }
    const char* text = PyUnicode_AsUTF8(what);
    if (!text) throw PythonError();
    Device device = parse_device(text);
    if (index != Py_None) {
      check(device.index < 0,
            "type (string) must not include an index because index was passed explicitly: ", text);
      const long number = PyLong_AsLong(index);
      if (number == -1 && PyErr_Occurred()) throw PythonError();
      check(number >= 0 && number < 128, "Device index must not be negative");
      device.index = static_cast<int8_t>(number);
    }
    return device_object(device);
  } catch (...) {
    return raise_current();
  }
}

// ---- the device of new tensors ----

thread_local std::optional<Device> t_default;
thread_local std::vector<std::optional<Device>> t_outer;  // of the `with` blocks that are open

PyObject* enter(PyObject* self, PyObject*) {
  t_outer.push_back(t_default);
  t_default = value(self);
  return Py_NewRef(self);
}

PyObject* leave(PyObject*, PyObject*) {
  if (!t_outer.empty()) {
    t_default = t_outer.back();
    t_outer.pop_back();
  }
  Py_RETURN_NONE;
}

PyObject* set_default(PyObject*, PyObject* device) {
  try {
    if (device != Py_None && Py_TYPE(device) != device_type && !PyUnicode_Check(device) &&
        !PyLong_Check(device))
      fail_arguments(device);
    t_default = device == Py_None ? std::nullopt : std::optional(to_device(device));
    Py_RETURN_NONE;
  } catch (...) {
    return raise_current();
  }
}

PyObject* get_default(PyObject*, PyObject*) { return device_object(t_default.value_or(Device())); }

PyMethodDef functions[] = {
    {"set_default_device", set_default, METH_O,
     "set_default_device(device, /)\n--\n\nWhere tensors are made, in the calling thread, that name no "
     "device; None for "
     "the CPU."},
    {"get_default_device", get_default, METH_NOARGS,
     "get_default_device()\n--\n\nWhere tensors are made that name no device."},
    {nullptr, nullptr, 0, nullptr},
};

// ---- the class ----

PyObject* repr(PyObject* self) {
  const Device device = value(self);
  std::string text = "device(type='" + type_name(device) + "'";
  if (device.index >= 0) text += ", index=" + std::to_string(device.index);
  return PyUnicode_FromString((text + ")").c_str());
}

PyObject* str(PyObject* self) { return PyUnicode_FromString(to_string(value(self)).c_str()); }

Py_hash_t hash(PyObject* self) {
  const Device device = value(self);
  return (static_cast<Py_hash_t>(device.type) << 8) + device.index + 2;
}

PyObject* compare(PyObject* self, PyObject* other, int op) {
  if (Py_TYPE(other) != device_type) Py_RETURN_NOTIMPLEMENTED;
  if (op != Py_EQ && op != Py_NE) {
    PyErr_SetString(PyExc_TypeError, "comparison not implemented");
    return nullptr;
  }
  return PyBool_FromLong((value(self) == value(other)) == (op == Py_EQ));
}

PyObject* get_type(PyObject* self, void*) { return PyUnicode_FromString(type_name(value(self)).c_str()); }
PyObject* get_index(PyObject* self, void*) {
  if (value(self).index < 0) Py_RETURN_NONE;
  return PyLong_FromLong(value(self).index);
}

PyObject* reduce(PyObject* self, PyObject*) {
  return Py_BuildValue("(O(s))", device_type, to_string(value(self)).c_str());
}

PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, nullptr},
                         {"__enter__", enter, METH_NOARGS, "Tensors are made here that name no device."},
                         {"__exit__", leave, METH_VARARGS, "They are made where they were before."},
                         {nullptr, nullptr, 0, nullptr}};
PyGetSetDef properties[] = {
    {"type", get_type, nullptr, "`cpu`, `cuda`, …", nullptr},
    {"index", get_index, nullptr, "Which one of several, or None.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

}  // namespace

PyObject* device_object(Device device) {
  PyObject* object = need(device_type->tp_alloc(device_type, 0));
  reinterpret_cast<DeviceObject*>(object)->device = device;
  return object;
}

Device device_of_object(PyObject* object) { return value(object); }

std::optional<Device> default_device() { return t_default; }

void add_device(PyObject* module) {
  PyType_Slot slots[] = {
      {Py_tp_new, reinterpret_cast<void*>(make)},
      {Py_tp_repr, reinterpret_cast<void*>(repr)},
      {Py_tp_str, reinterpret_cast<void*>(str)},
      {Py_tp_hash, reinterpret_cast<void*>(hash)},
      {Py_tp_richcompare, reinterpret_cast<void*>(compare)},
      {Py_tp_methods, methods},
      {Py_tp_getset, properties},
      {Py_tp_doc, const_cast<char*>("device(type, index=None)\n--\n\nWhere a tensor's elements are.")},
      {0, nullptr}};
  PyType_Spec spec = {"onetape.device", sizeof(DeviceObject), 0, Py_TPFLAGS_DEFAULT, slots};
  PyObject* type = need(PyType_FromSpec(&spec));
  device_type = reinterpret_cast<PyTypeObject*>(type);
  device_type->tp_name = "torch.device";  // as error texts name it
  need(PyModule_AddObjectRef(module, "device", type));
  need(PyModule_AddFunctions(module, functions));
}

}  // namespace onetape::python
