#include "autograd/graph_task.h"

#include "autograd/accumulate.h"
#include "autograd/anomaly.h"
#include "autograd/forward.h"
#include "autograd/gradient_watcher.h"
#include "autograd/mode.h"
#include "autograd/node_hooks.h"
#include "autograd/reentry.h"
#include "autograd/sum.h"
#include "core/backend.h"
#include "core/geometry_lock.h"
#include "core/tls.h"
#include "ops.h"
#include "profiler/span_watcher.h"

namespace onetape {
namespace {

ONETAPE_HOT_TLS GraphTask* t_current = nullptr;

/// Calls a function at the end of a scope.
template <typename F>
class OnExit {
 public:
  explicit OnExit(F f) : f_(std::move(f)) {}
  ~OnExit() { f_(); }
  OnExit(const OnExit&) = delete;
  OnExit& operator=(const OnExit&) = delete;

 private:
  F f_;
};

bool any_defined(const TensorList& grads) {
  for (const Tensor& grad : grads) {
    if (grad.defined()) return true;
  }
  return false;
}

DeviceType device_of(const TensorList& grads) {
  for (const Tensor& grad : grads) {
    if (grad.defined()) return grad.device().type;
  }
  return thread_modes.device;
}

}  // namespace

void GraphTask::add_root(Edge edge, Tensor gradient) {
  const uint32_t index = state_of(edge.node.get());
  State& state = states_[index];
  if (!state.root) {
    state.root = true;
    roots_.push_back(index);
    held_.push_back(std::move(edge.node));
  }
  add_into(sum_of(state, edge.input), std::move(gradient));
}

size_t GraphTask::capture(const Edge& edge) {
  selective_ = true;
  const size_t place = captured_.size();
  captured_.emplace_back();
  if (!edge.node) return place;  // no gradient flows there
  held_.push_back(edge.node);
  const uint32_t index = state_of(edge.node.get());
  states_[index].captured = true;
  captures_.push_back({index, edge.input, place});
  return place;
}

void GraphTask::require(const Edge& edge) {
  selective_ = true;
  if (!edge.node) return;
  held_.push_back(edge.node);
  states_[state_of(edge.node.get())].asked = true;
}

void GraphTask::count_dependencies() {
  stack_.assign(roots_.begin(), roots_.end());
  for (const uint32_t root : roots_) states_[root].seen = true;
  while (!stack_.empty()) {
    const uint32_t index = stack_.back();
    stack_.pop_back();
    Node& node = *states_[index].node;
    for (const Edge& edge : node.edges()) {
      if (!edge.node) continue;
      const uint32_t next = state_of(edge.node.get());
      State& state = states_[next];
      ++state.waiting;
      if (!state.seen) {
        state.seen = true;
        stack_.push_back(next);
      }
    }
  }
}

void GraphTask::mark_needed() {
  // A node is needed if it was asked for, or if one of its edges leads to a needed node. Depth first with a
  // list instead of recursion; a node's answer is known once all its edges were followed.
  std::vector<uint8_t> entered(states_.size(), 0);
  std::vector<std::pair<uint32_t, uint32_t>> stack;
  for (State& state : states_) state.needed = state.asked || state.captured;
  for (const uint32_t root : roots_) {
    if (entered[root]) continue;
    entered[root] = 1;
    stack.emplace_back(root, 0);
    while (!stack.empty()) {
      auto& [index, at] = stack.back();
      const auto edges = states_[index].node->edges();
      if (at == edges.size()) {
        const bool needed = states_[index].needed;
        stack.pop_back();
        if (needed && !stack.empty()) states_[stack.back().first].needed = true;
        continue;
      }
      const Edge& edge = edges[at++];
      if (!edge.node) continue;
      const uint32_t next = state_of(edge.node.get());
      if (entered[next]) {
        if (states_[next].needed) states_[index].needed = true;
      } else {
        entered[next] = 1;
        stack.emplace_back(next, 0);
      }
    }
  }
}

GraphTask* GraphTask::current() { return t_current; }

void GraphTask::run() {
  run_nested([this] { run_here(); });
}

void GraphTask::run_here() {
  if (thread_modes.watcher) [[unlikely]]
    thread_modes.watcher->backward_begins();
  GraphTask* const outer = std::exchange(t_current, this);
  const OnExit restore([outer] { t_current = outer; });
  count_dependencies();
  if (selective_) mark_needed();
  anomaly_ = anomaly_mode();
  watched_ = anomaly_ || profiler::t_spans;
  plain_ = !selective_ && !watched_;
  const GradModeGuard mode(options_.create_graph);
  for (const uint32_t root : roots_) {
    if (states_[root].waiting == 0) push_ready(root);
  }
  while (!ready_.empty()) {
    let_geometry_change();
    evaluate(ready_.pop());
  }
}

bool GraphTask::wanted(const State& state) {
  if (state.asked) return true;
  // A node that is only captured, and leads nowhere else that is needed, does not run.
  for (const Edge& edge : state.node->edges()) {
    if (edge.node && states_[state_of(edge.node.get())].needed) return true;
  }
  return false;
}

/// On the device of the gradients. While a tape is recorded, the node keeps what it has saved, since the tape
/// may run its gradient function again.
TensorList GraphTask::apply_watched(Node& node, TensorList&& grads) const {
  const DeviceScope scope(device_of(grads));
  if (!thread_modes.watcher || thread_modes.watcher == &profiler::span_watcher())
    return apply_alone(node, std::move(grads));
  auto& watcher = static_cast<GradientWatcher&>(*thread_modes.watcher);
  watcher.gradient_begins(node, {grads.data(), grads.size()});
  try {
    TensorList result = node.apply(std::move(grads));
    watcher.gradient_ends({result.data(), result.size()});
    return result;
  } catch (...) {
    watcher.gradient_fails();
    throw;
  }
}

TensorList GraphTask::apply_hooked(Node& node, TensorList&& grads) const {
  if (node.extra_or_null()->post_hooks.empty()) return apply(node, std::move(grads));
  TensorList kept;  // under names that hooks alone know
  for (const Tensor& grad : grads) kept.push_back(grad.defined() ? another_name(grad) : Tensor());
  TensorList result = apply(node, std::move(grads));
  run_post_hooks(node, result, kept);
  return result;
}

void GraphTask::capture_gradients(const State& state, const TensorList& grads) {
  for (const Capture& one : captures_) {
    if (&states_[one.state] == &state) captured_[one.place] = grads[one.output];
  }
}

TensorList GraphTask::take_sums(State& state) {
  TensorList grads;
  grads.push_back(std::move(state.grad));
  const uint32_t outputs = state.node->outputs();
  for (uint32_t i = 1; i < outputs; ++i) grads.push_back(std::move(sum_of(state, i)));
  return grads;
}

/// What the node makes of its gradients; nothing if there are none or nobody wants it.
TensorList GraphTask::results(State& state) {
  if (plain_ && state.node->outputs() == 1 && !may_have_hooks(*state.node)) [[likely]] {
    if (!state.grad.defined()) return {};
    TensorList grad;
    grad.push_back(std::move(state.grad));
    return apply(*state.node, std::move(grad));
  }
  TensorList grads = take_sums(state);
  if (!any_defined(grads) || !state.needed) return {};
  if (selective_ || may_have_hooks(*state.node)) [[unlikely]]
    return observed_results(state, std::move(grads));
  return apply(*state.node, std::move(grads));
}

/// The same where gradients may be asked for or seen by hooks.
TensorList GraphTask::observed_results(State& state, TensorList&& grads) {
  Node& node = *state.node;
  const bool runs = !selective_ || wanted(state);
  // As in PyTorch, a gradient that is asked for is the one before hooks where the node runs as well.
  if (state.captured && runs) capture_gradients(state, grads);
  if (may_have_hooks(node)) run_tensor_hooks(node, grads);
  if (state.captured && !runs) capture_gradients(state, grads);
  if (!runs) return {};
  if (!node.extra_or_null()) return apply(node, std::move(grads));
  run_pre_hooks(node, grads);
  if (!any_defined(grads)) return {};  // a hook took them away
  return apply_hooked(node, std::move(grads));
}

TensorList GraphTask::watched_results(State& state) {
  Node& node = *state.node;
  const profiler::Span span(node);
  if (span.wants_shapes()) {
    for (uint32_t i = 0; i < node.outputs(); ++i) span.note(sum_of(state, i));
  }
  if (!anomaly_) return results(state);
  const ParentNode parent(node);
  try {
    TensorList made = results(state);
    if (anomaly_check_nan()) check_for_nan(node, made);
    return made;
  } catch (...) {
    throw_explained(node);
  }
}

void GraphTask::send(const Edge& edge, Tensor&& grad) {
  const uint32_t next = state_of(edge.node.get());
  State& state = states_[next];
  if (edge.node->sequence() == Node::kFirst) {
    send_to_leaf(state, std::move(grad));
    return;
  }
  if (grad.defined()) add_into(sum_of(state, edge.input), std::move(grad));
  if (--state.waiting == 0 && !state.done) push_ready(next);
}

/// A leaf's node would be the next to run anyway, and sends nothing on.
void GraphTask::send_to_leaf(State& state, Tensor&& grad) {
  const bool ready = --state.waiting == 0 && !state.done;
  if (ready && plain_ && !state.grad.defined()) {
    state.done = true;
    if (!grad.defined() || static_cast<AccumulateGrad*>(state.node)->add_unobserved(grad)) return;
  }
  if (grad.defined()) add_into(state.grad, std::move(grad));
  if (!ready) return;
  state.done = true;
  if (watched_) [[unlikely]] {
    watched_results(state);
  } else {
    results(state);
  }
}

void GraphTask::evaluate(uint32_t index) {
  State& state = states_[index];
  state.done = true;
  TensorList result = watched_ ? watched_results(state) : results(state);
  const auto edges = state.node->edges();
  if (result.empty()) {
    for (const Edge& edge : edges) {
      if (edge.node) send(edge, Tensor());
    }
    return;
  }
  if (result.size() < edges.size()) [[unlikely]] {
    fail(ErrorKind::Runtime, state.node->name(), " returned ", result.size(), " gradients, expected ",
         edges.size());
  }
  for (size_t i = 0; i < edges.size(); ++i) {
    if (edges[i].node) send(edges[i], std::move(result[i]));
  }
}

void GraphTask::add_into(Tensor& sum, Tensor&& grad) {
  if (!sum.defined()) {
    sum = std::move(grad);
    return;
  }
  // Sums nobody else can see are added to in place.
  const bool own = !options_.create_graph && !dual_active() && sum.impl()->use_count() == 1 &&
                   sum.impl()->storage()->use_count() == 1 && !sum.requires_grad() && sum.is_contiguous();
  if (own && same(sum.sizes(), grad.sizes()) && sum.dtype() == grad.dtype()) {
    add_gradient(sum, grad);
  } else {
    sum = ops::add(sum, grad);
  }
}

}  // namespace onetape
