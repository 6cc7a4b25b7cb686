#include "python/tensor_type.h"

#include "autograd/meta.h"
#include "ops.h"
#include "ops/creation.h"
#include "ops/format.h"
#include "python/from_data.h"
#include "python/generated.h"
#include "python/numpy.h"

namespace onetape::python {

extern const PyType_Slot buffer_slots[2];
extern const PyType_Slot indexing_slots[6];

namespace {

// ---- numbers ----

const Tensor& one_element(PyObject* self) {
  const Tensor& t = tensor_of(self);
  if (t.numel() != 1)
    throw_python(PyExc_ValueError, "only one element tensors can be converted to Python scalars");
  return t;
}

void warn_of_grad(const Tensor& t) {
  if (!t.requires_grad()) return;
  const int failed = PyErr_WarnEx(
      PyExc_UserWarning,
      "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
      "Consider using tensor.detach() first.",
      1);
  if (failed < 0) throw PythonError();
}

int to_truth(PyObject* self) {
  try {
    const Tensor& t = tensor_of(self);
    check(t.numel() != 0, "Boolean value of Tensor with no values is ambiguous");
    check(t.numel() == 1, "Boolean value of Tensor with more than one value is ambiguous");
    return item(t).to<bool>();
  } catch (...) {
    raise_current();
    return -1;
  }
}

/// The element as a real number; for a complex one RuntimeError in PyTorch's words if it is not.
Scalar real_item(const Tensor& t, DType wanted) {
  const Scalar number = item(t);
  if (number.kind() != DTypeKind::Complex) return number;
  check_convertible(number, wanted);
  return number.to<complex128>().real();
}

PyObject* to_float(PyObject* self) {
  return guarded([&] {
    const Tensor& t = one_element(self);
    warn_of_grad(t);
    return need(PyFloat_FromDouble(real_item(t, DType::F64).to<double>()));
  });
}

PyObject* to_integer(PyObject* self) {
  return guarded([&] {
    const Tensor& t = one_element(self);
    warn_of_grad(t);
    const Owned number(wrap(real_item(t, DType::I64)));
    return need(PyNumber_Long(number.get()));
  });
}

PyObject* to_index(PyObject* self) {
  return guarded([&] {
    const Tensor& t = tensor_of(self);
    if (t.numel() != 1 || kind_of(t.dtype()) > DTypeKind::Integral) {
      throw_python(PyExc_TypeError, "only integer tensors of a single element can be converted to an index");
    }
    return PyLong_FromLongLong(item(t).to<int64_t>());
  });
}

PyObject* positive(PyObject* self) { return Py_NewRef(self); }

PyObject* to_complex(PyObject* self, PyObject*) {
  return guarded([&] {
    const auto value = item(one_element(self)).to<complex128>();
    return PyComplex_FromDoubles(value.real(), value.imag());
  });
}

// ---- text ----

PyObject* text(PyObject* self) {
  return guarded([&] {
    const std::string written = repr(tensor_of(self), print_options(),
                                     Py_TYPE(self) == tensor_type ? "tensor" : Py_TYPE(self)->tp_name);
    return PyUnicode_FromStringAndSize(written.data(), static_cast<Py_ssize_t>(written.size()));
  });
}

/// A 0-dim tensor is written as its number.
PyObject* format_method(PyObject* self, PyObject* spec) {
  return guarded([&] {
    const Tensor& t = tensor_of(self);
    if (t.dim() == 0 && t.has_data() && Py_TYPE(self) == tensor_type) {
      const Owned number(wrap(item(t)));
      return need(PyObject_Format(number.get(), spec));
    }
    if (PyUnicode_Check(spec) && PyUnicode_GET_LENGTH(spec) == 0) return need(PyObject_Str(self));
    throw_python(PyExc_TypeError, "unsupported format string passed to %s.__format__",
                 Py_TYPE(self)->tp_name);
  });
}

Py_hash_t hash(PyObject* self) { return static_cast<Py_hash_t>(reinterpret_cast<uintptr_t>(self) >> 4); }

// ---- making one by calling the class ----

Tensor from_sizes(PyObject* args) {
  const DType dtype = default_dtype();
  const Py_ssize_t n = PyTuple_GET_SIZE(args);
  if (n == 1 && Py_TYPE(PyTuple_GET_ITEM(args, 0)) == size_type) {
    return Tensor::empty(to_ints(PyTuple_GET_ITEM(args, 0)), dtype);
  }
  if (n == 1 && !is_int(PyTuple_GET_ITEM(args, 0))) {
    PyObject* data = PyTuple_GET_ITEM(args, 0);
    if (is_tensor(data)) return detach(tensor_of(data));
    if (is_number(data))
      throw_python(PyExc_TypeError, "new(): data must be a sequence (got %s)", Py_TYPE(data)->tp_name);
    return tensor_from_data(data, dtype);
  }
  if (n == 0) {
    const int64_t none = 0;
    return Tensor::empty(IntSpan(&none, 1), dtype);
  }
  if (!accepts(Kind::Ints, args)) {
    throw_python(PyExc_TypeError,
                 "new() received an invalid combination of arguments: expected sizes, data or a tensor");
  }
  return Tensor::empty(to_ints(args), dtype);
}

PyObject* make(PyTypeObject* type, PyObject* args, PyObject*) {
  return guarded([&] { return wrap_as(type, from_sizes(args)); });
}

PyObject* make_subclass(PyObject* type, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    static const char* names[] = {"cls", "data", "require_grad", nullptr};
    PyObject* cls = nullptr;
    PyObject* data = nullptr;
    int wants_grad = 0;
    static_cast<void>(type);
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!O!|p:_make_subclass", const_cast<char**>(names),
                                     &PyType_Type, &cls, tensor_type, &data, &wants_grad)) {
      throw PythonError();
    }
    if (!PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(cls), tensor_type)) {
      throw_python(PyExc_TypeError, "cls must be a type (got %s)", Py_TYPE(cls)->tp_name);
    }
    const Tensor t = detach(tensor_of(data));
    if (wants_grad) set_requires_grad(t, true);
    return wrap_as(reinterpret_cast<PyTypeObject*>(cls), t);
  });
}

