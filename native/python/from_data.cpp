#include "python/from_data.h"

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
  const Py_ssize_t n = PySequence_Fast_GET_SIZE(fast.get());
  if (n == 0) return default_dtype();
  std::optional<DType> all;
  PyTypeObject* last = nullptr;
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* one = PySequence_Fast_GET_ITEM(fast.get(), i);
    // Runs of plain numbers of one class need one look.
    if (Py_TYPE(one) == last && (PyFloat_CheckExact(one) || PyLong_CheckExact(one))) continue;
    last = Py_TYPE(one);
    const DType dtype = infer_dtype(one);
    all = all ? promote(*all, dtype) : dtype;
    if (*all == DType::C128) break;
  }
  return *all;
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
  if (PyFloat_CheckExact(object)) {
    *place = convert<T>(PyFloat_AS_DOUBLE(object));
    return;
  }
  if constexpr (std::is_same_v<T, bool>) {
    *place = need(PyObject_IsTrue(object)) != 0;
  } else if constexpr (std::is_same_v<T, complex64> || std::is_same_v<T, complex128>) {
    const Py_complex value = PyComplex_AsCComplex(object);
    if (PyErr_Occurred()) throw PythonError();
    *place = convert<T>(complex128(value.real, value.imag));
  } else if constexpr (std::is_integral_v<T>) {
    *place = PyFloat_Check(object) || (is_numpy_number(object) && !PyIndex_Check(object))
                 ? convert<T>(to_double(object))
                 : convert<T>(to_int(object));
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
  for (Py_ssize_t i = 0; i < n && i < PySequence_Fast_GET_SIZE(fast.get()); ++i) {
    const Owned item =
        Owned::share(PySequence_Fast_GET_ITEM(fast.get(), i));  // converting it may run any code
    fill(item.get(), sizes, dim + 1, place);
  }
}

void check_range(PyObject* data, DType dtype) {
  if (!PyLong_Check(data) || kind_of(dtype) != DTypeKind::Integral) return;
  const int64_t value = to_int(data);
  const int bits = static_cast<int>(item_size(dtype)) * 8;
  if (bits == 64) return;
  const int64_t high = (int64_t{1} << (dtype == DType::U8 ? bits : bits - 1)) - 1;
  const int64_t low = dtype == DType::U8 ? -high : -high - 1;  // negative numbers wrap round, as in C
  check(value >= low && value <= high, "value cannot be converted to type ", name_of(dtype),
        " without overflow");
}

Tensor copy_of(const Tensor& source, std::optional<DType> dtype) {
  Tensor result = Tensor::empty(source.sizes(), dtype.value_or(source.dtype()));
  copy_elements(result, source);
  return result;
}

// ---- tensor, as_tensor ----

constexpr Parameter tensor_parameters[] = {
    {"data", Kind::Anything},
    {.name = "dtype", .kind = Kind::DType, .fallback = "None", .takes_none = true, .keyword_only = true},
    {.name = "device", .kind = Kind::Device, .fallback = "None", .takes_none = true, .keyword_only = true},
    {.name = "pin_memory", .kind = Kind::Bool, .fallback = "False", .keyword_only = true},
    {.name = "requires_grad", .kind = Kind::Bool, .fallback = "False", .keyword_only = true},
};
constexpr Signature tensor_signatures[] = {{tensor_parameters}};
constexpr Parser tensor_parser = {"tensor", tensor_signatures};

PyObject* tensor_call(const Arguments& call) {
  PyObject* data = call.object(0);
  if (is_tensor(data)) {
    const int failed = PyErr_WarnEx(
        PyExc_UserWarning,
        "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
        "sourceTensor.detach().clone().requires_grad_(True), rather than "
        "torch.tensor(sourceTensor).",
        1);
    if (failed < 0) throw PythonError();
  }
  if (call.has(2)) check_available(to_device(call.object(2)));
  Tensor t = tensor_from_data(data, call.has(1) ? std::optional(call.dtype(1)) : std::nullopt);
  if (call.has(4) && call.boolean(4)) {
    check(is_differentiable(t.dtype()),
          "Only Tensors of floating point and complex dtype can require gradients");
    set_requires_grad(t, true);
  }
  return wrap(std::move(t));
}

constexpr Parameter as_tensor_parameters[] = {
    {"data", Kind::Anything},
    {.name = "dtype", .kind = Kind::DType, .fallback = "None", .takes_none = true},
    {.name = "device", .kind = Kind::Device, .fallback = "None", .takes_none = true},
};
constexpr Signature as_tensor_signatures[] = {{as_tensor_parameters}};
constexpr Parser as_tensor_parser = {"as_tensor", as_tensor_signatures};

PyObject* as_tensor_call(const Arguments& call) {
  PyObject* data = call.object(0);
  if (call.has(2)) check_available(to_device(call.object(2)));
  const std::optional<DType> dtype = call.has(1) ? std::optional(call.dtype(1)) : std::nullopt;
  if (!is_tensor(data) && !is_numpy_array(data)) return wrap(tensor_from_data(data, dtype));
  const Tensor t = is_tensor(data) ? tensor_of(data) : tensor_from_numpy(data);
  return wrap(dtype ? ops::to_dtype(t, *dtype) : t);
}

PyObject* from_numpy(PyObject*, PyObject* array) {
  return guarded([&]() -> PyObject* {
    if (!is_numpy_array(array)) {
      throw_python(PyExc_TypeError, "expected np.ndarray (got %s)", Py_TYPE(array)->tp_name);
    }
    return wrap(tensor_from_numpy(array));
  });
}

PyMethodDef functions[] = {
    method_entry(
        "tensor", entry<tensor_parser, tensor_call>,
        "tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False)\n--\n\n"
        "A new tensor with the elements of data, copied: nested lists, a number, a NumPy array or a tensor.\n"
        "    dtype: follows from the elements if None\n"
        "Raises ValueError: the lists are ragged. RuntimeError: an element is not a number."),
    method_entry("as_tensor", entry<as_tensor_parser, as_tensor_call>,
                 "as_tensor(data, dtype=None, device=None)\n--\n\n"
                 "data as a tensor; tensors and NumPy arrays are not copied unless the dtype changes."),
    {"from_numpy", from_numpy, METH_O,
     "from_numpy(ndarray, /)\n--\n\nA tensor over the elements of a NumPy array: changes of one show in the "
     "other.\n"
     "Raises TypeError: the array's dtype has no tensor. ValueError: a stride is negative or the byte order "
     "foreign."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

Tensor tensor_from_data(PyObject* data, std::optional<DType> dtype) {
  if (is_tensor(data)) return copy_of(detach(tensor_of(data)), dtype);
  if (is_numpy_array(data)) {
    const Owned quiet(
        need(PyObject_CallMethod(data, "copy", nullptr)));  // may be read-only: only its copy is kept
    return copy_of(tensor_from_numpy(quiet.get()), dtype);
  }
  if (is_string(data)) dtype_of_scalar(data);
  const Ints shape = shape_of(data);
  const DType element = dtype ? *dtype : infer_dtype(data);
  if (shape.empty()) check_range(data, element);
  checked_numel(shape, element);
  Tensor result = Tensor::empty(shape, element);
  visit_all(element, [&](auto tag) {
    auto* place = result.data<typename decltype(tag)::type>();
    fill(data, shape, 0, place);
  });
  return result;
}

void add_from_data(PyObject* module) { need(PyModule_AddFunctions(module, functions)); }

}  // namespace onetape::python
