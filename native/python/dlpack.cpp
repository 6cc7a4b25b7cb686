#include "python/dlpack.h"

#include "autograd/meta.h"
#include "ops.h"
#include "python/buffer_view.h"
#include "python/generated.h"
#include "python/tensor_type.h"

namespace onetape::python {
namespace {

constexpr int32_t kCpu = 1;
constexpr uint64_t kReadOnly = 1;
constexpr uint64_t kCopied = 2;
constexpr const char* kName = "dltensor";
constexpr const char* kVersionedName = "dltensor_versioned";

// ---- out ----

DLDataType type_of(DType dtype) {
  const auto bits = static_cast<uint8_t>(item_size(dtype) * 8);
  switch (dtype) {
    case DType::Bool:
      return {6, bits, 1};
    case DType::U8:
      return {1, bits, 1};
    case DType::BF16:
      return {4, bits, 1};
    default:
      break;
  }
  if (is_complex(dtype)) return {5, bits, 1};
  return {static_cast<uint8_t>(is_floating(dtype) ? 2 : 0), bits, 1};
}

/// A tensor in the common layout, with what it keeps alive.
template <typename Managed>
struct Exported {
  Managed managed{};
  Tensor tensor;
  Ints dims;
};

template <typename Managed>
Managed* export_tensor(const Tensor& t) {
  auto* exported = new Exported<Managed>;
  exported->tensor = detach(t);
  exported->dims = t.shape();
  for (const int64_t step : t.strides()) exported->dims.push_back(step);
  int64_t* dims = exported->dims.data();
  exported->managed.tensor = {t.bytes(), {kCpu, 0}, t.dim(), type_of(t.dtype()), dims, dims + t.dim(), 0};
  exported->managed.manager = exported;
  exported->managed.deleter = [](Managed* self) { delete static_cast<Exported<Managed>*>(self->manager); };
  return &exported->managed;
}

/// Ends a tensor that nobody took out of its capsule.
template <typename Managed, const char* const& Name>
void end_capsule(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, Name)) return;
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, Name));
  if (managed && managed->deleter) managed->deleter(managed);
}

constexpr Parameter dlpack_parameters[] = {
    {"input", Kind::Tensor},
    {.name = "stream", .kind = Kind::Anything, .fallback = "None", .keyword_only = true},
    {.name = "max_version",
     .kind = Kind::Anything,
     .fallback = "None",
     .takes_none = true,
     .keyword_only = true},
    {.name = "dl_device",
     .kind = Kind::Anything,
     .fallback = "None",
     .takes_none = true,
     .keyword_only = true},
    {.name = "copy", .kind = Kind::Bool, .fallback = "None", .takes_none = true, .keyword_only = true},
};
constexpr Signature dlpack_signatures[] = {{dlpack_parameters}};
constexpr Parser dlpack_parser = {"__dlpack__", dlpack_signatures, true};

PyObject* dlpack_call(const Arguments& call) {
  Tensor t = call.tensor(0);
  if (t.requires_grad()) {
    throw_python(PyExc_BufferError, "Can't export tensors that require gradient, use tensor.detach()");
  }
  if (!t.has_data()) throw_python(PyExc_BufferError, "Cannot pack tensors on meta");
  if (call.has(3)) {
    int device = 0;
    int id = 0;
    if (!PyArg_ParseTuple(call.object(3), "ii", &device, &id)) throw PythonError();
    if (device != kCpu) throw_python(PyExc_BufferError, "tensors are exported from the CPU only");
  }
  note_read(t, "__dlpack__()");
  const bool copied = call.has(4) && call.boolean(4);
  if (copied) t = ops::clone(t);
  int major = 0;
  if (call.has(2)) {
    int minor = 0;
    if (!PyArg_ParseTuple(call.object(2), "ii", &major, &minor)) throw PythonError();
  }
  if (major < 1) {
    return need(PyCapsule_New(export_tensor<DLManagedTensor>(t), kName, end_capsule<DLManagedTensor, kName>));
  }
  auto* managed = export_tensor<DLManagedTensorVersioned>(t);
  managed->version = {1, 0};
  managed->flags = copied ? kCopied : 0;
  return need(PyCapsule_New(managed, kVersionedName, end_capsule<DLManagedTensorVersioned, kVersionedName>));
}

PyObject* dlpack_device(PyObject* self, PyObject*) {
  return guarded([&] {
    check_value(tensor_of(self).has_data(), "Unknown device type meta for Dlpack");
    return Py_BuildValue("(ii)", kCpu, 0);
  });
}

// ---- in ----

