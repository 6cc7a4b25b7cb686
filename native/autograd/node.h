#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "autograd/keeper.h"
#include "autograd/mode.h"
#include "core/inline_vector.h"
#include "core/pool.h"
#include "core/spin_lock.h"
#include "core/tensor.h"
#include "core/tls.h"

namespace onetape {

class Node;
class SavedTensor;

/// Where a gradient goes: input `input` of a node (that is, the gradient of the node's output number
/// `input`).
struct Edge {
  static constexpr bool kRelocatable = true;  // see core/inline_vector.h
  Ref<Node> node;
  uint32_t input = 0;
};

using TensorList = InlineVector<Tensor, 3>;

/// Sees the gradient of one tensor; returns another to replace it, or an undefined tensor to keep it.
using TensorHook = std::function<Tensor(const Tensor& grad)>;
/// Before a node runs: may replace the gradients of its outputs.
using NodePreHook = std::function<void(TensorList& grad_outputs)>;
/// After a node ran: may replace the gradients of its inputs.
using NodePostHook = std::function<void(TensorList& grad_inputs, const TensorList& grad_outputs)>;

/// Takes a hook away again; does nothing when it, or what it was registered on, is gone.
using HookRemover = std::function<void()>;

/// Hooks keep the order in which they were registered. Any thread may add and remove while others call what a
/// snapshot holds.
template <typename Hook>
class HookList {
 public:
  HookRemover add(Hook hook) {
    const std::shared_ptr<Body> body = make_body();
    const std::lock_guard guard(body->lock);
    const uint64_t id = ++body->last;
    body->hooks.emplace_back(id, std::move(hook));
    return [weak = std::weak_ptr<Body>(body), id] {
      if (const std::shared_ptr<Body> there = weak.lock()) there->remove(id);
    };
  }
  std::vector<Hook> snapshot() const {
    std::vector<Hook> copy;
    if (const std::shared_ptr<Body> body = body_or_null()) {
      const std::lock_guard guard(body->lock);
      for (const auto& [id, hook] : body->hooks) copy.push_back(hook);
    }
    return copy;
  }
  bool empty() const {
    const std::shared_ptr<Body> body = body_or_null();
    if (!body) return true;
    const std::lock_guard guard(body->lock);
    return body->hooks.empty();
  }
  /// Calls a function with each hook where it stands, until one gives a number other than 0, which is
  /// returned.
  template <typename F>
  int visit(F&& f) const {
    const std::shared_ptr<Body> body = body_or_null();
    if (!body) return 0;
    for (const auto& [id, hook] : body->hooks) {
      if (const int stop = f(hook)) return stop;
    }
    return 0;
  }

 private:
  struct Body {
    SpinLock lock;
    uint64_t last = 0;
    std::vector<std::pair<uint64_t, Hook>> hooks;

    void remove(uint64_t id) {
      Hook removed;  // ends after the lock is free, since it may run programs of a language
      const std::lock_guard guard(lock);
      for (auto entry = hooks.begin(); entry != hooks.end(); ++entry) {
        if (entry->first != id) continue;
        removed = std::move(entry->second);
        hooks.erase(entry);
        return;
      }
    }
  };

  std::shared_ptr<Body> body_or_null() const {
    const std::lock_guard guard(lock_);
    return body_;
  }
  std::shared_ptr<Body> make_body() {
    const std::lock_guard guard(lock_);
    if (!body_) body_ = std::make_shared<Body>();
    return body_;
  }

  mutable SpinLock lock_;
  std::shared_ptr<Body> body_;
};

/// Tensor.register_hook, and which output of the node the tensor is.
struct OutputHook {
  uint32_t output = 0;
  TensorHook hook;
};

/// Tensor.retain_grad: where the gradient of an output is kept. Backward passes of several threads may put
/// one there.
struct RetainedSlot {
  SpinLock lock;
  Tensor grad;

