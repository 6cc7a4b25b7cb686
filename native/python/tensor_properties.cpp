#include <cstring>

#include "autograd/meta.h"
#include "core/call_watcher.h"
#include "python/generated.h"
#include "python/node_object.h"
#include "python/tensor_type.h"

namespace onetape::python {
namespace {

template <typename F>
PyObject* get(PyObject* self, F f) {
  return guarded([&]() -> PyObject* { return f(tensor_of(self)); });
}

// ---- what a tensor is ----

PyObject* shape(PyObject* self, void*) {
  return get(self, [](const Tensor& t) { return size_object(t.sizes()); });
}
PyObject* ndim(PyObject* self, void*) {
  return get(self, [](const Tensor& t) { return PyLong_FromLong(t.dim()); });
}
PyObject* dtype(PyObject* self, void*) {
  return get(self, [](const Tensor& t) { return Py_NewRef(dtype_object(t.dtype())); });
}
PyObject* device(PyObject* self, void*) {
  return get(self, [](const Tensor& t) { return device_object(t.device()); });
}
PyObject* layout(PyObject*, void*) { return Py_NewRef(strided_layout()); }
PyObject* itemsize(PyObject* self, void*) {
  return get(self, [](const Tensor& t) { return PyLong_FromSize_t(t.item_bytes()); });
}
PyObject* nbytes(PyObject* self, void*) {
  return get(self, [](const Tensor& t) {
    return PyLong_FromLongLong(t.numel() * static_cast<int64_t>(t.item_bytes()));
  });
}
PyObject* version_number(PyObject* self, void*) {
  return get(self, [](const Tensor& t) { return PyLong_FromUnsignedLong(counted_version(t)); });
}
PyObject* base(PyObject* self, void*) {
  return get(self, [](const Tensor& t) { return wrap(view_base(t)); });
}
PyObject* no(PyObject*, void*) { Py_RETURN_FALSE; }
template <DeviceType D>
PyObject* is_on(PyObject* self, void*) {
  return get(self, [](const Tensor& t) { return PyBool_FromLong(t.device().type == D); });
}

PyObject* dim_method(PyObject* self, PyObject*) { return ndim(self, nullptr); }
PyObject* numel(PyObject* self, PyObject*) {
  return get(self, [](const Tensor& t) { return PyLong_FromLongLong(t.numel()); });
}
PyObject* is_inference_method(PyObject* self, PyObject*) {
  return get(self, [](const Tensor& t) { return PyBool_FromLong(is_inference(t)); });
}
PyObject* element_size(PyObject* self, PyObject*) { return itemsize(self, nullptr); }
PyObject* storage_offset(PyObject* self, PyObject*) {
  return get(self, [](const Tensor& t) { return PyLong_FromLongLong(t.storage_offset()); });
}
PyObject* data_ptr(PyObject* self, PyObject*) {
  return get(self, [](const Tensor& t) {
    note_read(t, "data_ptr()");
    return PyLong_FromVoidPtr(t.numel() > 0 && t.has_data() ? t.bytes() : nullptr);
  });
}
PyObject* is_floating_point(PyObject* self, PyObject*) {
  return get(self, [](const Tensor& t) { return PyBool_FromLong(is_floating(t.dtype())); });
}
PyObject* is_complex_method(PyObject* self, PyObject*) {
  return get(self, [](const Tensor& t) { return PyBool_FromLong(is_complex(t.dtype())); });
}
PyObject* is_signed(PyObject* self, PyObject*) {
  return get(self, [](const Tensor& t) {
    return PyBool_FromLong(t.dtype() != DType::Bool && t.dtype() != DType::U8);
  });
}
PyObject* is_nonzero(PyObject* self, PyObject*) {
  return get(self, [](const Tensor& t) {
    check(t.numel() == 1, "Boolean value of Tensor with ",
          t.numel() == 0 ? "no values" : "more than one value", " is ambiguous");
    return PyBool_FromLong(item(t).to<bool>());
  });
}
PyObject* get_device(PyObject*, PyObject*) { return PyLong_FromLong(-1); }

constexpr Parameter dim_parameters[] = {
    {"input", Kind::Tensor},
    {.name = "dim", .kind = Kind::Int, .fallback = "None", .takes_none = true},
};
constexpr Signature dim_signatures[] = {{dim_parameters}};
constexpr Parser size_parser = {"size", dim_signatures, true};
constexpr Parser stride_parser = {"stride", dim_signatures, true};

PyObject* size_call(const Arguments& call) {
  const Tensor& t = call.tensor(0);
  return call.has(1) ? PyLong_FromLongLong(t.size(call.integer(1))) : size_object(t.sizes());
}
PyObject* stride_call(const Arguments& call) {
  const Tensor& t = call.tensor(0);
  return call.has(1) ? PyLong_FromLongLong(t.stride(call.integer(1))) : int_tuple(t.strides());
}

constexpr Parameter contiguous_parameters[] = {
    {"input", Kind::Tensor},
    {.name = "memory_format",
     .kind = Kind::MemoryFormat,
     .fallback = "torch.contiguous_format",
     .keyword_only = true},
};
constexpr Signature contiguous_signatures[] = {{contiguous_parameters}};
constexpr Parser contiguous_parser = {"is_contiguous", contiguous_signatures, true};
PyObject* is_contiguous_call(const Arguments& call) {
  return PyBool_FromLong(call.tensor(0).is_contiguous());
}

constexpr Parameter other_parameters[] = {{"input", Kind::Tensor}, {"other", Kind::Tensor}};
constexpr Signature other_signatures[] = {{other_parameters}};
constexpr Parser same_size_parser = {"is_same_size", other_signatures, true};
constexpr Parser set_to_parser = {"is_set_to", other_signatures, true};

PyObject* same_size_call(const Arguments& call) {
  return PyBool_FromLong(same(call.tensor(0).sizes(), call.tensor(1).sizes()));
}
PyObject* set_to_call(const Arguments& call) {
  const Tensor& a = call.tensor(0);
  const Tensor& b = call.tensor(1);
  return PyBool_FromLong(a.impl()->storage() == b.impl()->storage() && a.address() == b.address() &&
                         same(a.sizes(), b.sizes()) && same(a.strides(), b.strides()));
}

// ---- what autograd knows of it ----

PyObject* get_requires_grad(PyObject* self, void*) {
  return get(self, [](const Tensor& t) { return PyBool_FromLong(t.requires_grad()); });
}

int set_requires_grad_property(PyObject* self, PyObject* value, void*) {
  try {
    if (!value || !PyBool_Check(value)) throw_python(PyExc_RuntimeError, "requires_grad must be a bool");
    set_requires_grad(tensor_of(self), value == Py_True);
    return 0;
  } catch (...) {
    raise_current();
    return -1;
  }
}

PyObject* get_grad(PyObject* self, void*) {
  return get(self, [](const Tensor& t) -> PyObject* {
    if (t.requires_grad() && !is_leaf(t) && !retains_grad(t)) {
      const int failed =
          PyErr_WarnEx(PyExc_UserWarning,
                       "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its "
                       ".grad attribute won't be populated "
                       "during autograd.backward(). If you indeed want the .grad field to be populated for a "
                       "non-leaf Tensor, use "
                       ".retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, "
                       "make sure you access the leaf "
                       "Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more informations.",
                       1);
      if (failed < 0) throw PythonError();
    }
    return wrap(grad(t));
  });
}

int set_grad_property(PyObject* self, PyObject* value, void*) {
  try {
    const Tensor& t = tensor_of(self);
    if (!value || value == Py_None) {
      set_grad(t, {});
      return 0;
    }
    if (!is_tensor(value)) {
      throw_python(PyExc_TypeError, "assigned grad expected to be a Tensor or None but got grad of type %s",
                   Py_TYPE(value)->tp_name);
    }
    set_grad(t, tensor_of(value));
    return 0;
  } catch (...) {
    raise_current();
    return -1;
  }
}

PyObject* get_grad_fn(PyObject* self, void*) {
  return get(self, [](const Tensor& t) { return node_object(grad_fn(t)); });
}
PyObject* get_is_leaf(PyObject* self, void*) {
  return get(self, [](const Tensor& t) { return PyBool_FromLong(is_leaf(t)); });
}
PyObject* get_retains_grad(PyObject* self, void*) {
  return get(self, [](const Tensor& t) { return PyBool_FromLong(retains_grad(t)); });
}
PyObject* get_output_nr(PyObject* self, void*) {
  return get(
      self, [](const Tensor& t) { return PyLong_FromUnsignedLong(is_leaf(t) ? 0 : gradient_edge(t).input); });
}

PyObject* get_data(PyObject* self, void*) {
  return get(self, [](const Tensor& t) { return wrap(data_of(t)); });
}

int set_data_property(PyObject* self, PyObject* value, void*) {
  try {
    if (!value)
      throw_python(PyExc_RuntimeError, "Deleting tensor data is not allowed. Delete tensor instead!");
    if (!is_tensor(value)) {
      throw_python(PyExc_TypeError, "Variable data has to be a tensor, but got %s", Py_TYPE(value)->tp_name);
    }
    check(
        tensor_of(self).device() == tensor_of(value).device(),
        "Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` have incompatible tensor "
        "type.");
    set_data(tensor_of(self), tensor_of(value));
    return 0;
  } catch (...) {
    raise_current();
    return -1;
  }
}

}  // namespace

PyGetSetDef property_getters[] = {
    {"shape", shape, nullptr, "The sizes of the dimensions, as a torch.Size.", nullptr},
    {"ndim", ndim, nullptr, "Number of dimensions.", nullptr},
    {"dtype", dtype, nullptr, "The type of the elements.", nullptr},
    {"device", device, nullptr, "Where the elements are.", nullptr},
    {"layout", layout, nullptr, "torch.strided", nullptr},
    {"itemsize", itemsize, nullptr, "Bytes of an element.", nullptr},
    {"nbytes", nbytes, nullptr, "Bytes of all elements.", nullptr},
    {"_version", version_number, nullptr, "How often the elements were changed in place.", nullptr},
    {"_base", base, nullptr, "The tensor that this one is a view of, or None.", nullptr},
    {"is_cpu", is_on<DeviceType::CPU>, nullptr, "Are the elements in the CPU's memory?", nullptr},
    {"is_cuda", no, nullptr, "Are the elements on a CUDA device?", nullptr},
    {"is_ipu", no, nullptr, "Are the elements on an IPU?", nullptr},
    {"is_maia", no, nullptr, "Are the elements on a MAIA device?", nullptr},
    {"is_mps", no, nullptr, "Are the elements on an MPS device?", nullptr},
    {"is_mtia", no, nullptr, "Are the elements on an MTIA device?", nullptr},
    {"is_vulkan", no, nullptr, "Are the elements on a Vulkan device?", nullptr},
    {"is_xla", no, nullptr, "Are the elements on an XLA device?", nullptr},
    {"is_xpu", no, nullptr, "Are the elements on an XPU?", nullptr},
    {"is_meta", is_on<DeviceType::Meta>, nullptr, "Is the tensor without elements?", nullptr},
    {"is_sparse", no, nullptr, "Is the layout sparse?", nullptr},
    {"is_quantized", no, nullptr, "Are the elements quantized?", nullptr},
    {"requires_grad", get_requires_grad, set_requires_grad_property, "Are gradients of this tensor wanted?",
     nullptr},
    {"grad", get_grad, set_grad_property, "The gradient that backward() has added up, or None.", nullptr},
    {"grad_fn", get_grad_fn, nullptr, "The node of the graph that made this tensor, or None.", nullptr},
    {"is_leaf", get_is_leaf, nullptr, "Was the tensor made by a program, not by a recorded operator?",
     nullptr},
    {"retains_grad", get_retains_grad, nullptr, "Was retain_grad() called on this non-leaf tensor?", nullptr},
    {"output_nr", get_output_nr, nullptr, "Which output of grad_fn the tensor is.", nullptr},
    {"data", get_data, set_data_property,
     "The same elements without a history and with a version of their own.", nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMethodDef property_methods[] = {
    {"dim", dim_method, METH_NOARGS, "dim($self, /)\n--\n\nNumber of dimensions."},
    {"ndimension", dim_method, METH_NOARGS, "ndimension($self, /)\n--\n\nNumber of dimensions."},
    {"numel", numel, METH_NOARGS, "numel($self, /)\n--\n\nNumber of elements."},
    {"nelement", numel, METH_NOARGS, "nelement($self, /)\n--\n\nNumber of elements."},
    {"element_size", element_size, METH_NOARGS, "element_size($self, /)\n--\n\nBytes of an element."},
    {"is_inference", is_inference_method, METH_NOARGS,
     "is_inference($self, /)\n--\n\nWas the tensor made in inference mode?"},
    {"storage_offset", storage_offset, METH_NOARGS,
     "storage_offset($self, /)\n--\n\nWhere the first element stands in the storage, in elements."},
    {"data_ptr", data_ptr, METH_NOARGS, "data_ptr($self, /)\n--\n\nAddress of the first element."},
    {"is_floating_point", is_floating_point, METH_NOARGS,
     "is_floating_point($self, /)\n--\n\nIs the dtype a real floating one?"},
    {"is_complex", is_complex_method, METH_NOARGS, "is_complex($self, /)\n--\n\nIs the dtype complex?"},
    {"is_signed", is_signed, METH_NOARGS, "is_signed($self, /)\n--\n\nCan the dtype hold negative numbers?"},
    {"is_nonzero", is_nonzero, METH_NOARGS,
     "is_nonzero($self, /)\n--\n\nIs the one element not zero?\nRaises RuntimeError: there is not exactly "
     "one element."},
    method_entry("is_same_size", entry<same_size_parser, same_size_call>,
                 "is_same_size($self, other)\n--\n\nHave both tensors the same shape?"),
    method_entry("is_set_to", entry<set_to_parser, set_to_call>,
                 "is_set_to($self, other)\n--\n\nDo both tensors show the same memory in the same way?"),
    {"get_device", get_device, METH_NOARGS,
     "get_device($self, /)\n--\n\nNumber of the CUDA device; -1 on the CPU."},
    method_entry("size", entry<size_parser, size_call>,
                 "size($self, dim=None)\n--\n\nThe shape, or the size of one dimension.\nRaises IndexError: "
                 "dim is out of range."),
    method_entry("stride", entry<stride_parser, stride_call>,
                 "stride($self, dim=None)\n--\n\nThe steps from one element to the next in each dimension, "
                 "in elements."),
    method_entry("is_contiguous", entry<contiguous_parser, is_contiguous_call>,
                 "is_contiguous($self, *, memory_format=contiguous_format)\n--\n\nDo the elements stand in "
                 "row-major order?"),
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace onetape::python
