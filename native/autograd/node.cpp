#include "autograd/node.h"

#include "autograd/accumulate.h"
#include "autograd/anomaly.h"
#include "autograd/notes.h"
#include "autograd/saved_tensor.h"
#include "core/pool.h"
#include "core/tls.h"

namespace onetape {
namespace {

/// Nodes and leaves whose last reference went while another node of this thread was being freed.
struct Doomed {
  Node* nodes = nullptr;
  AccumulateGrad* leaves = nullptr;

  void add(Node* node, AccumulateGrad* leaf) {
    if (node) {
      node->claim.store(reinterpret_cast<uint64_t>(nodes), std::memory_order_relaxed);
      nodes = node;
    } else {
      leaf->next_doomed = std::exchange(leaves, leaf);
    }
  }
  /// One of them, or neither when none is left.
  void take(Node*& node, AccumulateGrad*& leaf) {
    node = nodes;
    leaf = nullptr;
    if (node) {
      nodes = reinterpret_cast<Node*>(node->claim.load(std::memory_order_relaxed));
    } else if (leaves) {
      leaf = std::exchange(leaves, leaves->next_doomed);
    }
  }
};

/// Null when none is being freed.
ONETAPE_HOT_TLS Doomed* t_doomed = nullptr;

}  // namespace

ONETAPE_HOT_TLS uint64_t t_sequence = 0;

void Node::note_call() {
  if (anomaly_mode()) note_forward_call(*this);
  note_node(*this);
}

NodeExtra::NodeExtra() = default;
NodeExtra::~NodeExtra() = default;

SavedTensor Node::saved_at(size_t /*i*/) const { return {}; }
void Node::replace_saved(size_t /*i*/, SavedTensor&& /*saved*/) {}

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

void Node::dispose(Node* node) {
  void* const block = node->block_;
  const uint32_t bytes = node->block_bytes_;
  node->~Node();
  pool_free_fast(block, bytes);
}

void Node::destroy_iteratively(Node* node) {
  // Destroying a node drops its edges and saved tensors, whose nodes may die in turn: those wait in a list,
  // so that a chain of any length is freed with one frame of stack. So do leaves, which may own a graph, too.
  AccumulateGrad* leaf = nullptr;
  if (node->sequence_ == kFirst) {
    leaf = static_cast<AccumulateGrad*>(node);
    node = nullptr;
    if (leaf->fall_asleep()) return;
  }
  if (t_doomed) {
    t_doomed->add(node, leaf);
    return;
  }
  Doomed doomed;
  t_doomed = &doomed;
  while (node || leaf) {
    if (node) {
      dispose(node);
    } else {
      leaf->end_leaf();
    }
    doomed.take(node, leaf);
  }
  t_doomed = nullptr;
}

}  // namespace onetape
