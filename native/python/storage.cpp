#include <cstring>

#include "autograd/meta.h"
#include "core/mapped_file.h"
#include "ops.h"
#include "ops/copy.h"
#include "ops/reshaping.h"
#include "python/generated.h"
#include "python/tensor_type.h"

namespace onetape::python {
namespace {

// ---- the same elements in another order ----

void warn(const char* text) {
  if (PyErr_WarnEx(PyExc_UserWarning, text, 1) < 0) throw PythonError();
}

Tensor reversed_dims(const Tensor& t) {
  if (t.dim() == 0)
    warn("Tensor.T is deprecated on 0-D tensors. This function is the identity in these cases.");
  if (t.dim() > 2) {
    warn(
        "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it "
        "will throw an error "
        "in a future release. Consider `x.mT` to transpose batches of matrices or "
        "`x.permute(*torch.arange(x.ndim - 1, -1, -1))` "
        "to reverse the dimensions of a tensor.");
  }
  Ints dims;
  for (int64_t d = t.dim() - 1; d >= 0; --d) dims.push_back(d);
  return ops::permute(t, dims);
}

PyObject* get_T(PyObject* self, void*) {
  return guarded([&] { return wrap(reversed_dims(tensor_of(self))); });
}

PyObject* get_mT(PyObject* self, void*) {
  return guarded([&] {
    const Tensor& t = tensor_of(self);
    check(t.dim() >= 2, "tensor.mT is only supported on matrices or batches of matrices. Got ", t.dim(),
          "-D tensor.");
    return wrap(ops::transpose(t, -2, -1));
  });
}

Tensor adjoint(const Tensor& t) {
  const Tensor transposed = ops::transpose(t, -2, -1);
  return is_complex(t.dtype()) ? ops::conj(transposed) : transposed;
}

PyObject* get_H(PyObject* self, void*) {
  return guarded([&] {
    const Tensor& t = tensor_of(self);
    check(t.dim() == 2, "tensor.H is only supported on matrices (2-D tensors). Got ", t.dim(), "-D tensor.",
          t.dim() > 2 ? " For batches of matrices, consider using tensor.mH" : "");
    return wrap(adjoint(t));
  });
}

PyObject* get_mH(PyObject* self, void*) {
  return guarded([&] {
    const Tensor& t = tensor_of(self);
    check(t.dim() >= 2, "tensor.mH is only supported on matrices or batches of matrices. Got ", t.dim(),
          "-D tensor.");
    return wrap(adjoint(t));
  });
}

// ---- what the storage classes and the copy protocols of the package are made of ----

constexpr Parameter storage_parameters[] = {
    {"input", Kind::Tensor},
    {.name = "dtype", .kind = Kind::DType, .fallback = "None", .takes_none = true},
};
constexpr Signature storage_signatures[] = {{storage_parameters}};
constexpr Parser storage_parser = {"_storage_tensor", storage_signatures};

/// All of a storage as a vector.
PyObject* storage_call(const Arguments& call) {
  const Tensor& t = call.tensor(0);
  const DType dtype = call.has(1) ? call.dtype(1) : t.dtype();
  const int64_t n = static_cast<int64_t>(t.storage()->nbytes() / item_size(dtype));
  const int64_t step = 1;
  return wrap(Tensor(TensorImpl::view(t.storage(), IntSpan(&n, 1), IntSpan(&step, 1), 0, dtype)));
}

/// A tensor of the storage of another, with a shape of its own and no history.
constexpr Parameter placed_parameters[] = {
    {"storage", Kind::Tensor}, {"size", Kind::Ints}, {"stride", Kind::Ints}, {"storage_offset", Kind::Int}};
constexpr Signature placed_signatures[] = {{placed_parameters}};
constexpr Parser placed_parser = {"_placed", placed_signatures};

PyObject* placed_call(const Arguments& call) {
  const Tensor& t = call.tensor(0);
  const IntsArgument size = call.ints(1);
  const IntsArgument stride = call.ints(2);
  const int64_t offset = call.integer(3);
  check(size.span().size() == stride.span().size(), "mismatch in length of strides and shape");
  checked_numel(size.span(), t.dtype());
  check(within_storage(t.storage(), size.span(), stride.span(), offset, t.dtype()),
        "the view is out of bounds of the storage");
  return wrap(Tensor(TensorImpl::view(t.storage(), size.span(), stride.span(), offset, t.dtype())));
}

PyObject* to_bytes(PyObject* self, PyObject*) {
  return guarded([&] {
    note_read(tensor_of(self), "a copy of its memory");
    const Tensor t = dense(tensor_of(self));
    return PyBytes_FromStringAndSize(t.bytes(), t.numel() * static_cast<Py_ssize_t>(t.item_bytes()));
  });
}

constexpr Parameter bytes_parameters[] = {
    {"data", Kind::Anything}, {"dtype", Kind::DType}, {"size", Kind::Ints}};
constexpr Signature bytes_signatures[] = {{bytes_parameters}};
constexpr Parser bytes_parser = {"_from_bytes", bytes_signatures};

PyObject* bytes_call(const Arguments& call) {
  const IntsArgument size = call.ints(2);
  const DType dtype = call.dtype(1);
  const int64_t bytes = checked_numel(size.span(), dtype) * static_cast<int64_t>(item_size(dtype));
  char* data = nullptr;
  Py_ssize_t length = 0;
  need(PyBytes_AsStringAndSize(call.object(0), &data, &length));
  check(length == bytes, "the data has ", length, " bytes, the tensor ", bytes);
  Tensor t = Tensor::empty(size.span(), dtype);
  if (bytes > 0) std::memcpy(t.bytes(), data, static_cast<size_t>(bytes));
  return wrap(std::move(t));
}

constexpr Parameter map_parameters[] = {{"descriptor", Kind::Int}, {"size", Kind::Int}};
constexpr Signature map_signatures[] = {{map_parameters}};
constexpr Parser map_parser = {"_map_file", map_signatures};

Tensor bytes_of(const Ref<Storage>& storage) {
  const auto n = static_cast<int64_t>(storage->nbytes());
  const int64_t step = 1;
  return Tensor(TensorImpl::view(storage, IntSpan(&n, 1), IntSpan(&step, 1), 0, DType::U8));
}

PyObject* map_call(const Arguments& call) {
  return wrap(bytes_of(map_file(static_cast<int>(call.integer(0)), static_cast<size_t>(call.integer(1)))));
}

constexpr Parameter part_parameters[] = {
    {"storage", Kind::Tensor}, {"offset", Kind::Int}, {"size", Kind::Int}};
constexpr Signature part_signatures[] = {{part_parameters}};
constexpr Parser part_parser = {"_storage_part", part_signatures};

PyObject* part_call(const Arguments& call) {
  return wrap(bytes_of(part_of(call.tensor(0).storage(), call.integer(1), call.integer(2))));
}

constexpr Parameter resize_parameters[] = {
    {"elements", Kind::Tensor}, {"tensor", Kind::Tensor}, {"bytes", Kind::Int}};
constexpr Signature resize_signatures[] = {{resize_parameters}};
constexpr Parser resize_parser = {"_resize_storage", resize_signatures};

PyObject* resize_call(const Arguments& call) {
  const int64_t bytes = call.integer(2);
  check(bytes >= 0,
        "[enforce fail at alloc_cpu.cpp:98] ((ptrdiff_t)nbytes) >= 0. alloc_cpu() seems to have been called "
        "with negative number: ",
        static_cast<uint64_t>(bytes));
  resize_storage(call.tensor(0), call.tensor(1), static_cast<size_t>(bytes));
  Py_RETURN_NONE;
}

PyObject* is_resizable(PyObject*, PyObject* tensor) {
  return guarded([&]() -> PyObject* {
    if (!is_tensor(tensor)) throw_python(PyExc_TypeError, "_is_resizable expects a Tensor");
    return wrap(tensor_of(tensor).impl()->storage()->resizable());
  });
}

PyMethodDef functions[] = {
    method_entry("_resize_storage", entry<resize_parser, resize_call>,
                 "Gives the storage of two tensors another size in bytes."),
    {"_is_resizable", is_resizable, METH_O, "Whether the storage of a tensor may change its size."},
    method_entry("_map_file", entry<map_parser, map_call>, "The bytes of an open file, mapped into memory."),
    method_entry("_storage_part", entry<part_parser, part_call>,
                 "Some bytes of a tensor's storage as a storage of their own."),
    method_entry("_storage_tensor", entry<storage_parser, storage_call>,
                 "All elements of a tensor's storage as a vector."),
    method_entry("_placed", entry<placed_parser, placed_call>, "A tensor over another one's storage."),
    method_entry("_from_bytes", entry<bytes_parser, bytes_call>,
                 "A tensor of elements that _to_bytes() gave."),
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

PyGetSetDef view_properties[] = {
    {"T", get_T, nullptr, "The matrix transposed.", nullptr},
    {"mT", get_mT, nullptr, "The last two dimensions exchanged.", nullptr},
    {"H", get_H, nullptr, "The matrix transposed and conjugated.", nullptr},
    {"mH", get_mH, nullptr, "The last two dimensions exchanged, and conjugated.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMethodDef storage_methods[] = {
    {"_to_bytes", to_bytes, METH_NOARGS,
     "_to_bytes($self, /)\n--\n\nThe elements in row-major order as bytes."},
    {nullptr, nullptr, 0, nullptr},
};

void add_storage_functions(PyObject* module) { need(PyModule_AddFunctions(module, functions)); }

}  // namespace onetape::python