  Tensor get() {
    const std::lock_guard guard(lock);
    return grad;
  }
  /// Returns the old one, to be freed outside of locks.
  Tensor put(Tensor fresh) {
    const std::lock_guard guard(lock);
    std::swap(grad, fresh);
    return fresh;
  }
};
struct RetainedGrad {
  uint32_t output = 0;
  std::shared_ptr<RetainedSlot> slot;
};

/// The call that recorded a node, and the node whose backward part that was, if any.
struct ForwardCall {
  std::string calls;
  std::string parent_name;
  std::shared_ptr<const ForwardCall> parent;
};

struct NodeNotes;
struct TangentSlot;

/// How many nodes this thread has recorded.
extern ONETAPE_API ONETAPE_HOT_TLS uint64_t t_sequence;
/// Number of the next node this thread records.
inline uint64_t next_sequence() { return ++t_sequence; }

/// The tangent of an operator's input in forward mode.
struct InputTangent {
  uint32_t input;
  std::shared_ptr<TangentSlot> slot;
};

/// The seldom used parts of a node.
struct NodeExtra {
  NodeExtra();
  ~NodeExtra();

  HookList<OutputHook> tensor_hooks;
  HookList<RetainedGrad> retained;
  HookList<NodePreHook> pre_hooks;
  HookList<NodePostHook> post_hooks;
  std::vector<InputTangent> tangents;  // forward mode: of the inputs, for the results still to be recorded
  std::shared_ptr<const ForwardCall> forward_call;  // in anomaly mode
  std::unique_ptr<NodeNotes> notes;                 // while somebody records
  std::shared_ptr<void> metadata;                   // a program's notes, in its language
  KeptPlace kept;
};

/// One recorded operator: receives the gradients of its outputs, returns those of its inputs.
/// A node owns its edges; freeing a chain of nodes does not recurse.
class ONETAPE_API Node {
 public:
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  void retain() { refs_.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    // The last owner of most nodes needs no atomic subtraction: nobody can gain a reference any more.
    if ((sequence_ != kFirst && refs_.load(std::memory_order_acquire) == 1) ||
        refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      destroy_iteratively(this);
    }
  }
  uint32_t use_count() const { return refs_.load(std::memory_order_acquire); }

  /// `MulBackward0`
  virtual std::string name() const = 0;
  /// Gradients of the inputs, one an edge; an undefined tensor stands for zero. At least one of `grads` is
  /// defined.
  virtual TensorList apply(TensorList&& grads) = 0;
  /// The same when the graph is not needed again: what backward needs is freed.
  virtual TensorList apply_last(TensorList&& grads) {
    TensorList result = apply(std::move(grads));
    release_saved();
    return result;
  }
  /// Frees what backward needs; a later apply() fails with PyTorch's text.
  virtual void release_saved() {}
  /// Tensors kept for backward, for the picture of the graph and for tests.
  virtual std::vector<Tensor> saved() const { return {}; }
  /// What is kept as number `i`, an empty one past the end; an error once it was freed.
  virtual SavedTensor saved_at(size_t i) const;
  /// Keeps another in its place.
  virtual void replace_saved(size_t i, SavedTensor&& saved);
  /// Shows what is kept, where it stands, to a language's collector.
  virtual void visit_saved(const std::function<void(const SavedTensor&)>& /*visit*/) const {}
  /// Visits the Python or Java object behind a custom function, so that cycles through it can be collected.
  virtual void* face_object() const { return nullptr; }

  std::span<Edge> edges() { return {edges_, edge_count_}; }
  std::span<const Edge> edges() const { return {edges_, edge_count_}; }
  bool needs(size_t input) const { return input < edge_count_ && edges_[input].node; }
  uint32_t outputs() const { return outputs_; }
  uint64_t sequence() const { return sequence_; }
  /// Leaf nodes (AccumulateGrad, and no others) run as soon as they are ready, so their sequence number is
  /// the largest.
  static constexpr uint64_t kFirst = UINT64_MAX;

