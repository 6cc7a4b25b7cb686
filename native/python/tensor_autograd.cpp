#include "autograd/engine.h"
#include "autograd/meta.h"
#include "python/generated.h"
#include "python/node_hooks.h"
#include "python/tensor_type.h"

namespace onetape::python {
namespace {

// ---- backward ----

constexpr Parameter backward_parameters[] = {
    {"input", Kind::Tensor},
    {.name = "gradient", .kind = Kind::Anything, .fallback = "None", .takes_none = true},
    {.name = "retain_graph", .kind = Kind::Bool, .fallback = "None", .takes_none = true},
    {.name = "create_graph", .kind = Kind::Bool, .fallback = "False"},
    {.name = "inputs", .kind = Kind::Tensors, .fallback = "None", .takes_none = true},
};
constexpr Parameter backward_one_input[] = {
    {"input", Kind::Tensor},
    {.name = "gradient", .kind = Kind::Anything, .fallback = "None", .takes_none = true},
    {.name = "retain_graph", .kind = Kind::Bool, .fallback = "None", .takes_none = true},
    {.name = "create_graph", .kind = Kind::Bool, .fallback = "False"},
    {.name = "inputs", .kind = Kind::Tensor, .fallback = "None"},
};
constexpr Signature backward_signatures[] = {{backward_parameters}, {backward_one_input}};
constexpr Parser backward_parser = {"backward", backward_signatures, true};

PyObject* run_backward(const Arguments& call, std::span<const Tensor> inputs) {
  const Tensor& self = call.tensor(0);
  if (call.has(1) && !is_tensor(call.object(1))) {
    throw_python(PyExc_TypeError, "gradients can be either Tensors or None, but got %s",
                 Py_TYPE(call.object(1))->tp_name);
  }
  const Tensor& gradient = call.tensor_or_none(1);
  const bool create_graph = call.has(3) && call.boolean(3);
  const bool retain_graph = call.has(2) ? call.boolean(2) : create_graph;
  {
    const ReleaseGil gil;
    backward(std::span(&self, 1), std::span(&gradient, 1),
             {.retain_graph = retain_graph, .create_graph = create_graph}, inputs);
  }
  Py_RETURN_NONE;
}

PyObject* backward_call(const Arguments& call) {
  const std::vector<Tensor> inputs = call.has(4) ? call.tensors(4) : std::vector<Tensor>();
  check(!call.has(4) || !inputs.empty(), "`inputs` argument to `backward()` cannot be empty.");
  return run_backward(call, inputs);
}

PyObject* backward_one_call(const Arguments& call) {
  return run_backward(call, std::span(&call.tensor(4), 1));
}

// ---- requires_grad and history ----

constexpr Parameter requires_grad_parameters[] = {
    {"input", Kind::Tensor},
    {.name = "requires_grad", .kind = Kind::Bool, .fallback = "True"},
};
constexpr Signature requires_grad_signatures[] = {{requires_grad_parameters}};
constexpr Parser requires_grad_parser = {"requires_grad_", requires_grad_signatures, true};

PyObject* requires_grad_call(const Arguments& call) {
  const bool wanted = !call.has(1) || call.boolean(1);
  check(!wanted || is_differentiable(call.tensor(0).dtype()),
        "only Tensors of floating point dtype can require gradients");
  set_requires_grad(call.tensor(0), wanted);
  return Py_NewRef(call.object(0));
}

PyObject* detach_method(PyObject* self, PyObject*) {
  return guarded([&] { return wrap(detach(tensor_of(self))); });
}

PyObject* detach_in_place(PyObject* self, PyObject*) {
  return guarded([&] {
    const Tensor& t = tensor_of(self);
    forget_history(t);
    return Py_NewRef(self);
  });
}

PyObject* retain_grad_method(PyObject* self, PyObject*) {
  return guarded([&] {
    retain_grad(tensor_of(self));
    return Py_NewRef(Py_None);
  });
}

PyObject* is_view_method(PyObject* self, PyObject*) {
  return guarded([&] { return PyBool_FromLong(is_view(tensor_of(self))); });
}

// ---- hooks ----

PyObject* register_hook_method(PyObject* self, PyObject* function) {
  return guarded([&] { return register_tensor_hook(tensor_of(self), function); });
}

PyObject* register_post_accumulate(PyObject* self, PyObject* function) {
  return guarded([&] { return register_accumulate_hook(tensor_of(self), function); });
}

}  // namespace

PyMethodDef autograd_methods[] = {
    method_entry("backward", entry<backward_parser, backward_call, backward_one_call>,
                 "backward($self, gradient=None, retain_graph=None, create_graph=False, inputs=None)\n--\n\n"
                 "Computes the gradients of this tensor and adds them to .grad of the leaves it was made "
                 "from, or of inputs.\n"
                 "    gradient: what to multiply with; may be left out for a tensor of one element\n"
                 "    retain_graph: keep what another backward() through the same graph needs\n"
                 "    create_graph: record this computation too, for derivatives of higher order\n"
                 "    inputs: the tensors whose .grad is wanted; all leaves if None\n"
                 "Raises RuntimeError: the tensor has no history, has several elements and gradient is None, "
                 "or the graph was "
                 "freed by an earlier call."),
    method_entry(
        "requires_grad_", entry<requires_grad_parser, requires_grad_call>,
        "requires_grad_($self, requires_grad=True)\n--\n\nSets whether gradients of this tensor are wanted; "
        "returns it.\n"
        "Raises RuntimeError: the dtype is not a floating or complex one, or the tensor is not a leaf."),
    {"detach", detach_method, METH_NOARGS,
     "detach($self, /)\n--\n\nThe same elements without a history: changes of one show in the other."},
    {"detach_", detach_in_place, METH_NOARGS,
     "detach_($self, /)\n--\n\nTakes the tensor out of its graph, which makes it a leaf; returns it."},
    {"retain_grad", retain_grad_method, METH_NOARGS,
     "retain_grad($self, /)\n--\n\nLets backward() keep the gradient of this non-leaf tensor in .grad."},
    {"_is_view", is_view_method, METH_NOARGS,
     "_is_view($self, /)\n--\n\nIs the tensor a view of another one?"},
    {"register_hook", register_hook_method, METH_O,
     "register_hook($self, hook, /)\n--\n\nCalls hook(grad) whenever a gradient of this tensor is computed; "
     "a tensor that it "
     "returns is used instead. Returns a handle whose remove() ends it."},
    {"register_post_accumulate_grad_hook", register_post_accumulate, METH_O,
     "register_post_accumulate_grad_hook($self, hook, /)\n--\n\nCalls hook(tensor) after a gradient was "
     "added to this leaf's "
     ".grad. Returns a handle whose remove() ends it."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace onetape::python
