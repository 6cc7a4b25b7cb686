#include "autograd/forward.h"
#include "autograd/meta.h"
#include "autograd/mode.h"
#include "ops.h"
#include "python/forward_functions.h"
#include "python/function_node.h"
#include "python/generated.h"

namespace onetape::python {
namespace {

bool among(PyObject* tuple, PyObject* object) {
  if (!tuple) return false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i) {
    if (PyTuple_GET_ITEM(tuple, i) == object) return true;
  }
  return false;
}

TensorInfo info_of(PyObject* object) {
  if (!is_tensor(object)) return {};
  const Tensor& t = tensor_of(object);
  return {.sizes = t.shape(), .dtype = t.dtype(), .is_tensor = true};
}

std::vector<TensorInfo> infos_of(PyObject* tuple) {
  std::vector<TensorInfo> infos;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i)
    infos.push_back(info_of(PyTuple_GET_ITEM(tuple, i)));
  return infos;
}

/// One application of a custom function.
class Application {
 public:
  Application(PyObject* cls, PyObject* args) : cls_(cls), args_(args) {}

  PyObject* run() {
    read_inputs();
    context_ = Owned(need(PyObject_CallMethod(cls_, "_backward_cls", nullptr)));
    auto* ctx = reinterpret_cast<ContextObject*>(context_.get());
    Py_XSETREF(ctx->needs_input_grad, needs_input_grad());
    const FunctionTangents tangents(args_);
    const Owned returned = call_forward();
    const bool single = !PyTuple_Check(returned.get());
    const Owned raw = single ? Owned(need(PyTuple_Pack(1, returned.get()))) : returned;
    check_dirty(raw.get());
    check_marked(ctx->non_differentiable);
    if (recording_) {
      auto node = make_node<PythonFunctionNode>(std::span<const Edge>(edges_), ctx, infos_of(args_),
                                                infos_of(raw.get()));
      node_ = Ref<Node>::adopt(node.take());
    }
    Owned outputs(need(PyTuple_New(PyTuple_GET_SIZE(raw.get()))));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(raw.get()); ++i) {
      PyTuple_SET_ITEM(outputs.get(), i, output(raw.get(), i));
    }
    if (node_) save(ctx);
    tangents.finish(cls_, ctx, raw.get(), outputs.get(), node_.get());
    Py_CLEAR(ctx->saved_for_forward);
    Py_CLEAR(ctx->to_save);
    Py_CLEAR(ctx->dirty);
    Py_CLEAR(ctx->non_differentiable);
    return single ? Py_NewRef(PyTuple_GET_ITEM(outputs.get(), 0)) : outputs.take();
  }

 private:
  void read_inputs() {
    bool any = false;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args_); ++i) {
      PyObject* arg = PyTuple_GET_ITEM(args_, i);
      if (!is_tensor(arg)) continue;
      edges_.push_back(gradient_edge(tensor_of(arg)));
      any = any || tensor_of(arg).requires_grad();
    }
    recording_ = any && grad_enabled();
  }

  PyObject* needs_input_grad() const {
    Owned flags(need(PyTuple_New(PyTuple_GET_SIZE(args_))));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args_); ++i) {
      PyObject* arg = PyTuple_GET_ITEM(args_, i);
      PyTuple_SET_ITEM(flags.get(), i, PyBool_FromLong(is_tensor(arg) && tensor_of(arg).requires_grad()));
    }
    return flags.take();
  }

  /// forward(ctx, *args), or forward(*args) and then setup_context(ctx, args, output).
  Owned call_forward() {
    const GradModeGuard mode(false);
    const ForwardModeGuard forward_mode(false);
    const Owned forward(need(PyObject_GetAttrString(cls_, "forward")));
    const Owned split(need(PyObject_GetAttrString(cls_, "_has_setup_context")));
    if (split.get() == Py_True) {
      Owned output(need(PyObject_Call(forward.get(), args_, nullptr)));
      const Owned done(
          need(PyObject_CallMethod(cls_, "setup_context", "OOO", context_.get(), args_, output.get())));
      return output;
    }
    const Owned first(need(PyTuple_Pack(1, context_.get())));
    const Owned all(need(PySequence_Concat(first.get(), args_)));
    return Owned(need(PyObject_Call(forward.get(), all.get(), nullptr)));
  }

  void check_dirty(PyObject* outputs) const {
    PyObject* dirty = reinterpret_cast<ContextObject*>(context_.get())->dirty;
    for (Py_ssize_t i = 0; dirty && i < PyTuple_GET_SIZE(dirty); ++i) {
      PyObject* one = PyTuple_GET_ITEM(dirty, i);
      if (!is_tensor(one)) {
        throw_python(PyExc_RuntimeError,
                     "mark_dirty can only accept variables, but argument %zd is of type %s", i,
                     Py_TYPE(one)->tp_name);
      }
      check(among(outputs, one),
            "Some elements marked as dirty during the forward method were not returned as output. The inputs "
            "that are modified "
            "inplace must all be outputs of the Function.");
      bump_version(tensor_of(one));
    }
  }

  static void check_marked(PyObject* marked) {
    for (Py_ssize_t i = 0; marked && i < PyTuple_GET_SIZE(marked); ++i) {
      PyObject* one = PyTuple_GET_ITEM(marked, i);
      if (is_tensor(one)) continue;
      throw_python(PyExc_RuntimeError, "mark_non_differentiable only accepts variable arguments, but got %s",
                   Py_TYPE(one)->tp_name);
    }
  }

  /// What the program gets for an output of forward. A new reference.
  PyObject* output(PyObject* raw, Py_ssize_t i) {
    PyObject* object = PyTuple_GET_ITEM(raw, i);
    if (!is_tensor(object)) return Py_NewRef(object);
    const Tensor& t = tensor_of(object);
    const auto* ctx = reinterpret_cast<ContextObject*>(context_.get());
    const bool is_input = among(args_, object);
    const bool modified = among(ctx->dirty, object);
    const bool differentiable =
        node_ && is_differentiable(t.dtype()) && !among(ctx->non_differentiable, object);
    if (is_input && !modified) {  // another name for the input, with the history of this function
      Tensor alias = detach(t);
      if (differentiable) {
        set_view(alias, t, view_origin(raw));
        set_history(alias, node_, static_cast<uint32_t>(i));
      }
      return wrap(alias);
    }
    if (!differentiable) return t.requires_grad() ? wrap(detach(t)) : Py_NewRef(object);
    if (modified) {
      change_history(t, raw, static_cast<uint32_t>(i));
    } else {
      if (is_view(t)) meta(t).view->origin = view_origin(raw);
      set_history(t, node_, static_cast<uint32_t>(i));
    }
    return Py_NewRef(object);
  }

  static ViewOrigin view_origin(PyObject* raw) {
    return PyTuple_GET_SIZE(raw) > 1 ? ViewOrigin::MultiOutput : ViewOrigin::CustomFunction;
  }

  void change_history(const Tensor& t, PyObject* raw, uint32_t i) {
    check(!(t.requires_grad() && is_leaf(t)),
          "a leaf Variable that requires grad has been used in an in-place operation.");
    if (!is_view(t)) {
      set_history(t, node_, i);
      return;
    }
    check(PyTuple_GET_SIZE(raw) == 1,
          "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot "
          "return more than "
          "one Tensor. This is not supported by the current autograd engine. You should either make sure the "
          "input is not a view "
          "(using .clone() for example) or make your Function only return one Tensor (potentially splitting "
          "it into two "
          "Functions: one doing the inplace that returns a single Tensor and a second one that does the "
          "other operations). You can ask on the forum https://discuss.pytorch.org/ if you need help to do "
          "this "
          "change.");
    rebase_history(t, node_);
  }

  void save(const ContextObject* ctx) {
    if (!ctx->to_save) return;
    std::vector<SavedTensor> saved;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(ctx->to_save); ++i) {
      PyObject* object = PyTuple_GET_ITEM(ctx->to_save, i);
      if (object == Py_None) {
        saved.emplace_back();
        continue;
      }
      if (!is_tensor(object)) {
        throw_python(PyExc_TypeError,
                     "save_for_backward can only save variables, but argument %zd is of type %s", i,
                     Py_TYPE(object)->tp_name);
      }
      const Tensor& t = tensor_of(object);
      const bool is_output = grad_fn(t) == node_;
      saved.push_back(is_output ? SavedTensor::of_output(t, meta(t).output) : SavedTensor(t));
    }
    ctx->node->save(std::move(saved));
  }

  PyObject* cls_;
  PyObject* args_;
  Owned context_;
  std::vector<Edge> edges_;
  Ref<Node> node_;
  bool recording_ = false;
};

}  // namespace

PyObject* apply_function(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  return guarded([&] {
    if (nargs != 2 || !PyTuple_Check(args[1]))
      throw_python(PyExc_TypeError, "_apply_function takes a class and a tuple");
    return Application(args[0], args[1]).run();
  });
}

}  // namespace onetape::python
