#include "autograd/forward.h"
#include "autograd/meta.h"
#include "python/arguments.h"
#include "python/generator_object.h"
#include "python/numpy.h"

namespace onetape::python {
namespace {

/// A tensor that may stand for a number of at most this kind.
bool is_number_tensor(PyObject* object, DTypeKind most) {
  if (!is_tensor(object)) return false;
  const Tensor& t = tensor_of(object);
  return t.dim() == 0 && !t.requires_grad() && !tangent_of(t).defined() && kind_of(t.dtype()) <= most;
}

bool has_index(PyObject* object) {
  const PyNumberMethods* numbers = Py_TYPE(object)->tp_as_number;
  return numbers && numbers->nb_index && !is_tensor(object) && !is_numpy_array(object);
}

bool is_int_list(PyObject* object) {
  if (!PyTuple_Check(object) && !PyList_Check(object)) return false;
  const Py_ssize_t n = PySequence_Fast_GET_SIZE(object);
  PyObject** items = PySequence_Fast_ITEMS(object);
  for (Py_ssize_t i = 0; i < n; ++i) {
    if (!is_int(items[i])) return false;
  }
  return true;
}

bool is_sequence_of_anything(PyObject* object) { return PyTuple_Check(object) || PyList_Check(object); }

bool is_bool(PyObject* object) {
  return PyBool_Check(object) || is_numpy_bool(object) || is_number_tensor(object, DTypeKind::Bool);
}

}  // namespace

bool is_number(PyObject* object) {
  return PyFloat_Check(object) || PyLong_Check(object) || PyComplex_Check(object) || is_numpy_number(object);
}

bool is_int(PyObject* object) {
  if (PyLong_Check(object)) return !PyBool_Check(object);
  return has_index(object) || is_number_tensor(object, DTypeKind::Integral);
}

bool accepts(Kind kind, PyObject* object) {
  switch (kind) {
    case Kind::Tensor:
      return is_tensor(object);
    case Kind::TensorOrNumber:
      return is_tensor(object) || is_number(object);
    case Kind::Tensors:
    case Kind::OptionalTensors:
    case Kind::TensorVarargs:
      return is_sequence_of_anything(object);
    case Kind::Number:
      return is_number(object) || has_index(object) || is_number_tensor(object, DTypeKind::Complex);
    case Kind::Int:
      return is_int(object);
    case Kind::Ints:
    case Kind::IntVarargs:
      return is_int(object) || is_int_list(object);
    case Kind::Float:
      return PyFloat_Check(object) || (is_number(object) && !PyComplex_Check(object)) || has_index(object) ||
             is_number_tensor(object, DTypeKind::Floating);
    case Kind::Bool:
      return is_bool(object);
    case Kind::Text:
      return PyUnicode_Check(object);
    case Kind::DType:
      return as_dtype(object).has_value();
    case Kind::Generator:
      return is_generator(object);
    case Kind::Device:
      return Py_TYPE(object) == device_type || PyUnicode_Check(object) || is_int(object);
    case Kind::Layout:
      return Py_TYPE(object) == layout_type;
    case Kind::MemoryFormat:
      return Py_TYPE(object) == memory_format_type;
    case Kind::Anything:
      return true;
  }
  return false;
}

const char* kind_name(Kind kind) {
  switch (kind) {
    case Kind::Tensor:
    case Kind::TensorOrNumber:
      return "Tensor";
    case Kind::Tensors:
    case Kind::OptionalTensors:
    case Kind::TensorVarargs:
      return "tuple of Tensors";
    case Kind::Number:
      return "Number";
    case Kind::Int:
      return "int";
    case Kind::Ints:
    case Kind::IntVarargs:
      return "tuple of ints";
    case Kind::Float:
      return "float";
    case Kind::Bool:
      return "bool";
    case Kind::Text:
      return "str";
    case Kind::DType:
      return "torch.dtype";
    case Kind::Generator:
      return "torch.Generator";
    case Kind::Device:
      return "torch.device";
    case Kind::Layout:
      return "torch.layout";
    case Kind::MemoryFormat:
      return "torch.memory_format";
    case Kind::Anything:
      return "object";
  }
  return "";
}

namespace {

/// An integer that stands for a number among elements, where it is too large in other words than a size is.
Scalar number_of(PyObject* object) {
  int overflow = 0;
  const int64_t value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow > 0) {
    const uint64_t large = PyLong_AsUnsignedLongLong(object);
    if (!PyErr_Occurred()) return Scalar::beyond_int64(large);
    PyErr_Clear();
    throw_python(PyExc_OverflowError, "int too big to convert");
  }
  if (overflow < 0) throw_python(PyExc_OverflowError, "can't convert negative int to unsigned");
  if (value == -1 && PyErr_Occurred()) throw PythonError();
  return Scalar(value);
}

}  // namespace

