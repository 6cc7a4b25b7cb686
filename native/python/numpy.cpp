#include "python/numpy.h"

#include <cstring>
#include <string>

#include "autograd/meta.h"
#include "ops.h"
#include "python/array_memory.h"
#include "python/buffer_view.h"
#include "python/generated.h"
#include "python/tensor_type.h"

namespace onetape::python {
namespace {

/// A class of NumPy; null as long as no program has imported it.
PyTypeObject* numpy_class(PyTypeObject*& kept, const char* name) {
  if (kept) return kept;
  PyObject* modules = PyImport_GetModuleDict();
  PyObject* numpy = PyDict_GetItemString(modules, "numpy");
  if (!numpy) return nullptr;
  PyObject* found = PyObject_GetAttrString(numpy, name);
  if (!found || !PyType_Check(found)) {  // while NumPy is being imported
    Py_XDECREF(found);
    PyErr_Clear();
    return nullptr;
  }
  kept = reinterpret_cast<PyTypeObject*>(found);
  return kept;
}

PyTypeObject* g_array = nullptr;
PyTypeObject* g_number = nullptr;
PyTypeObject* g_complex = nullptr;
PyTypeObject* g_bool = nullptr;

bool is_a(PyObject* object, PyTypeObject* type) { return type && PyObject_TypeCheck(object, type); }

// ---- NumPy to tensor ----

/// The dtype of a buffer's elements.
std::optional<DType> dtype_of_format(const char* format, Py_ssize_t item_bytes) {
  if (!format) return DType::U8;
  if (*format == '@' || *format == '=' || *format == '<') ++format;
  const std::string_view code(format);
  if (code == "?") return DType::Bool;
  if (code == "B") return DType::U8;
  if (code == "b") return DType::I8;
  if (code == "h") return DType::I16;
  if (code == "i") return DType::I32;
  if (code == "l" || code == "q") return item_bytes == 4 ? DType::I32 : DType::I64;
  if (code == "e") return DType::F16;
  if (code == "f") return DType::F32;
  if (code == "d") return DType::F64;
  if (code == "Zf") return DType::C64;
  if (code == "Zd") return DType::C128;
  return std::nullopt;
}

[[noreturn]] void fail_dtype(PyObject* array) {
  PyErr_Clear();
  const Owned dtype(need(PyObject_GetAttrString(array, "dtype")));
  const Owned type(need(PyObject_GetAttrString(dtype.get(), "type")));
  const Owned name(need(PyObject_GetAttrString(type.get(), "__name__")));
  throw_python(PyExc_TypeError,
               "can't convert np.ndarray of type numpy.%U. The only supported types are: float64, float32, "
               "float16, complex64, "
               "complex128, int64, int32, int16, int8, uint8, and bool.",
               name.get());
}

void warn_read_only() {
  const int failed = PyErr_WarnEx(
      PyExc_UserWarning,
      "The given NumPy array is not writable, and PyTorch does not support non-writable tensors. This means "
      "writing to this "
      "tensor will result in undefined behavior. You may want to copy the array to protect its data or make "
      "it writable before "
      "converting it to a tensor. This type of warning will be suppressed for the rest of this program.",
      1);
  if (failed < 0) throw PythonError();
}

// ---- tensor to NumPy ----

const char* format_of(DType dtype) {
  switch (dtype) {
    case DType::Bool:
      return "?";
    case DType::U8:
      return "B";
    case DType::I8:
      return "b";
    case DType::I16:
      return "h";
    case DType::I32:
      return "i";
    case DType::I64:
      return "q";
    case DType::F16:
      return "e";
    case DType::BF16:
      return nullptr;
    case DType::F32:
      return "f";
    case DType::F64:
      return "d";
    case DType::C64:
      return "Zf";
    case DType::C128:
      return "Zd";
  }
  return nullptr;
}

/// What a buffer taken from a tensor keeps: the storage, and the shape in the form that buffers want.
struct Export {
  Ref<Storage> storage;
  std::vector<Py_ssize_t> dims;
};

void check_on_cpu(const Tensor& t) {
  check_type(t.has_data(), "can't convert ", t.device(),
             " device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first.");
}

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  view->obj = nullptr;
  try {
    const Tensor& t = tensor_of(self);
    note_read(t, "its buffer");
    if (!t.has_data()) throw_python(PyExc_BufferError, "a tensor on meta has no buffer");
    const char* format = format_of(t.dtype());
    if (!format) throw_python(PyExc_BufferError, "a tensor of dtype bfloat16 has no buffer");
    if (t.requires_grad())
      throw_python(PyExc_BufferError, "a tensor that requires grad has no buffer; use tensor.detach()");
    if (!(flags & PyBUF_STRIDES) && !t.is_contiguous())
      throw_python(PyExc_BufferError, "the tensor is not contiguous");
    auto kept = std::make_unique<Export>();
    kept->storage = t.storage();
    for (const int64_t size : t.sizes()) kept->dims.push_back(size);
    for (const int64_t step : t.strides())
      kept->dims.push_back(step * static_cast<Py_ssize_t>(t.item_bytes()));
    static char nothing[16];
    view->buf = t.bytes() ? t.bytes() : nothing;
    view->len = t.numel() * static_cast<Py_ssize_t>(t.item_bytes());
    view->readonly = 0;
    view->itemsize = static_cast<Py_ssize_t>(t.item_bytes());
    view->format = flags & PyBUF_FORMAT ? const_cast<char*>(format) : nullptr;
    view->ndim = t.dim();
    view->shape = flags & PyBUF_ND ? kept->dims.data() : nullptr;
    view->strides = flags & PyBUF_STRIDES ? kept->dims.data() + t.dim() : nullptr;
    view->suboffsets = nullptr;
    view->internal = kept.release();
    view->obj = Py_NewRef(self);
    return 0;
  } catch (...) {
    raise_current();
    return -1;
  }
}

void release_buffer(PyObject*, Py_buffer* view) { delete static_cast<Export*>(view->internal); }

PyObject* numpy_function(const char* name) {
  static PyObject* const module = need(PyImport_ImportModule("numpy"));
  return need(PyObject_GetAttrString(module, name));
}

// ---- methods ----

constexpr Parameter numpy_parameters[] = {
    {"input", Kind::Tensor},
    {.name = "force", .kind = Kind::Bool, .fallback = "False", .keyword_only = true},
};
constexpr Signature numpy_signatures[] = {{numpy_parameters}};
constexpr Parser numpy_parser = {"numpy", numpy_signatures, true};

PyObject* numpy_call(const Arguments& call) {
  const Tensor& t = call.tensor(0);
  const bool force = call.has(1) && call.boolean(1);
  check_on_cpu(t);
  check(force || !t.requires_grad(),
        "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.");
  return numpy_from_tensor(t);
}

PyObject* array(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  return guarded([&]() -> PyObject* {
    const Tensor& t = tensor_of(self);
    check_on_cpu(t);
    check(!t.requires_grad(),
          "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.");
    PyObject* dtype = nargs > 0 ? args[0] : Py_None;
    PyObject* copy = nargs > 1 ? args[1] : Py_None;
    for (Py_ssize_t k = 0; kwnames && k < PyTuple_GET_SIZE(kwnames); ++k) {
      PyObject* name = PyTuple_GET_ITEM(kwnames, k);
      if (PyUnicode_CompareWithASCIIString(name, "dtype") == 0) dtype = args[nargs + k];
      if (PyUnicode_CompareWithASCIIString(name, "copy") == 0) copy = args[nargs + k];
    }
    const Owned plain(numpy_from_tensor(t));
    if (dtype == Py_None) {
      return copy == Py_True ? need(PyObject_CallMethod(plain.get(), "copy", nullptr))
                             : Py_NewRef(plain.get());
    }
    const Owned keywords(need(Py_BuildValue("{sO}", "copy", copy == Py_True ? Py_True : Py_False)));
    const Owned astype(need(PyObject_GetAttrString(plain.get(), "astype")));
    const Owned arguments(need(PyTuple_Pack(1, dtype)));
    return need(PyObject_Call(astype.get(), arguments.get(), keywords.get()));
  });
}

}  // namespace

