#include "autograd/meta.h"
#include "ops.h"
#include "python/generated.h"
#include "python/tensor_type.h"

namespace onetape::python {
namespace {

// ---- to Python's numbers and lists ----

PyObject* item_method(PyObject* self, PyObject*) {
  return guarded([&] { return wrap(item(tensor_of(self))); });
}

PyObject* list_of(const Tensor& t, int64_t dim, const char* data) {
  const int64_t n = t.sizes()[dim];
  const int64_t step = t.strides()[dim] * static_cast<int64_t>(t.item_bytes());
  Owned list(need(PyList_New(n)));
  for (int64_t i = 0; i < n; ++i, data += step) {
    PyObject* one = nullptr;
    if (dim + 1 < t.dim()) {
      one = list_of(t, dim + 1, data);
    } else {
      one = visit_all(t.dtype(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        const T value = *reinterpret_cast<const T*>(data);
        if constexpr (std::is_same_v<T, complex64>) {
          return wrap(Scalar(complex128(value)));
        } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
          return PyLong_FromLongLong(value);
        } else if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
          return PyFloat_FromDouble(static_cast<float>(value));
        } else {
          return wrap(Scalar(value));
        }
      });
    }
    PyList_SET_ITEM(list.get(), i, need(one));
  }
  return list.take();
}

PyObject* tolist(PyObject* self, PyObject*) {
  return guarded([&] {
    const Tensor& t = tensor_of(self);
    note_read(t, "tolist()");
    if (!t.has_data()) fail(ErrorKind::NotImplemented, "Cannot copy out of meta tensor; no data!");
    return t.dim() == 0 ? wrap(item(t)) : list_of(t, 0, t.bytes());
  });
}

// ---- dtype and device ----

Tensor to(const Tensor& self, std::optional<DType> dtype, std::optional<Device> device, bool copy) {
  const DType wanted = dtype.value_or(self.dtype());
  if (device && device->type != self.device().type) {
    const Options options = {.dtype = wanted, .device = device};
    return run(is_large(self), [&] { return ops::to_place(self, options, copy); });
  }
  if (wanted == self.dtype() && !copy) return self;
  return run(is_large(self), [&] { return ops::to_dtype(self, wanted, copy); });
}

constexpr Parameter to_device_parameters[] = {
    {"input", Kind::Tensor},
    {.name = "device", .kind = Kind::Device, .fallback = "None", .takes_none = true},
    {.name = "dtype", .kind = Kind::DType, .fallback = "None", .takes_none = true},
    {.name = "non_blocking", .kind = Kind::Bool, .fallback = "False"},
    {.name = "copy", .kind = Kind::Bool, .fallback = "False"},
    {.name = "memory_format",
     .kind = Kind::MemoryFormat,
     .fallback = "None",
     .takes_none = true,
     .keyword_only = true},
};
constexpr Parameter to_dtype_parameters[] = {
    {"input", Kind::Tensor},
    {"dtype", Kind::DType},
    {.name = "non_blocking", .kind = Kind::Bool, .fallback = "False"},
    {.name = "copy", .kind = Kind::Bool, .fallback = "False"},
    {.name = "memory_format",
     .kind = Kind::MemoryFormat,
     .fallback = "None",
     .takes_none = true,
     .keyword_only = true},
};
constexpr Parameter to_other_parameters[] = {
    {"input", Kind::Tensor},
    {"other", Kind::Tensor},
    {.name = "non_blocking", .kind = Kind::Bool, .fallback = "False"},
    {.name = "copy", .kind = Kind::Bool, .fallback = "False"},
    {.name = "memory_format",
     .kind = Kind::MemoryFormat,
     .fallback = "None",
     .takes_none = true,
     .keyword_only = true},
};
constexpr Signature to_signatures[] = {{to_device_parameters}, {to_dtype_parameters}, {to_other_parameters}};
constexpr Parser to_parser = {"to", to_signatures, true};

bool flag(const Arguments& call, size_t i) { return call.has(i) && call.boolean(i); }

