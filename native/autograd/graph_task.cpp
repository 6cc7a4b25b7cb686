#include "autograd/graph_task.h"

#include <algorithm>
#include <atomic>

#include "autograd/anomaly.h"
#include "autograd/forward.h"
#include "autograd/mode.h"
#include "autograd/node_hooks.h"
#include "autograd/reentry.h"
#include "autograd/sum.h"
#include "core/tls.h"
#include "ops.h"

namespace onetape {
namespace {

std::atomic<uint32_t> g_last_run{0};

uint32_t next_run() {
  uint32_t id = ++g_last_run;
  return id != 0 ? id : ++g_last_run;  // 0 means free
}

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

}  // namespace

/// A thread's small runs use the same memory again.
struct GraphTask::Spare {
  std::vector<State> states;
  std::vector<Ready> ready;
  std::vector<uint32_t> stack;
};

namespace {

ONETAPE_HOT_TLS void* t_spare = nullptr;
constinit thread_local bool t_ended = false;

}  // namespace

GraphTask::Spare* GraphTask::make_spare() {
  struct Owner {
    Spare spare;
    Owner() { t_spare = &spare; }
    ~Owner() {
      t_spare = nullptr;
      t_ended = true;
    }
  };
  if (t_ended) return nullptr;
  thread_local Owner owner;
  return &owner.spare;
}

/// Null while the thread ends.
GraphTask::Spare* GraphTask::spare() { return t_spare ? static_cast<Spare*>(t_spare) : make_spare(); }

GraphTask::GraphTask(BackwardOptions options) : options_(options), id_(next_run()) {
  if (Spare* kept = spare()) {
    states_.swap(kept->states);
    ready_.swap(kept->ready);
    stack_.swap(kept->stack);
  }
}

GraphTask::~GraphTask() {
  for (State& state : states_) {
    const uint64_t claim = state.node->claim.load(std::memory_order_relaxed);
    if (claim >> 32 == id_) state.node->claim.store(0, std::memory_order_release);
  }
  if (states_.capacity() > kSpare) return;
  states_.clear();
  ready_.clear();
  if (Spare* kept = spare()) {
    states_.swap(kept->states);
    ready_.swap(kept->ready);
    stack_.swap(kept->stack);
  }
}

uint32_t GraphTask::find_state(Node* node) {
  if (elsewhere_) [[unlikely]] {
    if (const auto found = elsewhere_->find(node); found != elsewhere_->end()) return found->second;
  }
  const auto index = static_cast<uint32_t>(states_.size());
  State& state = states_.emplace_back();
  state.node = node;
  uint64_t expected = 0;
  if (!node->claim.compare_exchange_strong(expected, (uint64_t{id_} << 32) | index,
                                           std::memory_order_acq_rel)) [[unlikely]] {
    if (!elsewhere_) elsewhere_ = std::make_unique<std::unordered_map<Node*, uint32_t>>();
    elsewhere_->emplace(node, index);
  }
  return index;
}

void GraphTask::add_root(Edge edge, Tensor gradient) {
  const uint32_t index = state_of(edge.node.get());
  State& state = states_[index];
  if (state.grads.empty()) {
    state.grads.resize(edge.node->outputs());
    roots_.push_back(index);
    held_.push_back(std::move(edge.node));
  }
  add_into(state.grads[edge.input], std::move(gradient));
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

void GraphTask::push_ready(uint32_t index) {
  // Most graphs are nearly chains: the largest entry stays outside the heap.
  Ready entry{states_[index].node->sequence(), index};
  if (!any_ready_) {
    any_ready_ = true;
    first_ = entry;
    return;
  }
  if (first_ < entry) std::swap(entry, first_);
  ready_.push_back(entry);
  std::push_heap(ready_.begin(), ready_.end());
}

uint32_t GraphTask::pop_ready() {
  const uint32_t index = first_.state;
  any_ready_ = !ready_.empty();
  if (any_ready_) {
    std::pop_heap(ready_.begin(), ready_.end());
    first_ = ready_.back();
    ready_.pop_back();
  }
  return index;
}

GraphTask* GraphTask::current() { return t_current; }

bool GraphTask::executes(Node* node) const {
  const uint64_t claim = node->claim.load(std::memory_order_acquire);
  uint32_t index = static_cast<uint32_t>(claim);
  if (claim >> 32 != id_) {
    if (!elsewhere_) return false;
    const auto found = elsewhere_->find(node);
    if (found == elsewhere_->end()) return false;
    index = found->second;
  }
  return !selective_ || states_[index].needed;
}

void GraphTask::run() {
  run_nested([this] { run_here(); });
}

void GraphTask::run_here() {
  GraphTask* const outer = std::exchange(t_current, this);
  const OnExit restore([outer] { t_current = outer; });
  count_dependencies();
  if (selective_) mark_needed();
  watched_ = anomaly_mode();
  const GradModeGuard mode(options_.create_graph);
  for (const uint32_t root : roots_) {
    if (states_[root].waiting == 0) push_ready(root);
  }
  while (any_ready_) evaluate(pop_ready());
}

bool GraphTask::wanted(const State& state) {
  if (state.asked) return true;
  // A node that is only captured, and leads nowhere else that is needed, does not run.
  for (const Edge& edge : state.node->edges()) {
    if (edge.node && states_[state_of(edge.node.get())].needed) return true;
  }
  return false;
}

TensorList GraphTask::apply(State& state) {
  Node& node = *state.node;
  if (node.extra_or_null() && !node.extra_or_null()->post_hooks.empty()) [[unlikely]]
    return apply_hooked(state);
  return options_.retain_graph ? node.apply(std::move(state.grads)) : node.apply_last(std::move(state.grads));
}

TensorList GraphTask::apply_hooked(State& state) {
  Node& node = *state.node;
  const TensorList kept = state.grads;
  TensorList result =
      options_.retain_graph ? node.apply(std::move(state.grads)) : node.apply_last(std::move(state.grads));
  run_post_hooks(node, result, kept);
  return result;
}

void GraphTask::capture_gradients(uint32_t index) {
  for (const Capture& one : captures_) {
    if (one.state == index) captured_[one.place] = states_[index].grads[one.output];
  }
}

/// What the node makes of its gradients; nothing if there are none or nobody wants it.
TensorList GraphTask::results(uint32_t index) {
  State& state = states_[index];
  if (!any_defined(state.grads) || !state.needed) return {};
  Node& node = *state.node;
  const bool runs = !selective_ || wanted(state);
  // As in PyTorch, a gradient that is asked for is the one before hooks where the node runs as well.
  if (state.captured && runs) capture_gradients(index);
  if (may_have_hooks(node)) run_tensor_hooks(node, state.grads);
  if (state.captured && !runs) capture_gradients(index);
  if (!runs) return {};
  if (node.extra_or_null()) [[unlikely]]
    run_pre_hooks(node, state.grads);
  if (!any_defined(state.grads)) return {};  // a hook took them away
  return apply(state);
}

TensorList GraphTask::watched_results(uint32_t index) {
  Node& node = *states_[index].node;
  const ParentNode parent(node);
  try {
    TensorList made = results(index);
    if (anomaly_check_nan()) check_for_nan(node, made);
    return made;
  } catch (...) {
    throw_explained(node);
  }
}

void GraphTask::send(const Edge& edge, Tensor&& grad) {
  const uint32_t next = state_of(edge.node.get());
  State& state = states_[next];
  if (grad.defined()) {
    if (state.grads.empty()) state.grads.resize(edge.node->outputs());
    add_into(state.grads[edge.input], std::move(grad));
  }
  if (--state.waiting > 0 || state.done) return;
  if (edge.node->sequence() < Node::kFirst) {
    push_ready(next);
    return;
  }
  // A leaf: it would be the next to run anyway, and sends nothing on.
  state.done = true;
  if (watched_) [[unlikely]] {
    watched_results(next);
  } else {
    results(next);
  }
  states_[next].grads.clear();
}

void GraphTask::evaluate(uint32_t index) {
  states_[index].done = true;
  TensorList result = watched_ ? watched_results(index) : results(index);
  states_[index].grads.clear();
  Node& node = *states_[index].node;
  const auto edges = node.edges();
  if (!result.empty() && result.size() < edges.size()) [[unlikely]] {
    fail(ErrorKind::Runtime, node.name(), " returned ", result.size(), " gradients, expected ", edges.size());
  }
  for (size_t i = 0; i < edges.size(); ++i) {
    if (edges[i].node) send(edges[i], result.empty() ? Tensor() : std::move(result[i]));
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
