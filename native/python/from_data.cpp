#include "python/from_data.h"

#include <limits>

#include "autograd/meta.h"
#include "ops.h"
#include "ops/copy.h"
#include "python/generated.h"
#include "python/numpy.h"

namespace onetape::python {
namespace {

constexpr size_t kMostDims = 64;

bool is_string(PyObject* object) { return PyUnicode_Check(object) || PyBytes_Check(object); }

/// Is the object a level of nesting?
bool is_level(PyObject* object) {
  if (PyList_Check(object) || PyTuple_Check(object)) return true;
  return PySequence_Check(object) && !is_tensor(object) && !is_numpy_number(object);
}

/// Sizes by the first item of every level.
Ints shape_of(PyObject* data) {
  Ints shape;
  Owned at = Owned::share(data);
  while (is_level(at.get())) {
    const Py_ssize_t n = PySequence_Size(at.get());
    if (n < 0) throw PythonError();
    shape.push_back(n);
    if (is_string(at.get()) || shape.size() > kMostDims) {
      throw_python(PyExc_ValueError, "too many dimensions '%s'", Py_TYPE(at.get())->tp_name);
    }
    if (n == 0) break;
    at = Owned(need(PySequence_GetItem(at.get(), 0)));
  }
  return shape;
}

std::optional<DType> numpy_scalar_dtype(PyObject* object) {
  if (!is_numpy_number(object)) return std::nullopt;
  static PyObject* const as_array =
      need(PyObject_GetAttrString(need(PyImport_ImportModule("numpy")), "asarray"));
  const Owned array(need(PyObject_CallOneArg(as_array, object)));
  return tensor_from_numpy(array.get()).dtype();
}

DType dtype_of_scalar(PyObject* object) {
  if (PyFloat_Check(object)) return default_dtype();
  if (PyBool_Check(object)) return DType::Bool;
  if (PyLong_Check(object)) return DType::I64;
  if (PyComplex_Check(object)) return to_complex(default_dtype());
  if (is_tensor(object)) return tensor_of(object).dtype();
  if (const auto dtype = numpy_scalar_dtype(object)) return *dtype;
  if (is_string(object))
    throw_python(PyExc_TypeError, "new(): invalid data type '%s'", Py_TYPE(object)->tp_name);
  if (PyIndex_Check(object)) return DType::I64;
  throw_python(PyExc_RuntimeError, "Could not infer dtype of %s", Py_TYPE(object)->tp_name);
}

/// The dtype that holds every element; the default one if there are none.
DType infer_dtype(PyObject* data) {
  if (is_numpy_array(data)) return tensor_from_numpy(data).dtype();
  if (!is_level(data) || is_string(data)) return dtype_of_scalar(data);
  const Owned fast(need(PySequence_Fast(data, "not a sequence")));
  std::optional<DType> all;
  PyTypeObject* last = nullptr;
  for_each_item(fast.get(), [&](PyObject* one) {
    // Runs of plain numbers of one class need one look.
    if (Py_TYPE(one) == last && (PyFloat_CheckExact(one) || PyLong_CheckExact(one))) return;
    last = Py_TYPE(one);
    if (all != DType::C128) {
      const DType dtype = infer_dtype(one);
      all = all ? promote(*all, dtype) : dtype;
    }
  });
  return all.value_or(default_dtype());
}

[[noreturn]] void fail_range(DType dtype) {
  fail(ErrorKind::Runtime, "value cannot be converted to type ", name_of(dtype), " without overflow");
}

/// An integer as an element; a negative one may wrap round in an unsigned type, as in C.
template <typename T>
T checked_integer(int64_t value) {
  using Limits = std::numeric_limits<T>;
  const int64_t low =
      std::is_signed_v<T> ? static_cast<int64_t>(Limits::min()) : -static_cast<int64_t>(Limits::max());
  if (value < low || value > static_cast<int64_t>(Limits::max())) fail_range(dtype_of<T>);
  return static_cast<T>(value);
}

/// A floating number as an integer element.
template <typename T>
T truncated(double value) {
  if (!(value > -9223372036854777856.0 && value < 9223372036854775808.0)) fail_range(dtype_of<T>);
  return checked_integer<T>(static_cast<int64_t>(value));
}

template <typename T>
void store(PyObject* object, T* place) {
  if (is_tensor(object)) {
    const Tensor& t = tensor_of(object);
    if (t.numel() != 1)
      throw_python(PyExc_ValueError, "only one element tensors can be converted to Python scalars");
    *place = item(t).to<T>();
    return;
  }
  if constexpr (std::is_same_v<T, bool>) {
    *place = need(PyObject_IsTrue(object)) != 0;
  } else if constexpr (std::is_same_v<T, complex64> || std::is_same_v<T, complex128>) {
    const Py_complex value = PyComplex_AsCComplex(object);
    if (PyErr_Occurred()) throw PythonError();
    *place = convert<T>(complex128(value.real, value.imag));
  } else if constexpr (std::is_integral_v<T>) {
    const bool is_fraction = PyFloat_Check(object) || (is_numpy_number(object) && !PyIndex_Check(object));
    *place = is_fraction ? truncated<T>(to_double(object)) : checked_integer<T>(to_int(object));
  } else {
    *place = convert<T>(to_double(object));
  }
}

/// Writes the elements of one level into contiguous memory.
template <typename T>
void fill(PyObject* data, IntSpan sizes, size_t dim, T*& place) {
  if (dim == sizes.size()) {
    store(data, place++);
    return;
  }
  const Owned fast(need(PySequence_Fast(data, "not a sequence")));
  const Py_ssize_t n = PySequence_Fast_GET_SIZE(fast.get());
  if (n != sizes[dim]) {
    throw_python(PyExc_ValueError, "expected sequence of length %lld at dim %zu (got %zd)",
                 static_cast<long long>(sizes[dim]), dim, n);
  }
  int64_t left = n;
  for_each_item(fast.get(), [&](PyObject* one) {
    if (left-- > 0) fill(one, sizes, dim + 1, place);
  });
  if (left != 0) throw_python(PyExc_RuntimeError, "the sequence changed while it was read");
}

Tensor copy_of(const Tensor& source, std::optional<DType> dtype) {
  Tensor result = Tensor::empty(source.sizes(), dtype.value_or(source.dtype()));
  copy_elements(result, source);
  return result;
}

}  // namespace

Tensor tensor_from_data(PyObject* data, std::optional<DType> dtype) {
  if (is_tensor(data)) {
    if (thread_modes.watcher || !tensor_of(data).has_data())
      return ops::to_dtype(detach(tensor_of(data)), dtype.value_or(tensor_of(data).dtype()), true);
    return copy_of(detach(tensor_of(data)), dtype);
  }
  if (is_numpy_array(data)) {
    const Owned quiet(
        need(PyObject_CallMethod(data, "copy", nullptr)));  // may be read-only: only its copy is kept
    Tensor copy = copy_of(tensor_from_numpy(quiet.get()), dtype);
    note_constant(copy);
    return copy;
  }
  if (is_string(data)) dtype_of_scalar(data);
  const Ints shape = shape_of(data);
  const DType element = dtype ? *dtype : infer_dtype(data);
  checked_numel(shape, element);
  Tensor result = Tensor::empty(shape, element);
  visit_all(element, [&](auto tag) {
    auto* place = result.data<typename decltype(tag)::type>();
    fill(data, shape, 0, place);
  });
  note_constant(result);
  return result;
}

}  // namespace onetape::python