  /// Does the node, or one behind it, need an object of a language with a collector?
  bool is_kept() const { return kept_; }
  void set_kept() { kept_ = true; }
  /// Of a node that is given a keeper of its own when it is made: where that stands. Others have it in
  /// extra().
  virtual KeptPlace* own_kept() { return nullptr; }

  NodeExtra& extra();
  const NodeExtra* extra_or_null() const { return extra_.load(std::memory_order_acquire); }

  /// Used by one engine run at a time to find its state of this node: (run id << 32) | index; 0 when free.
  /// While the node waits to be destroyed: the next one that does.
  std::atomic<uint64_t> claim{0};

 protected:
  Node(uint32_t outputs, uint64_t sequence) : outputs_(outputs), sequence_(sequence) {
    if (notes_wanted() && sequence != kFirst) [[unlikely]]
      note_call();
  }
  virtual ~Node();
  /// Adds a reference to a leaf node that may have none; true if it had none.
  bool retain_first() { return refs_.fetch_add(1, std::memory_order_acq_rel) == 0; }
  /// The seldom used parts, for the caller to free.
  std::unique_ptr<NodeExtra> take_extra() {
    return std::unique_ptr<NodeExtra>(extra_.exchange(nullptr, std::memory_order_acq_rel));
  }
  /// Frees a node that nobody can reach.
  static void dispose(Node* node);

 private:
  template <typename T, typename MakeEdge, typename... Args>
  friend Ref<T> make_node_with(size_t count, MakeEdge&& edge, Args&&... args);
  static void destroy_iteratively(Node* node);
  void inherit_keepers();
  void note_call();

  std::atomic<uint32_t> refs_{1};
  uint32_t outputs_;
  uint16_t edge_count_ = 0;
  bool kept_ = false;
  uint32_t block_bytes_ = 0;
  void* block_ = nullptr;
  Edge* edges_ = nullptr;
  uint64_t sequence_;
  std::atomic<NodeExtra*> extra_{nullptr};
};

/// A node and its edges in one allocation. `edge(i, made)` gives edge number i, with the first ones in
/// `made`.
template <typename T, typename MakeEdge, typename... Args>
Ref<T> make_node_with(size_t count, MakeEdge&& edge, Args&&... args) {
  static_assert(alignof(T) <= 16 && sizeof(T) % alignof(Edge) == 0);
  check(count <= UINT16_MAX, "an operator on ", count, " tensors cannot be recorded");
  const size_t bytes = sizeof(T) + count * sizeof(Edge);
  void* block = pool_allocate_fast(bytes);
  T* node = nullptr;
  try {
    node = new (block) T(std::forward<Args>(args)...);
  } catch (...) {
    pool_free(block, bytes);
    throw;
  }
  node->block_ = block;
  node->block_bytes_ = static_cast<uint32_t>(bytes);
  Ref<T> owned = Ref<T>::adopt(node);
  auto* const edges = reinterpret_cast<Edge*>(static_cast<char*>(block) + sizeof(T));
  node->edges_ = edges;
  bool kept = false;
  for (size_t i = 0; i < count; ++i) {
    const Edge* made = new (edges + i) Edge(edge(i, edges));
    node->edge_count_ = static_cast<uint16_t>(i + 1);  // what has been made ends with the node
    kept = kept || (made->node && made->node->kept_);
  }
  if (kept && !node->own_kept()) [[unlikely]]
    node->inherit_keepers();
  return owned;
}

/// The same with edges that are moved from.
template <typename T, typename... Args>
Ref<T> make_node(std::span<Edge> edges, Args&&... args) {
  return make_node_with<T>(
      edges.size(), [edges](size_t i, const Edge*) { return std::move(edges[i]); },
      std::forward<Args>(args)...);
}

/// The same with edges that stay the caller's.
template <typename T, typename... Args>
Ref<T> make_node(std::span<const Edge> edges, Args&&... args) {
  std::vector<Edge> copies(edges.begin(), edges.end());
  return make_node<T>(std::span<Edge>(copies), std::forward<Args>(args)...);
}

}  // namespace onetape