PyObject* to_device_call(const Arguments& call) {
  const std::optional<Device> device = call.has(1) ? std::optional(to_device(call.object(1))) : std::nullopt;
  const std::optional<DType> dtype = call.has(2) ? std::optional(call.dtype(2)) : std::nullopt;
  return wrap(to(call.tensor(0), dtype, device, flag(call, 4)));
}
PyObject* to_dtype_call(const Arguments& call) {
  return wrap(to(call.tensor(0), call.dtype(1), {}, flag(call, 3)));
}
PyObject* to_other_call(const Arguments& call) {
  const Tensor& other = call.tensor(1);
  return wrap(to(call.tensor(0), other.dtype(), other.device(), flag(call, 3)));
}

constexpr Parameter type_as_parameters[] = {{"input", Kind::Tensor}, {"other", Kind::Tensor}};
constexpr Signature type_as_signatures[] = {{type_as_parameters}};
constexpr Parser type_as_parser = {"type_as", type_as_signatures, true};
PyObject* type_as_call(const Arguments& call) {
  return wrap(to(call.tensor(0), call.tensor(1).dtype(), call.tensor(1).device(), false));
}

/// float(), long(), … : to(dtype) by name.
template <DType D>
PyObject* cast_call(const Arguments& call) {
  return wrap(to(call.tensor(0), D, {}, false));
}
constexpr Parameter cast_parameters[] = {
    {"input", Kind::Tensor},
    {.name = "memory_format",
     .kind = Kind::MemoryFormat,
     .fallback = "torch.preserve_format",
     .takes_none = true},
};
constexpr Signature cast_signatures[] = {{cast_parameters}};
#define ONETAPE_CAST(name, dtype)                                       \
  constexpr Parser name##_cast_parser = {#name, cast_signatures, true}; \
  constexpr FastCall name##_cast = entry<name##_cast_parser, cast_call<DType::dtype>>;
ONETAPE_CAST(bool, Bool)
ONETAPE_CAST(byte, U8)
ONETAPE_CAST(char, I8)
ONETAPE_CAST(short, I16)
ONETAPE_CAST(int, I32)
ONETAPE_CAST(long, I64)
ONETAPE_CAST(half, F16)
ONETAPE_CAST(bfloat16, BF16)
ONETAPE_CAST(float, F32)
ONETAPE_CAST(double, F64)
ONETAPE_CAST(cfloat, C64)
ONETAPE_CAST(cdouble, C128)
#undef ONETAPE_CAST

// ---- type ----

/// `torch.FloatTensor`
std::string type_name(DType dtype) { return "torch." + std::string(scalar_type_name(dtype)) + "Tensor"; }
/// `torch.meta.FloatTensor`
std::string type_name(const Tensor& t) {
  return t.has_data() ? type_name(t.dtype()) : "torch.meta." + type_name(t.dtype()).substr(6);
}

DType dtype_named(PyObject* name) {
  if (const auto dtype = as_dtype(name)) return *dtype;
  if (PyUnicode_Check(name)) {
    for (int i = 0; i < kDTypes; ++i) {
      if (type_name(static_cast<DType>(i)) == to_text(name)) return static_cast<DType>(i);
    }
    throw_python(PyExc_ValueError, "invalid type: %R", name);
  }
  throw_python(PyExc_TypeError, "dtype must be a type, str, or dtype object");
}

constexpr Parameter type_parameters[] = {
    {"input", Kind::Tensor},
    {.name = "dtype", .kind = Kind::Anything, .fallback = "None", .takes_none = true},
    {.name = "non_blocking", .kind = Kind::Bool, .fallback = "False"},
};
constexpr Signature type_signatures[] = {{type_parameters}};
constexpr Parser type_parser = {"type", type_signatures, true};

PyObject* type_call(const Arguments& call) {
  const Tensor& t = call.tensor(0);
  if (!call.has(1)) return PyUnicode_FromString(type_name(t).c_str());
  return wrap(to(t, dtype_named(call.object(1)), {}, false));
}

// ---- device ----

