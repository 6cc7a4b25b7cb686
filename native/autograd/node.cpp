#include "autograd/node.h"

#include "autograd/anomaly.h"
#include "autograd/notes.h"
#include "autograd/saved_tensor.h"
#include "core/pool.h"
#include "core/tls.h"

namespace onetape {
namespace {

ONETAPE_HOT_TLS uint64_t t_sequence = 0;
/// Nodes whose last reference went while another node of this thread was being freed; null when none is.
ONETAPE_HOT_TLS Node** t_doomed = nullptr;

}  // namespace

uint64_t next_sequence() { return ++t_sequence; }

Node::Node(uint32_t outputs, uint64_t sequence) : outputs_(outputs), sequence_(sequence) {
  if (notes_wanted() && sequence != kFirst) [[unlikely]] {
    if (anomaly_mode()) note_forward_call(*this);
    note_node(*this);
  }
}

NodeExtra::NodeExtra() = default;
NodeExtra::~NodeExtra() = default;

SavedTensor Node::saved_at(size_t /*i*/) const { return {}; }
void Node::replace_saved(size_t /*i*/, SavedTensor /*saved*/) {}

Node::~Node() {
  if (kept_) [[unlikely]]
    drop_keeper(*this);
  for (uint32_t i = 0; i < edge_count_; ++i) edges_[i].~Edge();
  delete extra_.load(std::memory_order_acquire);
}

NodeExtra& Node::extra() {
  NodeExtra* have = extra_.load(std::memory_order_acquire);
  if (have) return *have;
  auto fresh = std::make_unique<NodeExtra>();
  if (extra_.compare_exchange_strong(have, fresh.get(), std::memory_order_acq_rel)) return *fresh.release();
  return *have;
}

bool Node::try_retain() {
  uint32_t count = refs_.load(std::memory_order_relaxed);
  while (count != 0) {
    if (refs_.compare_exchange_weak(count, count + 1, std::memory_order_acq_rel)) return true;
  }
  return false;
}

void Node::destroy_iteratively(Node* node) {
  // Destroying a node drops its edges and saved tensors, whose nodes may die in turn: those wait in a list,
  // so that a chain of any length is freed with one frame of stack.
  if (t_doomed) {
    node->claim.store(reinterpret_cast<uint64_t>(*t_doomed), std::memory_order_relaxed);
    *t_doomed = node;
    return;
  }
  Node* doomed = nullptr;
  t_doomed = &doomed;
  while (node) {
    void* block = node->block_;
    const uint32_t bytes = node->block_bytes_;
    node->~Node();
    pool_free_fast(block, bytes);
    node = doomed;
    if (node) doomed = reinterpret_cast<Node*>(node->claim.load(std::memory_order_relaxed));
  }
  t_doomed = nullptr;
}

}  // namespace onetape
