#include "ops/indexing.h"

#include "ops.h"
#include "python/from_data.h"
#include "python/generated.h"
#include "python/numpy.h"
#include "python/tensor_type.h"

namespace onetape::python {
namespace {

using Items = std::vector<IndexItem>;

std::optional<int64_t> bound(PyObject* object) {
  if (object == Py_None) return std::nullopt;
  if (!PyIndex_Check(object)) {
    throw_python(PyExc_TypeError, "slice indices must be integers or None or have an __index__ method");
  }
  // As in Python, bounds beyond int64 are cut to it.
  const Py_ssize_t value = PyNumber_AsSsize_t(object, nullptr);
  if (value == -1 && PyErr_Occurred()) throw PythonError();
  return value;
}

IndexItem slice_item(PyObject* object) {
  const auto* slice = reinterpret_cast<PySliceObject*>(object);
  const auto step = bound(slice->step);
  if (step == 0) throw_python(PyExc_ValueError, "slice step cannot be zero");
  return IndexItem::slice(bound(slice->start), bound(slice->stop), step);
}

/// A list, a range or an array of indices becomes a tensor.
IndexItem sequence_item(PyObject* object) {
  Tensor t = tensor_from_data(object, std::nullopt);
  if (t.numel() == 0 && !is_numpy_array(object)) t = ops::to_dtype(t, DType::I64);
  return IndexItem::of(t);
}

IndexItem item_of(PyObject* object) {
  if (object == Py_None) return IndexItem::none();
  if (object == Py_Ellipsis) return IndexItem::ellipsis();
  if (PySlice_Check(object)) return slice_item(object);
  if (is_tensor(object)) return IndexItem::of(tensor_of(object));
  if (PyBool_Check(object) || is_numpy_bool(object)) return IndexItem::of_bool(to_bool(object));
  if (is_numpy_array(object)) return sequence_item(object);
  if (is_int(object)) return IndexItem::of(to_int(object));
  if (PySequence_Check(object) && !PyUnicode_Check(object)) return sequence_item(object);
  throw_python(PyExc_IndexError,
               "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid "
               "indices (got %s)",
               Py_TYPE(object)->tp_name);
}

/// A list that holds slices, None or other lists means what a tuple of them would.
bool is_list_of_items(PyObject* key) {
  if (!PyList_Check(key) || PyList_GET_SIZE(key) >= 32) return false;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(key); ++i) {
    PyObject* one = PyList_GET_ITEM(key, i);
    if (one == Py_None || one == Py_Ellipsis || PySlice_Check(one)) return true;
  }
  return false;
}

Items items_of(PyObject* key) {
  Items items;
  if (!PyTuple_Check(key) && !is_list_of_items(key)) {
    items.push_back(item_of(key));
    return items;
  }
  for_each_item(key, [&](PyObject* one) { items.push_back(item_of(one)); });
  return items;
}

PyObject* subscript(PyObject* self, PyObject* key) {
  return guarded([&]() -> PyObject* {
    const Tensor& t = tensor_of(self);
    if (PyLong_CheckExact(key)) [[likely]] {
      const IndexItem item = IndexItem::of(to_int(key));
      return wrap(get_item(t, std::span(&item, 1)));
    }
    const Items items = items_of(key);
    return wrap(run(is_large(t), [&] { return get_item(t, items); }));
  });
}

Tensor value_of(PyObject* value, const Tensor& self) {
  if (is_tensor(value)) return tensor_of(value);
  if (PyLong_Check(value) && !PyBool_Check(value)) return wrapped_number(Scalar(to_int(value)));
  if (is_number(value)) return wrapped_number(to_scalar(value));
  if (is_numpy_array(value)) return tensor_from_data(value, std::nullopt);
  if (!PySequence_Check(value) || PyUnicode_Check(value)) {
    throw_python(PyExc_TypeError, "can't assign a %s to a torch.%sTensor", Py_TYPE(value)->tp_name,
                 std::string(scalar_type_name(self.dtype())).c_str());
  }
  return tensor_from_data(value, self.dtype());
}

int assign(PyObject* self, PyObject* key, PyObject* value) {
  try {
    if (!value) throw_python(PyExc_TypeError, "Tensor does not support deleting items");
    const Tensor& t = tensor_of(self);
    const Items items = items_of(key);
    const Tensor from = value_of(value, t);
    const ReleaseGil gil(is_large(t));
    set_item(t, items, from);
    return 0;
  } catch (...) {
    raise_current();
    return -1;
  }
}

constexpr Parameter where_parameters[] = {
    {"input", Kind::Tensor}, {"condition", Kind::Tensor}, {"other", Kind::TensorOrNumber}};
constexpr Signature where_signatures[] = {{where_parameters}};
constexpr Parser where_parser = {"where", where_signatures, true};

PyObject* where_call(const Arguments& call) {
  const Tensor& self = call.tensor(0);
  const TensorOrNumber other = call.tensor_or_number(2);
  return wrap(run(is_large(self), [&] { return ops::where(call.tensor(1), self, other); }));
}

Py_ssize_t length(PyObject* self) {
  try {
    const Tensor& t = tensor_of(self);
    if (t.dim() == 0) throw_python(PyExc_TypeError, "len() of a 0-d tensor");
    return t.sizes()[0];
  } catch (...) {
    raise_current();
    return -1;
  }
}

/// What iter() and reversed() go through: the parts along the first dimension.
PyObject* iterate(PyObject* self) {
  return guarded([&]() -> PyObject* {
    const Tensor& t = tensor_of(self);
    if (t.dim() == 0) throw_python(PyExc_TypeError, "iteration over a 0-d tensor");
    const Owned parts(wrap(ops::unbind(t, 0)));
    return need(PyObject_GetIter(parts.get()));
  });
}

int contains(PyObject* self, PyObject* element) {
  try {
    if (!is_tensor(element) && !is_number(element)) {
      throw_python(PyExc_RuntimeError,
                   "Tensor.__contains__ only supports Tensor or scalar, but you passed in a %R.",
                   Py_TYPE(element));
    }
    const TensorOrNumber value(element, std::span<PyObject* const>(&self, 1));
    return item(ops::any(ops::eq(tensor_of(self), value))).to<bool>();
  } catch (...) {
    raise_current();
    return -1;
  }
}

}  // namespace

PyMethodDef indexing_methods[] = {
    method_entry(
        "where", entry<where_parser, where_call>,
        "where($self, condition, other)\n--\n\nThe tensor where condition is true, other elsewhere."),
    {nullptr, nullptr, 0, nullptr},
};

extern const PyType_Slot indexing_slots[6];
const PyType_Slot indexing_slots[6] = {
    {Py_mp_subscript, reinterpret_cast<void*>(subscript)},
    {Py_mp_ass_subscript, reinterpret_cast<void*>(assign)},
    {Py_mp_length, reinterpret_cast<void*>(length)},
    {Py_sq_length, reinterpret_cast<void*>(length)},
    {Py_tp_iter, reinterpret_cast<void*>(iterate)},
    {Py_sq_contains, reinterpret_cast<void*>(contains)},
};

}  // namespace onetape::python