ArrayPins::ArrayPins(PyObject* object) {
  Owned at = Owned::share(object);
  constexpr size_t kMost = 64;  // a class of a program may say that it shows itself
  while (at.get() != Py_None && pins_.size() < kMost) {
    if (PyMemoryView_Check(at.get())) {
      PyObject* shown = PyMemoryView_GET_BASE(at.get());
      at = shown ? Owned::share(shown) : Owned::share(Py_None);
    } else if (is_numpy_array(at.get())) {
      pins_.push_back(need(PyWeakref_NewRef(at.get(), nullptr)));
      Owned base(need(PyObject_GetAttrString(at.get(), "base")));
      owner_ = base.get() == Py_None ? hide_owner(at.get(), g_array) : hidden_owner(base.get());
      at = std::move(base);
    } else {
      return;
    }
  }
}

void ArrayPins::end() {
  if (!interpreter_alive()) return;
  const HoldGil gil;
  if (owner_) {
    PyObject* array = PyWeakref_GetObject(pins_.back());  // the last one whose elements these are
    give_back(array == Py_None ? nullptr : array, owner_);
  }
  for (PyObject* pin : pins_) Py_DECREF(pin);
}

bool is_numpy_array(PyObject* object) { return is_a(object, numpy_class(g_array, "ndarray")); }
bool is_numpy_bool(PyObject* object) { return is_a(object, numpy_class(g_bool, "bool_")); }
bool is_numpy_complex(PyObject* object) { return is_a(object, numpy_class(g_complex, "complexfloating")); }
bool is_numpy_number(PyObject* object) {
  return is_a(object, numpy_class(g_number, "number")) || is_numpy_bool(object);
}

