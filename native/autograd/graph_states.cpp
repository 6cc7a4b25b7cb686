// What a run of the engine knows of each node, and where that stands.

#include <algorithm>
#include <mutex>

#include "autograd/graph_task.h"
#include "core/tls.h"

namespace onetape {

/// The slots that no thread has.
class GraphTask::Slots {
 public:
  static Name take() {
    Slots& all = instance();
    const std::lock_guard guard(all.lock_);
    if (all.free_.empty()) return {++all.last_, 0};  // 0 means unclaimed
    const Name name = all.free_.back();
    all.free_.pop_back();
    return name;
  }
  static void give(std::span<const Name> names) {
    Slots& all = instance();
    const std::lock_guard guard(all.lock_);
    all.free_.insert(all.free_.end(), names.begin(), names.end());
  }

 private:
  static Slots& instance() {
    static auto* one = new Slots;  // outlives every thread
    return *one;
  }
  std::mutex lock_;
  uint32_t last_ = 0;
  std::vector<Name> free_;
};

/// A thread's small runs use the same memory, and one slot, again.
struct GraphTask::Spare {
  std::vector<Name> names;
  std::vector<State> states;
  ReadyQueue ready;
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
      Slots::give(spare.names);
    }
  };
  if (t_ended) return nullptr;
  thread_local Owner owner;
  return &owner.spare;
}

/// Null while the thread ends.
GraphTask::Spare* GraphTask::spare() { return t_spare ? static_cast<Spare*>(t_spare) : make_spare(); }

GraphTask::GraphTask(BackwardOptions options) : options_(options) {
  Spare* const kept = spare();
  if (!kept) {
    name_ = Slots::take();
    return;
  }
  if (kept->names.empty()) {
    name_ = Slots::take();
    kept->names.reserve(kept->names.capacity() + 1);  // room to give it back
  } else {
    name_ = kept->names.back();
    kept->names.pop_back();
  }
  states_.swap(kept->states);
  ready_.swap_memory(kept->ready);
  stack_.swap(kept->stack);
}

GraphTask::~GraphTask() {
  if (claims_) {
    for (State& state : states_) {
      const uint64_t claim = state.node->claim.load(std::memory_order_relaxed);
      if (claim >> 32 == name_.slot) state.node->claim.store(0, std::memory_order_release);
    }
  }
  ++name_.use;
  Spare* const kept = spare();
  if (!kept) {
    Slots::give({&name_, 1});
    return;
  }
  kept->names.push_back(name_);
  if (states_.capacity() > kSpare) return;
  states_.clear();
  ready_.clear();
  states_.swap(kept->states);
  ready_.swap_memory(kept->ready);
  stack_.swap(kept->stack);
}

uint32_t GraphTask::find_elsewhere(Node* node) {
  if (elsewhere_) {
    if (const auto found = elsewhere_->find(node); found != elsewhere_->end()) return found->second;
  }
  return new_state(node);
}

uint32_t GraphTask::new_state(Node* node) {
  const auto index = static_cast<uint32_t>(states_.size());
  State& state = states_.emplace_back(node);
  if (const uint32_t outputs = node->outputs(); outputs > 1) [[unlikely]] {
    state.others = static_cast<uint32_t>(others_.size());
    others_.resize(others_.size() + outputs - 1);
  }
  if (claims_) {
    claim(index);
  } else if (states_.size() > kSmall) {
    claims_ = true;
    for (uint32_t i = 0; i <= index; ++i) claim(i);
  }
  return index;
}

void GraphTask::claim(uint32_t index) {
  Node* const node = states_[index].node;
  uint64_t expected = 0;
  if (!node->claim.compare_exchange_strong(expected, (uint64_t{name_.slot} << 32) | index,
                                           std::memory_order_acq_rel)) [[unlikely]] {
    if (!elsewhere_) elsewhere_ = std::make_unique<std::unordered_map<Node*, uint32_t>>();
    elsewhere_->emplace(node, index);
  }
}

bool GraphTask::executes(Node* node) const {
  const auto runs = [this](const State& state) { return !selective_ || state.needed; };
  if (!claims_) {
    const auto found = std::find_if(states_.begin(), states_.end(),
                                    [node](const State& state) { return state.node == node; });
    return found != states_.end() && runs(*found);
  }
  const uint64_t claim = node->claim.load(std::memory_order_acquire);
  if (claim >> 32 == name_.slot) return runs(states_[static_cast<uint32_t>(claim)]);
  if (!elsewhere_) return false;
  const auto found = elsewhere_->find(node);
  return found != elsewhere_->end() && runs(states_[found->second]);
}

}  // namespace onetape
