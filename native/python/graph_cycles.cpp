#include "python/graph_cycles.h"

#include "autograd/meta.h"
#include "python/callable.h"
#include "python/function_node.h"

namespace onetape::python {
namespace {

/// Longer paths through nodes of the engine are not followed: the collector would walk a long chain again and
/// again.
constexpr int kNodesFollowed = 64;

template <typename Hook, typename F>
int visit_hook(const std::function<F>& hook, visitproc visit, void* arg) {
  const Hook* python = hook.template target<Hook>();
  if (python && python->function.alone()) Py_VISIT(python->function.get());
  return 0;
}

int visit_node(Node& node, visitproc visit, void* arg) {
  if (const auto* function = dynamic_cast<const PythonFunctionNode*>(&node)) Py_VISIT(function->context());
  const NodeExtra* extra = node.extra_or_null();
  if (!extra) return 0;
  for (const auto& entry : extra->tensor_hooks) {
    if (const int stop = visit_hook<PythonTensorHook>(entry.hook, visit, arg)) return stop;
  }
  return 0;
}

}  // namespace

// No reference can be added while this runs: what it follows is reachable only through this tensor, whose
// owner, the Python object, needs the GIL.
int visit_graph(const Tensor& tensor, visitproc visit, void* arg) {
  if (tensor.impl()->use_count() != 1) return 0;
  AutogradMeta* m = meta_or_null(tensor);
  if (!m) return 0;
  if (m->grad.defined() && m->grad.impl()->use_count() == 1 && m->grad.impl()->object_owned.load()) {
    Py_VISIT(static_cast<PyObject*>(m->grad.impl()->object.load()));
  }
  if (m->extra) {
    for (const auto& [id, hook] : m->extra->leaf_hooks.hooks) {
      if (const int stop = visit_hook<PythonTensorHook>(hook, visit, arg)) return stop;
    }
    for (const auto& [id, hook] : m->extra->post_accumulate_hooks.hooks) {
      if (const int stop = visit_hook<PythonAccumulateHook>(hook, visit, arg)) return stop;
    }
  }
  InlineVector<Node*, 8> todo;
  if (m->grad_fn) todo.push_back(m->grad_fn.get());
  for (int followed = 0; followed < kNodesFollowed && !todo.empty(); ++followed) {
    Node* node = todo.back();
    todo.resize(todo.size() - 1);
    if (node->use_count() != 1) continue;
    if (const int stop = visit_node(*node, visit, arg)) return stop;
    for (const Edge& edge : node->edges()) {
      if (edge.node) todo.push_back(edge.node.get());
    }
  }
  return 0;
}

}  // namespace onetape::python
