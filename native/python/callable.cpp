#include "python/callable.h"

#include <string>

#include "python/errors.h"
#include "python/tensor_object.h"

namespace onetape::python {
namespace {

/// The name of a hook for errors about it.
std::string name_of(PyObject* function) {
  const Owned name(PyObject_GetAttrString(function, "__name__"));
  const char* text = name && PyUnicode_Check(name.get()) ? PyUnicode_AsUTF8(name.get()) : nullptr;
  PyErr_Clear();
  return text ? text : "<unknown>";
}

/// A gradient that a hook gave instead of another must look the same.
void check_replacement(PyObject* function, const Tensor& before, const Tensor& after) {
  if (!before.defined() || !after.defined()) return;
  check(before.dtype() == after.dtype(), "hook '", name_of(function),
        "' has changed the type of value (was torch.", scalar_type_name(before.dtype()), "Tensor got torch.",
        scalar_type_name(after.dtype()), "Tensor)");
  check(same(before.sizes(), after.sizes()), "hook '", name_of(function), "' has changed the size of value");
}

Owned tuple_of(const TensorList& tensors) {
  Owned tuple(need(PyTuple_New(static_cast<Py_ssize_t>(tensors.size()))));
  for (size_t i = 0; i < tensors.size(); ++i)
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), wrap(tensors[i]));
  return tuple;
}

Tensor tensor_or_none(PyObject* object) {
  if (object == Py_None) return {};
  if (!is_tensor(object)) {
    throw_python(PyExc_TypeError, "expected Variable, but hook returned '%s'", Py_TYPE(object)->tp_name);
  }
  return tensor_of(object);
}

/// Puts what a hook returned in the place of the gradients: None keeps them.
void replace(PyObject* function, TensorList& grads, PyObject* returned) {
  if (returned == Py_None) return;
  if (!PyTuple_Check(returned)) {
    throw_python(PyExc_TypeError, "expected tuple, but hook returned '%s'", Py_TYPE(returned)->tp_name);
  }
  const auto count = static_cast<size_t>(PyTuple_GET_SIZE(returned));
  check(count == grads.size(), "hook '", name_of(function),
        "' has returned an incorrect number of values (got ", count, ", but expected ", grads.size(), ")");
  TensorList replaced;
  for (size_t i = 0; i < count; ++i) {
    Tensor one = tensor_or_none(PyTuple_GET_ITEM(returned, static_cast<Py_ssize_t>(i)));
    check_replacement(function, grads[i], one);
    replaced.push_back(std::move(one));
  }
  grads = std::move(replaced);
}

}  // namespace

Tensor PythonTensorHook::operator()(const Tensor& grad) const {
  const Upcall call;
  const Owned argument(wrap(grad));
  const Owned result(need(PyObject_CallOneArg(function.get(), argument.get())));
  Tensor replaced = tensor_or_none(result.get());
  check_replacement(function.get(), grad, replaced);
  return replaced;
}

void PythonAccumulateHook::operator()(const Tensor& leaf) const {
  const Upcall call;
  const Owned argument(wrap(leaf));
  const Owned result(need(PyObject_CallOneArg(function.get(), argument.get())));
}

void PythonNodePreHook::operator()(TensorList& grad_outputs) const {
  const Upcall call;
  const Owned outputs = tuple_of(grad_outputs);
  const Owned result(need(PyObject_CallOneArg(function.get(), outputs.get())));
  replace(function.get(), grad_outputs, result.get());
}

void PythonNodePostHook::operator()(TensorList& grad_inputs, const TensorList& grad_outputs) const {
  const Upcall call;
  const Owned inputs = tuple_of(grad_inputs);
  const Owned outputs = tuple_of(grad_outputs);
  const Owned result(
      need(PyObject_CallFunctionObjArgs(function.get(), inputs.get(), outputs.get(), nullptr)));
  replace(function.get(), grad_inputs, result.get());
}

}  // namespace onetape::python
