#include <string>

#include "python/errors.h"
#include "python/values.h"

namespace onetape::python {

PyTypeObject* size_type = nullptr;

namespace {

PyObject* fill(PyObject* tuple, IntSpan values) {
  for (size_t i = 0; i < values.size(); ++i) {
    PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), need(PyLong_FromLongLong(values[i])));
  }
  return tuple;
}

/// A Size with the items of a tuple; other objects and null pass through.
PyObject* as_size(PyObject* tuple) {
  if (!tuple || !PyTuple_CheckExact(tuple)) return tuple;
  const Owned items(tuple);
  const Py_ssize_t n = PyTuple_GET_SIZE(tuple);
  PyObject* size = size_type->tp_alloc(size_type, n);
  if (!size) return nullptr;
  for (Py_ssize_t i = 0; i < n; ++i) PyTuple_SET_ITEM(size, i, Py_NewRef(PyTuple_GET_ITEM(tuple, i)));
  return size;
}

PyObject* make(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  const Owned self(PyTuple_Type.tp_new(type, args, kwargs));
  if (!self) return nullptr;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self.get()); ++i) {
    PyObject* item = PyTuple_GET_ITEM(self.get(), i);
    if (PyLong_Check(item)) continue;
    PyObject* number = PyNumber_Index(item);
    if (!number) {
      PyErr_Clear();
      return PyErr_Format(PyExc_TypeError, "torch.Size() takes an iterable of 'int' (item %zd is '%s')", i,
                          Py_TYPE(item)->tp_name);
    }
    PyTuple_SET_ITEM(self.get(), i, number);
    Py_DECREF(item);
  }
  return Py_NewRef(self.get());
}

PyObject* repr(PyObject* self) {
  std::string text = "torch.Size([";
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self); ++i) {
    const Owned item(PyObject_Repr(PyTuple_GET_ITEM(self, i)));
    const char* chars = item ? PyUnicode_AsUTF8(item.get()) : nullptr;
    if (!chars) return nullptr;
    text += (i ? ", " : "") + std::string(chars);
  }
  return PyUnicode_FromString((text + "])").c_str());
}

PyObject* concat(PyObject* self, PyObject* other) {
  return as_size(PyTuple_Type.tp_as_sequence->sq_concat(self, other));
}
/// A Size where either operand is one; also (1,) + size.
PyObject* add(PyObject* left, PyObject* right) {
  if (!PyTuple_Check(left) || !PyTuple_Check(right)) Py_RETURN_NOTIMPLEMENTED;
  return as_size(PySequence_Concat(left, right));
}
PyObject* repeat(PyObject* self, Py_ssize_t n) {
  return as_size(PyTuple_Type.tp_as_sequence->sq_repeat(self, n));
}
PyObject* subscript(PyObject* self, PyObject* key) {
  PyObject* part = PyTuple_Type.tp_as_mapping->mp_subscript(self, key);
  return PySlice_Check(key) ? as_size(part) : part;
}

PyObject* numel(PyObject* self, PyObject*) {
  Owned product(PyLong_FromLong(1));
  for (Py_ssize_t i = 0; product && i < PyTuple_GET_SIZE(self); ++i) {
    product = Owned(PyNumber_Multiply(product.get(), PyTuple_GET_ITEM(self, i)));
  }
  return product.take();
}

PyObject* reduce(PyObject* self, PyObject*) {
  const Owned items(PyTuple_GetSlice(self, 0, PyTuple_GET_SIZE(self)));
  return items ? Py_BuildValue("(O(O))", size_type, items.get()) : nullptr;
}

PyMethodDef methods[] = {
    {"numel", numel, METH_NOARGS, "numel($self, /)\n--\n\nNumber of elements of a tensor of this shape."},
    {"__reduce__", reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

PyObject* size_object(IntSpan sizes) {
  return fill(need(size_type->tp_alloc(size_type, static_cast<Py_ssize_t>(sizes.size()))), sizes);
}

PyObject* int_tuple(IntSpan values) {
  return fill(need(PyTuple_New(static_cast<Py_ssize_t>(values.size()))), values);
}

void add_size(PyObject* module) {
  PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(make)},
                         {Py_tp_repr, reinterpret_cast<void*>(repr)},
                         {Py_nb_add, reinterpret_cast<void*>(add)},
                         {Py_sq_concat, reinterpret_cast<void*>(concat)},
                         {Py_sq_repeat, reinterpret_cast<void*>(repeat)},
                         {Py_mp_subscript, reinterpret_cast<void*>(subscript)},
                         {Py_tp_methods, methods},
                         {Py_tp_doc, const_cast<char*>("The shape of a tensor: a tuple of its sizes.")},
                         {0, nullptr}};
  PyType_Spec spec = {"onetape.Size", 0, 0, Py_TPFLAGS_DEFAULT, slots};
  const Owned bases(need(PyTuple_Pack(1, &PyTuple_Type)));
  PyObject* type = need(PyType_FromSpecWithBases(&spec, bases.get()));
  size_type = reinterpret_cast<PyTypeObject*>(type);
  size_type->tp_name = "torch.Size";  // as error texts name it
  need(PyModule_AddObjectRef(module, "Size", type));
}

}  // namespace onetape::python
