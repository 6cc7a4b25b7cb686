#include <string>

#include "python/generated.h"

namespace onetape::python {

PyObject* wrap(const Scalar& value) {
  switch (value.kind()) {
    case DTypeKind::Bool:
      return PyBool_FromLong(value.to<bool>());
    case DTypeKind::Integral:
      return PyLong_FromLongLong(value.to<int64_t>());
    case DTypeKind::Floating:
      return PyFloat_FromDouble(value.to<double>());
    case DTypeKind::Complex:
      break;
  }
  const auto number = value.to<complex128>();
  return PyComplex_FromDoubles(number.real(), number.imag());
}

PyObject* wrap(const std::vector<Tensor>& tensors) {
  Owned tuple(need(PyTuple_New(static_cast<Py_ssize_t>(tensors.size()))));
  for (size_t i = 0; i < tensors.size(); ++i)
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), wrap(tensors[i]));
  return tuple.take();
}

namespace {

/// `torch.return_types.max(`, then a line for each item.
PyObject* result_repr(PyObject* self) {
  std::string text = std::string(Py_TYPE(self)->tp_name) + "(";
  const PyMemberDef* members = Py_TYPE(self)->tp_members;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self); ++i) {
    const Owned item(PyObject_Repr(PyTuple_GET_ITEM(self, i)));
    const char* chars = item ? PyUnicode_AsUTF8(item.get()) : nullptr;
    if (!chars) return nullptr;
    text += std::string(i ? ",\n" : "\n") + members[i].name + "=" + chars;
  }
  return PyUnicode_FromString((text + ")").c_str());
}

}  // namespace

ResultType::ResultType(const char* name, std::initializer_list<const char*> fields) {
  // The descriptions must live as long as the class, which is for ever.
  auto* items = new PyStructSequence_Field[fields.size() + 1]{};
  size_t i = 0;
  for (const char* field : fields) items[i++].name = field;
  PyStructSequence_Desc description{};
  auto* full_name = new std::string(std::string("torch.return_types.") + name);
  description.name = full_name->c_str();
  description.fields = items;
  description.n_in_sequence = static_cast<int>(fields.size());
  type_ = PyStructSequence_NewType(&description);
  if (!type_) throw PythonError();
  type_->tp_repr = result_repr;
}

PyObject* ResultType::make(std::initializer_list<Tensor> results) const {
  Owned tuple(need(PyStructSequence_New(type_)));
  Py_ssize_t i = 0;
  for (const Tensor& result : results) PyStructSequence_SetItem(tuple.get(), i++, wrap(result));
  return tuple.take();
}

}  // namespace onetape::python
