#include "python/graph_cycles.h"

#include <atomic>
#include <unordered_map>
#include <vector>

#include "autograd/accumulate.h"
#include "autograd/saved_tensor.h"
#include "python/callable.h"
#include "python/errors.h"
#include "python/function_node.h"
#include "python/saved_hooks.h"

namespace onetape::python {
namespace {

/// In collections of the youngest objects longer graphs are not followed: they are frequent, and would walk a
/// long chain that is being recorded again and again.
constexpr int kNodesFollowed = 64;

std::atomic<int64_t> g_attachments{0};
bool g_young_only = false;  // guarded by the GIL

template <typename Hook, typename F>
int visit_hook(const std::function<F>& hook, visitproc visit, void* arg) {
  const Hook* python = hook.template target<Hook>();
  if (python && python->function.alone()) Py_VISIT(python->function.get());
  return 0;
}

/// A walk from one tensor over what it alone keeps alive: a node or tensor counts as soon as all references
/// to it were met on the way. Nothing of that can change meanwhile, since it is reachable only through this
/// tensor, whose owner, the Python object, needs the GIL.
class Walk {
 public:
  Walk(visitproc visit, void* arg) : visit_(visit), arg_(arg) {}

  int run(const Tensor& root) {
    enter(root);
    for (int followed = 0; !todo_.empty() && !stop_; ++followed) {
      if (g_young_only && followed == kNodesFollowed) break;
      Node* node = todo_.back();
      todo_.pop_back();
      look_at(*node);
    }
    return stop_;
  }

 private:
  /// Another reference to something with so many in all: is it the last one?
  bool last_of(const void* object, uint32_t references) {
    if (references == 1) return true;
    return ++met_[object] == references;
  }

  void show(PyObject* object) {
    if (!stop_ && object) stop_ = visit_(object, arg_);
  }
  template <typename Hook, typename List>
  void show_hooks(const List& list) {
    if (!stop_) stop_ = list.visit([this](const auto& hook) { return visit_hook<Hook>(hook, visit_, arg_); });
  }

  void meet(const Ref<Node>& node) {
    if (node && last_of(node.get(), node->use_count())) todo_.push_back(node.get());
  }
  void meet(const Tensor& tensor) {
    if (!tensor.defined()) return;
    TensorImpl* impl = tensor.impl();
    if (!last_of(impl, impl->use_count())) return;
    if (impl->object_owned.load()) show(static_cast<PyObject*>(impl->object.load()));
    enter(tensor);
  }

  void enter(const Tensor& tensor) {
    const AutogradMeta* m = meta_or_null(tensor);
    if (!m) return;
    meet(m->grad);
    if (m->view) meet(m->view->base);
    if (m->extra) {
      show_hooks<PythonTensorHook>(m->extra->leaf_hooks);
      show_hooks<PythonAccumulateHook>(m->extra->post_accumulate_hooks);
    }
    if (g_attachments.load(std::memory_order_relaxed) > 0) meet(m->grad_fn);
  }

  void look_at(Node& node) {
    show(dynamic_cast<PythonFunctionNode*>(&node) ? static_cast<PyObject*>(node.face_object()) : nullptr);
    if (const NodeExtra* extra = node.extra_or_null()) {
      if (!stop_) {
        stop_ = extra->tensor_hooks.visit([this](const OutputHook& entry) {
          return visit_hook<PythonTensorHook>(entry.hook, visit_, arg_);
        });
      }
      show_hooks<PythonNodePreHook>(extra->pre_hooks);
      show_hooks<PythonNodePostHook>(extra->post_hooks);
      if (extra->metadata) show(static_cast<const Held*>(extra->metadata.get())->get());
    }
    node.visit_saved([this](const SavedTensor& saved) {
      meet(saved.raw());
      const PackedTensor* packed = saved.packed();
      if (!packed || packed->use_count() != 1) return;
      if (dynamic_cast<const PythonPackedTensor*>(packed))
        show(static_cast<PyObject*>(packed->face_object()));
      meet(packed->history.node);
    });
    if (node.sequence() == Node::kFirst) meet(static_cast<const AccumulateGrad&>(node).variable());
    for (const Edge& edge : node.edges()) meet(edge.node);
  }

  visitproc visit_;
  void* arg_;
  int stop_ = 0;
  std::vector<Node*> todo_;
  std::unordered_map<const void*, uint32_t> met_;  // references met to what has several
};

/// gc.callbacks: notes which generation is looked at.
PyObject* collector_starts(PyObject*, PyObject* arguments) {
  PyObject* phase = nullptr;
  PyObject* info = nullptr;
  if (!PyArg_ParseTuple(arguments, "OO", &phase, &info)) return nullptr;
  PyObject* generation = PyDict_Check(info) ? PyDict_GetItemString(info, "generation") : nullptr;
  const bool starts = PyUnicode_Check(phase) && PyUnicode_CompareWithASCIIString(phase, "start") == 0;
  g_young_only = starts && generation && PyLong_Check(generation) && PyLong_AsLong(generation) == 0;
  Py_RETURN_NONE;
}

PyMethodDef collector_method = {"_collector_starts", collector_starts, METH_VARARGS, "For gc.callbacks."};

}  // namespace

int visit_graph(const Tensor& tensor, visitproc visit, void* arg) {
  if (tensor.impl()->use_count() != 1 || !meta_or_null(tensor)) return 0;
  return Walk(visit, arg).run(tensor);
}

void count_attachment(int change) { g_attachments.fetch_add(change, std::memory_order_relaxed); }

void watch_collector() {
  const Owned gc(need(PyImport_ImportModule("gc")));
  const Owned callbacks(need(PyObject_GetAttrString(gc.get(), "callbacks")));
  const Owned function(need(PyCFunction_New(&collector_method, nullptr)));
  need(PyList_Append(callbacks.get(), function.get()));
}

}  // namespace onetape::python