PyObject* as_subclass(PyObject* self, PyObject* cls) {
  return guarded([&]() -> PyObject* {
    if (!PyType_Check(cls) || !PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(cls), tensor_type)) {
      throw_python(PyExc_TypeError, "cls must be a type (got %s)", Py_TYPE(cls)->tp_name);
    }
    return wrap_as(reinterpret_cast<PyTypeObject*>(cls), ops::view(tensor_of(self), tensor_of(self).sizes()));
  });
}

PyMethodDef class_methods[] = {
    {"__complex__", to_complex, METH_NOARGS, nullptr},
    {"__format__", format_method, METH_O, nullptr},
    {"_make_subclass", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(make_subclass)),
     METH_VARARGS | METH_KEYWORDS | METH_STATIC,
     "_make_subclass(cls, data, require_grad=False)\n--\n\nA leaf of the class cls over the elements of "
     "data."},
    {"as_subclass", as_subclass, METH_O,
     "as_subclass($self, cls, /)\n--\n\nThe tensor, with its history, as an object of the class cls."},
    {nullptr, nullptr, 0, nullptr},
};

void append(std::vector<PyMethodDef>& all, const PyMethodDef* methods) {
  for (; methods->ml_name; ++methods) all.push_back(*methods);
}

void append(std::vector<PyGetSetDef>& all, const PyGetSetDef* properties) {
  for (; properties->name; ++properties) all.push_back(*properties);
}

}  // namespace

std::vector<PyType_Slot> tensor_type_slots() {
  // The class refers to these as long as it lives, which is for ever.
  static auto* const methods = new std::vector<PyMethodDef>;
  static auto* const properties = new std::vector<PyGetSetDef>;
  for (const OperatorTable& table : operator_tables) append(*methods, table.methods);
  for (const PyMethodDef* more :
       {class_methods, autograd_methods, conversion_methods, property_methods, numpy_methods, dlpack_methods,
        new_methods, indexing_methods, storage_methods}) {
    append(*methods, more);
  }
  methods->push_back({nullptr, nullptr, 0, nullptr});
  append(*properties, property_getters);
  append(*properties, view_properties);
  properties->push_back({nullptr, nullptr, nullptr, nullptr, nullptr});

  std::vector<PyType_Slot> slots(operator_slots.begin(), operator_slots.end());
  slots.insert(slots.end(), std::begin(buffer_slots), std::end(buffer_slots));
  slots.insert(slots.end(), std::begin(indexing_slots), std::end(indexing_slots));
  const std::pair<int, void*> more[] = {
      {Py_tp_methods, methods->data()},
      {Py_tp_getset, properties->data()},
      {Py_tp_new, reinterpret_cast<void*>(make)},
      {Py_tp_hash, reinterpret_cast<void*>(hash)},
      {Py_tp_repr, reinterpret_cast<void*>(text)},
      {Py_nb_positive, reinterpret_cast<void*>(positive)},
      {Py_nb_bool, reinterpret_cast<void*>(to_truth)},
      {Py_nb_float, reinterpret_cast<void*>(to_float)},
      {Py_nb_int, reinterpret_cast<void*>(to_integer)},
      {Py_nb_index, reinterpret_cast<void*>(to_index)},
      {Py_tp_doc,
       const_cast<char*>("A multi-dimensional array whose operations can be recorded for differentiation.")},
  };
  for (const auto& [slot, function] : more) slots.push_back({slot, function});
  return slots;
}

}  // namespace onetape::python
