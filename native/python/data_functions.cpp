#include "autograd/meta.h"
#include "ops.h"
#include "python/buffer_view.h"
#include "python/default_device.h"
#include "python/from_data.h"
#include "python/generated.h"
#include "python/numpy.h"
#include "python/tensor_type.h"

namespace onetape::python {
namespace {

std::optional<DType> dtype_or_none(const Arguments& call, size_t i) {
  return call.has(i) ? std::optional(call.dtype(i)) : std::nullopt;
}

void warn(const char* text) {
  if (PyErr_WarnEx(PyExc_UserWarning, text, 1) < 0) throw PythonError();
}

Tensor finished(Tensor t, bool requires_grad) {
  if (requires_grad) {
    check(is_differentiable(t.dtype()),
          "Only Tensors of floating point and complex dtype can require gradients");
    set_requires_grad(t, true);
  }
  return t;
}

/// On the device of a call's argument, else on the given one.
Tensor placed(const Tensor& t, const Arguments& call, size_t i, std::optional<Device> otherwise) {
  const std::optional<Device> device = call.has(i) ? to_device(call.object(i)) : otherwise;
  if (!device || device->type == t.device().type) return t;
  return ops::to_place(t, Options{.device = device});
}

// ---- buffers ----

Tensor tensor_from_buffer(PyObject* owner, DType dtype, int64_t count, int64_t offset) {
  check_value(PyObject_CheckBuffer(owner), "object does not implement Python buffer protocol.");
  auto view = std::make_shared<BufferView>(owner, PyBUF_WRITABLE);
  if (!view->taken()) {
    PyErr_Clear();
    view = std::make_shared<BufferView>(owner, PyBUF_SIMPLE);
    if (!view->taken()) throw PythonError();
    warn(
        "The given buffer is not writable, and PyTorch does not support non-writable tensors. This means you "
        "can write to the "
        "underlying (supposedly non-writable) buffer using the tensor. You may want to copy the buffer to "
        "protect its data or "
        "make it writable before converting it to a tensor. This type of warning will be suppressed for the "
        "rest of this "
        "program.");
  }
  const auto length = static_cast<int64_t>((*view)->len);
  const auto item = static_cast<int64_t>(item_size(dtype));
  check_value(length > 0 && count != 0, "both buffer length (", length, ") and count (", count,
              ") must not be 0");
  check_value(offset >= 0 && offset < length, "offset (", offset,
              " bytes) must be non-negative and no greater than buffer length (", length, " bytes) minus 1");
  if (count < 0) {
    check_value((length - offset) % item == 0, "buffer length (", length - offset, " bytes) after offset (",
                offset, " bytes) must be a multiple of element size (", item, ")");
    count = (length - offset) / item;
  }
  check_value(count <= (length - offset) / item, "requested buffer length (", count, " * ", item,
              " bytes) after offset (", offset, " bytes) must not be greater than actual buffer length (",
              length, " bytes)");
  Ref<Storage> storage =
      Storage::wrap(static_cast<char*>((*view)->buf) + offset, static_cast<size_t>(count * item),
                    [view] { static_cast<void>(view); });
  const int64_t step = 1;
  return Tensor(TensorImpl::view(std::move(storage), IntSpan(&count, 1), IntSpan(&step, 1), 0, dtype));
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
    warn(
        "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
        "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor).");
  }
  if (call.has(2)) check_available(to_device(call.object(2)));
  const Tensor t = tensor_from_data(data, dtype_or_none(call, 1));
  return wrap(finished(placed(t, call, 2, default_device()), call.has(4) && call.boolean(4)));
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
  const std::optional<DType> dtype = dtype_or_none(call, 1);
  if (!is_tensor(data) && !is_numpy_array(data))
    return wrap(placed(tensor_from_data(data, dtype), call, 2, default_device()));
  const Tensor t =
      placed(is_tensor(data) ? tensor_of(data) : tensor_from_numpy(data), call, 2, default_device());
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

// ---- asarray, frombuffer ----

constexpr Parameter asarray_parameters[] = {
    {"obj", Kind::Anything},
    {.name = "dtype", .kind = Kind::DType, .fallback = "None", .takes_none = true, .keyword_only = true},
    {.name = "device", .kind = Kind::Device, .fallback = "None", .takes_none = true, .keyword_only = true},
    {.name = "copy", .kind = Kind::Bool, .fallback = "None", .takes_none = true, .keyword_only = true},
    {.name = "requires_grad",
     .kind = Kind::Bool,
     .fallback = "None",
     .takes_none = true,
     .keyword_only = true},
};
constexpr Signature asarray_signatures[] = {{asarray_parameters}};
constexpr Parser asarray_parser = {"asarray", asarray_signatures};

/// The object's own elements as a tensor; undefined if it has none.
Tensor shared_elements(PyObject* object) {
  if (is_tensor(object)) return tensor_of(object);
  if (is_numpy_array(object)) return tensor_from_numpy(object);
  return {};
}

PyObject* asarray_call(const Arguments& call) {
  PyObject* object = call.object(0);
  if (call.has(2)) check_available(to_device(call.object(2)));
  const std::optional<DType> dtype = dtype_or_none(call, 1);
  const bool always = call.has(3) && call.boolean(3);
  const bool never = call.has(3) && !call.boolean(3);
  Tensor t = shared_elements(object);
  if (!t.defined()) {
    if (PyObject_CheckBuffer(object)) {
      t = tensor_from_buffer(object, dtype.value_or(DType::U8), -1, 0);
    } else {
      check_value(!never, "can't alias arbitrary sequence into a tensor.");
      t = tensor_from_data(object, dtype);
    }
  }
  const DType wanted = dtype.value_or(t.dtype());
  check_value(!never || wanted == t.dtype(), "can't alias tensor with dtype '", scalar_type_name(t.dtype()),
              "' into dtype '", scalar_type_name(wanted), "'.");
  if (always || wanted != t.dtype()) t = ops::to_dtype(t, wanted, always);
  t = placed(t, call, 2, default_device());
  if (call.has(4) && !call.boolean(4) && t.requires_grad()) t = detach(t);
  return wrap(finished(std::move(t), call.has(4) && call.boolean(4)));
}

constexpr Parameter frombuffer_parameters[] = {
    {"buffer", Kind::Anything},
    {.name = "dtype", .kind = Kind::DType, .keyword_only = true},
    {.name = "count", .kind = Kind::Int, .fallback = "-1", .keyword_only = true},
    {.name = "offset", .kind = Kind::Int, .fallback = "0", .keyword_only = true},
    {.name = "requires_grad", .kind = Kind::Bool, .fallback = "False", .keyword_only = true},
};
constexpr Signature frombuffer_signatures[] = {{frombuffer_parameters}};
constexpr Parser frombuffer_parser = {"frombuffer", frombuffer_signatures};

PyObject* frombuffer_call(const Arguments& call) {
  const int64_t count = call.has(2) ? call.integer(2) : -1;
  const int64_t offset = call.has(3) ? call.integer(3) : 0;
  Tensor t = tensor_from_buffer(call.object(0), call.dtype(1), count, offset);
  return wrap(finished(std::move(t), call.has(4) && call.boolean(4)));
}

// ---- new_tensor ----

constexpr Parameter new_parameters[] = {
    {"input", Kind::Tensor},
    {"data", Kind::Anything},
    {.name = "dtype", .kind = Kind::DType, .fallback = "None", .takes_none = true, .keyword_only = true},
    {.name = "device", .kind = Kind::Device, .fallback = "None", .takes_none = true, .keyword_only = true},
    {.name = "requires_grad", .kind = Kind::Bool, .fallback = "False", .keyword_only = true},
};
constexpr Signature new_signatures[] = {{new_parameters}};
constexpr Parser new_parser = {"new_tensor", new_signatures, true};

PyObject* new_call(const Arguments& call) {
  PyObject* data = call.object(1);
  if (is_tensor(data)) {
    warn(
        "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
        "sourceTensor.detach().clone().requires_grad_(True), rather than tensor.new_tensor(sourceTensor).");
  }
  if (call.has(3)) check_available(to_device(call.object(3)));
  const DType own = is_tensor(data) ? tensor_of(data).dtype() : call.tensor(0).dtype();
  const Tensor t = tensor_from_data(data, dtype_or_none(call, 2).value_or(own));
  return wrap(finished(placed(t, call, 3, call.tensor(0).device()), call.has(4) && call.boolean(4)));
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
    method_entry(
        "asarray", entry<asarray_parser, asarray_call>,
        "asarray(obj, *, dtype=None, device=None, copy=None, requires_grad=None)\n--\n\n"
        "obj as a tensor: a tensor, an array, a buffer, a number or nested lists.\n"
        "    copy: True always copies, False never (ValueError where it must), None only where it must"),
    method_entry("frombuffer", entry<frombuffer_parser, frombuffer_call>,
                 "frombuffer(buffer, *, dtype, count=-1, offset=0, requires_grad=False)\n--\n\n"
                 "A vector over the memory of an object such as a bytearray.\n"
                 "Raises ValueError: count or offset do not fit the buffer."),
    {"from_numpy", from_numpy, METH_O,
     "from_numpy(ndarray, /)\n--\n\nA tensor over the elements of a NumPy array: changes of one show in the "
     "other.\n"
     "Raises TypeError: the array's dtype has no tensor. ValueError: a stride is negative or the byte order "
     "foreign."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

PyMethodDef new_methods[] = {
    method_entry("new_tensor", entry<new_parser, new_call>,
                 "new_tensor($self, data, *, dtype=None, device=None, requires_grad=False)\n--\n\n"
                 "A new tensor with the elements of data, in this tensor's dtype unless another is given."),
    {nullptr, nullptr, 0, nullptr},
};

void add_from_data(PyObject* module) { need(PyModule_AddFunctions(module, functions)); }

}  // namespace onetape::python
