#include "autograd/forward.h"
#include "autograd/meta.h"
#include "ops.h"
#include "python/forward_functions.h"
#include "python/generated.h"

namespace onetape::python {
namespace {

bool among(PyObject* tuple, PyObject* object) {
  for (Py_ssize_t i = 0; tuple && i < PyTuple_GET_SIZE(tuple); ++i) {
    if (PyTuple_GET_ITEM(tuple, i) == object) return true;
  }
  return false;
}

bool can_have_tangent(PyObject* object) {
  return is_tensor(object) && is_differentiable(tensor_of(object).dtype());
}

/// Is the tensor a view, or another name, of memory of the other?
bool shows(const Tensor& view, const Tensor& other) {
  return other.defined() && view.impl()->storage() == other.impl()->storage() &&
         (is_view(view) || !view.is(other));
}

}  // namespace

FunctionTangents::FunctionTangents(PyObject* args) : args_(args) {
  if (dual_level() < 0 || !forward_enabled()) return;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) {
    PyObject* arg = PyTuple_GET_ITEM(args, i);
    tangents_.push_back(is_tensor(arg) ? tangent_of(tensor_of(arg)) : Tensor());
    any_ = any_ || tangents_.back().defined();
  }
}

Owned FunctionTangents::call(PyObject* cls, ContextObject* ctx) const {
  Owned arguments(need(PyTuple_New(PyTuple_GET_SIZE(args_) + 1)));
  PyTuple_SET_ITEM(arguments.get(), 0, Py_NewRef(reinterpret_cast<PyObject*>(ctx)));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args_); ++i) {
    PyObject* arg = PyTuple_GET_ITEM(args_, i);
    Tensor tangent = tangents_[static_cast<size_t>(i)];
    if (!tangent.defined() && ctx->materialize_grads && can_have_tangent(arg))
      tangent = ops::zeros_like(tensor_of(arg));
    PyTuple_SET_ITEM(arguments.get(), i + 1, tangent.defined() ? wrap(tangent) : Py_NewRef(Py_None));
  }
  const Owned function(need(PyObject_GetAttrString(cls, "jvp")));
  const Owned returned(need(PyObject_Call(function.get(), arguments.get(), nullptr)));
  return PyTuple_Check(returned.get()) ? returned : Owned(need(PyTuple_Pack(1, returned.get())));
}

Py_ssize_t FunctionTangents::argument_of(PyObject* object) const {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args_); ++i) {
    if (PyTuple_GET_ITEM(args_, i) == object) return i;
  }
  return -1;
}

void FunctionTangents::give(ContextObject* ctx, PyObject* raw, PyObject* outputs, PyObject* tangents,
                            Py_ssize_t i) const {
  PyObject* given = PyTuple_GET_ITEM(tangents, i);
  PyObject* made = PyTuple_GET_ITEM(raw, i);
  if (given == Py_None) return;
  if (!is_tensor(given)) {
    throw_python(PyExc_RuntimeError, "expected Variable or None (got %s) for grad output %zd.",
                 Py_TYPE(given)->tp_name, i);
  }
  check(can_have_tangent(made) && !among(ctx->non_differentiable, made),
        "Function's jvp returned a gradient at position ", i,
        ", but  the corresponding forward output is not a differentiable Tensor."
        "You should return None at that position instead.");
  const Tensor& tangent = tensor_of(given);
  const Tensor& output = tensor_of(PyTuple_GET_ITEM(outputs, i));
  const Py_ssize_t argument = argument_of(made);
  const Tensor before = argument < 0 ? Tensor() : tangents_[static_cast<size_t>(argument)];
  if (among(ctx->dirty, made)) {
    check(
        !before.defined() || tangent.is(before),
        "An inplace custom Function is not modifying the forward mode gradients inplace. If the forward is "
        "modifying an input inplace, then the jvp function must modify the corresponding gradient inplace.");
    if (!before.defined()) set_tangent(output, tangent);
    return;
  }
  if (argument >= 0 || is_view(output)) {
    bool viewed = argument >= 0 ? shows(tangent, before) : is_view(tangent);
    check(
        viewed,
        "A custom Function's forward is returning a view (or an input as-is) but the jvp is not returning a "
        "view.");
  }
  give_tangent(output, tangent);
}

void FunctionTangents::finish(PyObject* cls, ContextObject* ctx, PyObject* raw, PyObject* outputs,
                              const Node* node) const {
  if (!any_) return;
  Owned tangents;
  {
    const ForwardModeGuard off(false);
    tangents = call(cls, ctx);
  }
  Py_CLEAR(ctx->saved_for_forward);
  const Py_ssize_t wanted = PyTuple_GET_SIZE(raw);
  const Py_ssize_t given = PyTuple_GET_SIZE(tangents.get());
  check(given == wanted, "Function's jvp returned an invalid number of forward gradients (expected ", wanted,
        " but got ", given, ")");
  for (Py_ssize_t i = 0; i < wanted; ++i) {
    give(ctx, raw, outputs, tangents.get(), i);
    PyObject* output = PyTuple_GET_ITEM(outputs, i);
    if (node && is_tensor(output)) share_tangent(tensor_of(output), node->saved());
  }
}

}  // namespace onetape::python