constexpr Parameter device_move_parameters[] = {
    {"input", Kind::Tensor},
    {.name = "device", .kind = Kind::Device, .fallback = "None", .takes_none = true},
    {.name = "non_blocking", .kind = Kind::Bool, .fallback = "False"},
    {.name = "memory_format",
     .kind = Kind::MemoryFormat,
     .fallback = "torch.preserve_format",
     .takes_none = true},
};
constexpr Parameter cpu_parameters[] = {
    {"input", Kind::Tensor},
    {.name = "memory_format",
     .kind = Kind::MemoryFormat,
     .fallback = "torch.preserve_format",
     .takes_none = true},
};
constexpr Signature cpu_signatures[] = {{cpu_parameters}};
constexpr Parser cpu_parser = {"cpu", cpu_signatures, true};
PyObject* cpu_call(const Arguments& call) {
  const Tensor& t = call.tensor(0);
  return t.has_data() ? Py_NewRef(call.object(0)) : wrap(to(t, {}, Device(), false));
}

constexpr Signature move_signatures[] = {{device_move_parameters}};
constexpr Parser cuda_parser = {"cuda", move_signatures, true};
constexpr Parser xpu_parser = {"xpu", move_signatures, true};
template <DeviceType D>
PyObject* move_call(const Arguments& call) {
  const Device device = call.has(1) ? to_device(call.object(1)) : Device{D, -1};
  return wrap(to(call.tensor(0), {}, device, false));
}

}  // namespace

#define ONETAPE_CAST_ENTRY(name, dtype) \
  method_entry(#name, name##_cast,      \
               #name "($self, memory_format=preserve_format)\n--\n\nThe tensor as torch." dtype ".")

PyMethodDef conversion_methods[] = {
    {"item", item_method, METH_NOARGS,
     "item($self, /)\n--\n\nThe one element as a Python number.\nRaises RuntimeError: the tensor has not "
     "exactly one element."},
    {"tolist", tolist, METH_NOARGS,
     "tolist($self, /)\n--\n\nThe elements as nested lists; a number for a 0-dim tensor."},
    method_entry("to", entry<to_parser, to_device_call, to_dtype_call, to_other_call>,
                 "to(device=None, dtype=None, non_blocking=False, copy=False)\nto(dtype, non_blocking=False, "
                 "copy=False)\n"
                 "to(other, non_blocking=False, copy=False)\n\nThe tensor with another dtype or on another "
                 "device; the tensor "
                 "itself if nothing changes and copy is False."),
    ONETAPE_CAST_ENTRY(bool, "bool"),
    ONETAPE_CAST_ENTRY(byte, "uint8"),
    ONETAPE_CAST_ENTRY(char, "int8"),
    ONETAPE_CAST_ENTRY(short, "int16"),
    ONETAPE_CAST_ENTRY(int, "int32"),
    ONETAPE_CAST_ENTRY(long, "int64"),
    ONETAPE_CAST_ENTRY(half, "float16"),
    ONETAPE_CAST_ENTRY(bfloat16, "bfloat16"),
    ONETAPE_CAST_ENTRY(float, "float32"),
    ONETAPE_CAST_ENTRY(double, "float64"),
    ONETAPE_CAST_ENTRY(cfloat, "complex64"),
    ONETAPE_CAST_ENTRY(cdouble, "complex128"),
    method_entry("type", entry<type_parser, type_call>,
                 "type($self, dtype=None, non_blocking=False)\n--\n\nThe name of the tensor's type, such as "
                 "torch.FloatTensor; with a dtype the tensor in it."),
    method_entry("type_as", entry<type_as_parser, type_as_call>,
                 "type_as($self, other)\n--\n\nThe tensor in the dtype of other, and on its device."),
    method_entry(
        "cpu", entry<cpu_parser, cpu_call>,
        "cpu($self)\n--\n\nThe tensor itself if it is there already.\nRaises NotImplementedError: it is on "
        "meta, without elements."),
    method_entry("xpu", entry<xpu_parser, move_call<DeviceType::XPU>>,
                 "xpu($self, device=None, non_blocking=False)\n--\n\nRaises the error that a machine "
                 "without XPU gives."),
    method_entry("cuda", entry<cuda_parser, move_call<DeviceType::CUDA>>,
                 "cuda($self, device=None, non_blocking=False)\n--\n\nRaises the error that a machine "
                 "without CUDA gives."),
    {nullptr, nullptr, 0, nullptr},
};
#undef ONETAPE_CAST_ENTRY

}  // namespace onetape::python
