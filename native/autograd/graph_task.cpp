#include "autograd/graph_task.h"

#include <algorithm>
#include <atomic>

#include "autograd/mode.h"
#include "autograd/sum.h"
#include "ops.h"

namespace onetape {
namespace {

std::atomic<uint32_t> g_last_run{0};

uint32_t next_run() {
  uint32_t id = ++g_last_run;
  return id != 0 ? id : ++g_last_run;  // 0 means free
}

}  // namespace

/// A thread's small runs use the same memory again.
struct GraphTask::Spare {
  std::vector<State> states;
  std::vector<std::pair<uint64_t, uint32_t>> ready;
  std::vector<uint32_t> stack;
};
thread_local GraphTask::Spare GraphTask::t_spare;

GraphTask::GraphTask(BackwardOptions options) : options_(options), id_(next_run()) {
  states_.swap(t_spare.states);
  ready_.swap(t_spare.ready);
  stack_.swap(t_spare.stack);
}

GraphTask::~GraphTask() {
  for (State& state : states_) {
    const uint64_t claim = state.node->claim.load(std::memory_order_relaxed);
    if (claim >> 32 == id_) state.node->claim.store(0, std::memory_order_release);
  }
  if (states_.capacity() > kSpare) return;
  states_.clear();
  ready_.clear();
  states_.swap(t_spare.states);
  ready_.swap(t_spare.ready);
  stack_.swap(t_spare.stack);
}

uint32_t GraphTask::state_of(Node* node) {
  uint64_t claim = node->claim.load(std::memory_order_acquire);
  if (claim >> 32 == id_) return static_cast<uint32_t>(claim);
  if (!elsewhere_.empty()) {
    if (const auto found = elsewhere_.find(node); found != elsewhere_.end()) return found->second;
  }
  const auto index = static_cast<uint32_t>(states_.size());
  State& state = states_.emplace_back();
  state.node = node;
  uint64_t expected = 0;
  if (claim != 0 || !node->claim.compare_exchange_strong(expected, (uint64_t{id_} << 32) | index,
                                                         std::memory_order_acq_rel)) {
    elsewhere_.emplace(node, index);
  }
  return index;
}

void GraphTask::add_root(const Edge& edge, Tensor gradient) {
  const uint32_t index = state_of(edge.node.get());
  State& state = states_[index];
  if (state.grads.empty()) {
    state.grads.resize(edge.node->outputs());
    roots_.push_back(index);
    held_.push_back(edge.node);
  }
  add_into(state.grads[edge.input], std::move(gradient));
}

size_t GraphTask::capture(const Edge& edge) {
  selective_ = true;
  const size_t place = captured_.size();
  captured_.emplace_back();
  held_.push_back(edge.node);
  states_[state_of(edge.node.get())].captures.push_back({edge.input, place});
  return place;
}

void GraphTask::require(const Edge& edge) {
  selective_ = true;
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
      ++states_[next].waiting;
      if (!states_[next].seen) {
        states_[next].seen = true;
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
  for (State& state : states_) state.needed = state.asked || !state.captures.empty();
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
  std::pair<uint64_t, uint32_t> entry(states_[index].node->sequence(), index);
  if (!first_) {
    first_ = entry;
    return;
  }
  if (entry > *first_) std::swap(entry, *first_);
  ready_.push_back(entry);
  std::push_heap(ready_.begin(), ready_.end());
}

uint32_t GraphTask::pop_ready() {
  const uint32_t index = first_->second;
  first_.reset();
  if (!ready_.empty()) {
    std::pop_heap(ready_.begin(), ready_.end());
    first_ = ready_.back();
    ready_.pop_back();
  }
  return index;
}

void GraphTask::run() {
  count_dependencies();
  if (selective_) mark_needed();
  const GradModeGuard mode(options_.create_graph);
  for (const uint32_t root : roots_) {
    if (states_[root].waiting == 0) push_ready(root);
  }
  while (first_) evaluate(pop_ready());
}

void GraphTask::run_hooks_before(State& state) {
  const NodeExtra* extra = state.node->extra_or_null();
  if (!extra) return;
  for (const auto& [output, id, hook] : std::vector(extra->tensor_hooks)) {
    if (!state.grads[output].defined()) continue;
    Tensor replaced = hook(state.grads[output]);
    if (replaced.defined()) state.grads[output] = std::move(replaced);
  }
  for (const auto& [id, hook] : std::vector(extra->pre_hooks.hooks)) hook(state.grads);
  for (const auto& [output, slot] : extra->retained) {
    const Tensor& grad = state.grads[output];
    if (!grad.defined()) continue;
    *slot = slot->defined() ? ops::add(*slot, grad) : grad;
  }
}

bool GraphTask::wanted(const State& state) {
  if (!selective_ || state.asked) return true;
  // A node that is only captured, and leads nowhere else that is needed, does not run.
  for (const Edge& edge : state.node->edges()) {
    if (edge.node && states_[state_of(edge.node.get())].needed) return true;
  }
  return false;
}

TensorList GraphTask::apply(State& state) {
  Node& node = *state.node;
  const NodeExtra* extra = node.extra_or_null();
  if (!extra || extra->post_hooks.hooks.empty()) {
    return options_.retain_graph ? node.apply(std::move(state.grads))
                                 : node.apply_last(std::move(state.grads));
  }
  const TensorList kept = state.grads;
  TensorList result =
      options_.retain_graph ? node.apply(std::move(state.grads)) : node.apply_last(std::move(state.grads));
  for (const auto& [id, hook] : std::vector(extra->post_hooks.hooks)) hook(result, kept);
  return result;
}

void GraphTask::evaluate(uint32_t index) {
  State& state = states_[index];
  state.done = true;
  Node& node = *state.node;
  TensorList result;
  bool any = false;
  for (const Tensor& grad : state.grads) any = any || grad.defined();
  if (any && state.needed) {
    if (node.extra_or_null()) run_hooks_before(state);
    for (const auto& [output, place] : state.captures) captured_[place] = state.grads[output];
    if (wanted(state)) result = apply(state);
  }
  state.grads.clear();
  const auto edges = node.edges();
  if (!result.empty() && result.size() < edges.size()) [[unlikely]] {
    fail(ErrorKind::Runtime, node.name(), " returned ", result.size(), " gradients, expected ", edges.size());
  }
  for (size_t i = 0; i < edges.size(); ++i) {
    if (edges[i].node) send(edges[i], result.empty() ? Tensor() : std::move(result[i]));
  }
}

void GraphTask::send(const Edge& edge, Tensor grad) {
  const uint32_t next = state_of(edge.node.get());
  State& state = states_[next];
  if (grad.defined()) {
    if (state.grads.empty()) state.grads.resize(edge.node->outputs());
    add_into(state.grads[edge.input], std::move(grad));
  }
  if (--state.waiting == 0 && !state.done) push_ready(next);
}

void GraphTask::add_into(Tensor& sum, Tensor grad) {
  if (!sum.defined()) {
    sum = std::move(grad);
    return;
  }
  // Sums nobody else can see are added to in place.
  const bool own = !options_.create_graph && sum.impl()->use_count() == 1 &&
                   sum.impl()->storage()->use_count() == 1 && !sum.requires_grad() && sum.is_contiguous();
  if (own && same(sum.sizes(), grad.sizes()) && sum.dtype() == grad.dtype()) {
    add_gradient(sum, grad);
  } else {
    sum = ops::add(sum, grad);
  }
}

}  // namespace onetape