Scalar to_scalar(PyObject* object) {
  if (PyFloat_Check(object)) return Scalar(PyFloat_AS_DOUBLE(object));
  if (PyBool_Check(object)) return Scalar(object == Py_True);
  if (PyLong_Check(object)) return number_of(object);
  if (PyComplex_Check(object))
    return Scalar(complex128(PyComplex_RealAsDouble(object), PyComplex_ImagAsDouble(object)));
  if (is_tensor(object)) return item(tensor_of(object));
  if (is_numpy_bool(object)) return Scalar(need(PyObject_IsTrue(object)) != 0);
  if (PyIndex_Check(object)) return number_of(Owned(need(PyNumber_Index(object))).get());
  if (is_numpy_complex(object)) {
    const Py_complex value = PyComplex_AsCComplex(object);
    if (PyErr_Occurred()) throw PythonError();
    return Scalar(complex128(value.real, value.imag));
  }
  return Scalar(to_double(object));
}

Scalar to_scalar_among(PyObject* object, std::span<PyObject* const> others, bool wraps) {
  const Scalar number = to_scalar(object);
  if (!number.is_beyond_int64()) [[likely]]
    return number;
  for (PyObject* other : others) {
    if (other && is_tensor(other) && is_differentiable(tensor_of(other).dtype()))
      return Scalar(number.to<double>());
  }
  check(wraps, "value cannot be converted to type int64_t without overflow");
  return number;
}

int64_t to_int(PyObject* object) {
  if (is_tensor(object)) return item(tensor_of(object)).to<int64_t>();
  int overflow = 0;
  const Owned number(PyLong_Check(object) ? Py_NewRef(object) : need(PyNumber_Index(object)));
  const int64_t value = PyLong_AsLongLongAndOverflow(number.get(), &overflow);
  if (overflow) throw_python(PyExc_ValueError, "Overflow when unpacking long long");
  if (value == -1 && PyErr_Occurred()) throw PythonError();
  return value;
}

double to_double(PyObject* object) {
  if (PyFloat_Check(object)) return PyFloat_AS_DOUBLE(object);
  if (is_tensor(object)) return item(tensor_of(object)).to<double>();
  const double value = PyFloat_AsDouble(object);
  if (value == -1 && PyErr_Occurred()) throw PythonError();
  return value;
}

bool to_bool(PyObject* object) {
  if (object == Py_True) return true;
  if (object == Py_False) return false;
  if (is_tensor(object)) return item(tensor_of(object)).to<bool>();
  return need(PyObject_IsTrue(object)) != 0;
}

Ints to_ints(PyObject* object) {
  Ints values;
  if (!PyTuple_Check(object) && !PyList_Check(object)) {
    values.push_back(to_int(object));
    return values;
  }
  for_each_item(object, [&](PyObject* one) { values.push_back(to_int(one)); });
  return values;
}

std::string_view to_text(PyObject* object) {
  Py_ssize_t length = 0;
  const char* chars = PyUnicode_AsUTF8AndSize(object, &length);
  if (!chars) throw PythonError();
  return {chars, static_cast<size_t>(length)};
}

Device to_device(PyObject* object) {
  if (Py_TYPE(object) == device_type) return device_of_object(object);
  if (PyUnicode_Check(object)) return parse_device(to_text(object));
  return Device{DeviceType::CUDA, static_cast<int8_t>(to_int(object))};
}

std::vector<Tensor> to_tensors(PyObject* object, int position, bool takes_none) {
  const Py_ssize_t n = PySequence_Fast_GET_SIZE(object);
  std::vector<Tensor> tensors;
  tensors.reserve(static_cast<size_t>(n));
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* one = PySequence_Fast_GET_ITEM(object, i);
    if (one == Py_None && takes_none) {
      tensors.emplace_back();
    } else if (is_tensor(one)) {
      tensors.push_back(tensor_of(one));
    } else {
      throw_python(PyExc_TypeError, "expected Tensor as element %zd in argument %d, but got %s", i, position,
                   Py_TYPE(one)->tp_name);
    }
  }
  return tensors;
}

}  // namespace onetape::python