DType dtype_of_type(DLDataType type) {
  if (type.lanes == 1) {
    for (int i = 0; i < kDTypes; ++i) {
      const auto dtype = static_cast<DType>(i);
      const DLDataType ours = type_of(dtype);
      if (ours.code == type.code && ours.bits == type.bits) return dtype;
    }
  }
  throw_python(PyExc_BufferError, "from_dlpack: no dtype has code %d, %d bits and %d lanes", type.code,
               type.bits, type.lanes);
}

/// Takes a tensor over: its deleter runs when nothing uses the memory any more.
template <typename Managed>
Tensor import_tensor(Managed* managed, PyObject* exporter) {
  const std::shared_ptr<Managed> owner(managed, [](Managed* one) {
    if (one->deleter) one->deleter(one);
  });
  const DLTensor& from = managed->tensor;
  if (from.device.device_type != kCpu)
    throw_python(PyExc_BufferError, "from_dlpack: the elements are not in the CPU's memory");
  const DType dtype = dtype_of_type(from.dtype);
  const IntSpan sizes(from.shape, static_cast<size_t>(from.ndim));
  const int64_t numel = checked_numel(sizes, dtype);
  const Ints strides = from.strides ? Ints(IntSpan(from.strides, sizes.size())) : contiguous_strides(sizes);
  int64_t reach = numel > 0 ? 1 : 0;
  for (size_t d = 0; numel > 0 && d < sizes.size(); ++d) {
    if (strides[d] < 0) throw_python(PyExc_BufferError, "from_dlpack: negative strides are not supported");
    reach += (sizes[d] - 1) * strides[d];
  }
  char* data = static_cast<char*>(from.data) + from.byte_offset;
  const auto pins = std::make_shared<ArrayPins>(exporter);
  Ref<Storage> storage = Storage::wrap(data, static_cast<size_t>(reach) * item_size(dtype),
                                       [owner, pins] { static_cast<void>(owner); });
  return Tensor(TensorImpl::view(std::move(storage), sizes, strides, 0, dtype));
}

template <typename Managed>
Managed* take(PyObject* capsule, const char* name, const char* used_name) {
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, name));
  if (!managed || PyCapsule_SetName(capsule, used_name) != 0) throw PythonError();
  return managed;
}

Owned capsule_of(PyObject* object) {
  if (PyCapsule_CheckExact(object)) return Owned::share(object);
  const Owned method(need(PyObject_GetAttrString(object, "__dlpack__")));
  const Owned none(need(PyTuple_New(0)));
  const Owned keywords(need(Py_BuildValue("{s(ii)}", "max_version", 1, 0)));
  PyObject* capsule = PyObject_Call(method.get(), none.get(), keywords.get());
  if (!capsule && PyErr_ExceptionMatches(PyExc_TypeError)) {  // an older library
    PyErr_Clear();
    capsule = PyObject_CallNoArgs(method.get());
  }
  return Owned(need(capsule));
}

PyObject* from_dlpack(PyObject*, PyObject* object) {
  return guarded([&]() -> PyObject* {
    const Owned capsule = capsule_of(object);
    if (PyCapsule_IsValid(capsule.get(), kVersionedName)) {
      auto* managed =
          take<DLManagedTensorVersioned>(capsule.get(), kVersionedName, "used_dltensor_versioned");
      const Tensor t = import_tensor(managed, object);
      return wrap(managed->flags & kReadOnly ? ops::clone(t) : t);
    }
    if (!PyCapsule_IsValid(capsule.get(), kName)) {
      throw_python(PyExc_RuntimeError,
                   "from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed "
                   "only once, so you might "
                   "have already constructed a tensor from it once.");
    }
    return wrap(import_tensor(take<DLManagedTensor>(capsule.get(), kName, "used_dltensor"), object));
  });
}

PyMethodDef functions[] = {
    {"from_dlpack", from_dlpack, METH_O,
     "from_dlpack(ext_tensor, /)\n--\n\nA tensor over the elements of another library's array, which has "
     "__dlpack__().\n"
     "Raises BufferError: the elements are not in the CPU's memory, or of a type that has no dtype."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

PyMethodDef dlpack_methods[] = {
    method_entry("__dlpack__", entry<dlpack_parser, dlpack_call>,
                 "__dlpack__($self, *, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\n"
                 "The tensor as a capsule for other array libraries."),
    {"__dlpack_device__", dlpack_device, METH_NOARGS, "__dlpack_device__($self, /)\n--\n\n(1, 0): the CPU."},
    {nullptr, nullptr, 0, nullptr},
};

void add_dlpack(PyObject* module) { need(PyModule_AddFunctions(module, functions)); }

}  // namespace onetape::python