Tensor tensor_from_numpy(PyObject* array) {
  auto view = std::make_shared<BufferView>(array, PyBUF_STRIDED_RO | PyBUF_FORMAT);
  if (!view->taken()) fail_dtype(array);
  const Py_buffer& buffer = **view;
  if (buffer.format && (*buffer.format == '>' || *buffer.format == '!') && buffer.itemsize > 1) {
    throw_python(PyExc_ValueError,
                 "given numpy array has byte order different from the native byte order. Conversion between "
                 "byte orders is "
                 "currently not supported.");
  }
  const std::optional<DType> dtype = dtype_of_format(buffer.format, buffer.itemsize);
  if (!dtype) fail_dtype(array);
  Ints sizes;
  Ints strides;
  int64_t reach = buffer.itemsize;
  for (int d = 0; d < buffer.ndim; ++d) {
    sizes.push_back(buffer.shape[d]);
    if (buffer.strides[d] < 0) {
      throw_python(
          PyExc_ValueError,
          "At least one stride in the given numpy array is negative, and tensors with negative strides are "
          "not "
          "currently supported. (You can probably work around this by making a copy of your array  with "
          "array.copy().) ");
    }
    if (buffer.strides[d] % buffer.itemsize != 0) {
      throw_python(PyExc_ValueError,
                   "given numpy array strides not a multiple of the element byte size. Copy the numpy array "
                   "to reallocate the "
                   "memory.");
    }
    strides.push_back(buffer.strides[d] / buffer.itemsize);
    reach += (buffer.shape[d] - 1) * buffer.strides[d];
  }
  if (buffer.len == 0) reach = 0;
  if (buffer.readonly) warn_read_only();
  Ref<Storage> storage = Storage::wrap(buffer.buf, static_cast<size_t>(reach), [view] {});
  return Tensor(TensorImpl::view(std::move(storage), sizes, strides, 0, *dtype));
}

PyObject* numpy_from_tensor(const Tensor& t) {
  if (t.dtype() == DType::BF16) throw_python(PyExc_TypeError, "Got unsupported ScalarType BFloat16");
  static PyObject* const as_array = numpy_function("asarray");
  note_read(t, "numpy()");
  t.impl()->storage()->fix_size();  // as in PyTorch, once others see it
  // An object of its own, so that the array keeps the elements but not the tensor's graph.
  const Owned bare(wrap(detach(t)));
  return need(PyObject_CallOneArg(as_array, bare.get()));
}

PyMethodDef numpy_methods[] = {
    method_entry("numpy", entry<numpy_parser, numpy_call>,
                 "numpy($self, *, force=False)\n--\n\nA NumPy array over the same elements.\n"
                 "    force: detach first\nRaises RuntimeError: the tensor requires a gradient. TypeError: "
                 "NumPy has no such dtype."),
    method_entry("__array__", array,
                 "__array__($self, dtype=None, copy=None)\n--\n\nThe tensor as a NumPy array."),
    {nullptr, nullptr, 0, nullptr},
};

extern const PyType_Slot buffer_slots[2];
const PyType_Slot buffer_slots[2] = {
    {Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)},
    {Py_bf_releasebuffer, reinterpret_cast<void*>(release_buffer)},
};

}  // namespace onetape::python
