#pragma once

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "autograd/forward.h"
#include "autograd/meta.h"
#include "autograd/mode.h"
#include "autograd/node.h"
#include "autograd/saved_tensor.h"

namespace onetape {

/// What a gradient function sees: the gradients of the outputs, the saved tensors, and which inputs want a
/// gradient.
class ONETAPE_API Backward {
 public:
  /// The gradients of the inputs go into `result`, one an edge.
  Backward(Node& node, const TensorList& grads, std::span<const SavedTensor> saved, TensorList& result)
      : node_(node), grads_(grads), saved_(saved), result_(result) {
    for (const SavedTensor& one : saved) {
      if (!one.packed()) continue;
      unpack_all();  // hooks run before anything is looked at, since other threads may go on meanwhile
      break;
    }
  }

  /// Gradient of an output; defined for an operator of one output, perhaps undefined for one of several.
  const Tensor& grad(size_t output = 0) const { return grads_[output]; }
  /// A saved tensor, checked not to have changed.
  const Tensor& saved(size_t i) const {
    saved_[i].check_unchanged(node_);
    return saved_[i].is_plain() ? saved_[i].raw() : rebuilt(i);
  }
  bool needs(size_t input) const { return node_.needs(input); }
  void set(size_t input, Tensor gradient) { result_[input] = std::move(gradient); }

 private:
  const Tensor& rebuilt(size_t i) const;
  void unpack_all() const;

  Node& node_;
  const TensorList& grads_;
  std::span<const SavedTensor> saved_;
  TensorList& result_;
  mutable TensorList rebuilt_;  // what is not kept as it is: saved outputs, and what hooks packed
};

/// The node of an operator of the tables: its saved tensors (an array, or a vector where only the call knows
/// how many) and a function void(Backward&).
template <typename F, typename Saved>
class FunctionNode final : public Node {
 public:
  /// `save()` gives what is saved, in place.
  template <typename Save>
  FunctionNode(const char* name, uint32_t outputs, Save&& save, F function)
      : Node(outputs, next_sequence()), name_(name), saved_(save()), function_(std::move(function)) {}

  std::string name() const override { return name_; }
  TensorList apply(TensorList&& grads) override {
    const Saved held = copy_saved();
    return call(grads, held);
  }
  TensorList apply_last(TensorList&& grads) override {
    if constexpr (!kSaves) {
      return call(grads, saved_);
    } else {
      Saved nothing{};
      const bool keeps = [&] {
        const std::lock_guard guard(lock_);
        if (released_) [[unlikely]]
          fail_backward_twice();
        released_ = keeps_any();  // from here on what is kept is this call's alone
        if (!released_) nothing = saved_;
        return released_;
      }();
      if (!keeps) return call(grads, nothing);
      try {
        TensorList result = call(grads, saved_);
        for (SavedTensor& one : saved_) one.reset();
        return result;
      } catch (...) {  // a run that failed here may be tried again
        const std::lock_guard guard(lock_);
        released_ = false;
        throw;
      }
    }
  }
  void release_saved() override {
    if constexpr (kSaves) {
      Saved freed;  // dies after the lock is free
      const std::lock_guard guard(lock_);
      if (released_) return;
      released_ = keeps_any();
      freed = std::move(saved_);
    }
  }
  std::vector<Tensor> saved() const override {
    const std::lock_guard guard(lock_);
    std::vector<Tensor> all;
    if (released_) return all;
    for (const SavedTensor& one : saved_) {
      if (!one.packed()) all.push_back(one.raw());
    }
    return all;
  }
  void visit_saved(const std::function<void(const SavedTensor&)>& visit) const override {
    const std::lock_guard guard(lock_);
    const SavedTensor none;
    for (const SavedTensor& one : saved_) visit(released_ ? none : one);
  }
  SavedTensor saved_at(size_t i) const override {
    const Saved held = copy_saved();
    return i < held.size() ? held[i] : SavedTensor();
  }
  void replace_saved(size_t i, SavedTensor&& saved) override {
    const std::lock_guard guard(lock_);
    if (!released_ && i < saved_.size()) std::swap(saved_[i], saved);
  }

 private:
  static constexpr bool kSaves = !std::is_same_v<Saved, std::array<SavedTensor, 0>>;

  TensorList call(const TensorList& grads, std::span<const SavedTensor> held) {
    TensorList result(edges().size());
    Backward backward(*this, grads, held, result);
    function_(backward);
    return result;
  }
  /// The saved tensors for one call: another thread may free the node's own meanwhile.
  Saved copy_saved() const {
    if constexpr (kSaves) {
      const std::lock_guard guard(lock_);
      if (released_) [[unlikely]]
        fail_backward_twice();
      return saved_;
    } else {
      return {};
    }
  }
  /// A node that had nothing to keep can be gone through again.
  bool keeps_any() const {
    return std::ranges::any_of(saved_, [](const SavedTensor& one) { return one.defined(); });
  }

  const char* name_;
  Saved saved_;  // untouched by others once released_
  mutable SpinLock lock_;
  bool released_ = false;  // backward has used it, or is about to, for the last time
  [[no_unique_address]] F function_;
};

/// Are operators recorded at all, for backward or for forward mode?
inline bool recording_enabled() { return dual_active() || grad_enabled(); }
/// Does an operator's record lead to this tensor? It does if it requires a gradient or has a tangent.
inline bool tracked(const Tensor& t) {
  return t.requires_grad() || (dual_active() && tangent_of(t).defined());
}
/// Must an operator on these tensors be recorded?
template <typename... Tensors>
bool recording(const Tensors&... tensors) {
  if ((... || (tensors.defined() && tensors.requires_grad())) && grad_enabled()) return true;
  return dual_active() && (... || (tensors.defined() && tangent_of(tensors).defined()));
}
inline bool recording(std::span<const Tensor> tensors) {
  if (!recording_enabled()) return false;
  const bool grad = grad_enabled();
  for (const Tensor& t : tensors) {
    if (t.defined() && (grad ? tracked(t) : tangent_of(t).defined())) return true;
  }
  return false;
}

/// The edge of an operator's input.
inline Edge input_edge(const Tensor& t) { return dual_active() ? dual_edge(t) : gradient_edge(t); }

/// `input` for backward if `condition`, else nothing.
inline SavedTensor save_if(bool condition, const Tensor& input) {
  return condition ? SavedTensor(input) : SavedTensor();
}
inline SavedTensor save(const Tensor& input) { return SavedTensor(input); }
inline SavedTensor save_result(const Tensor& result, uint32_t output = 0) {
  return SavedTensor::of_output(result, output);
}
template <typename... S>
std::array<SavedTensor, sizeof...(S)> saving(S... saved) {
  return {std::move(saved)...};
}

/// Makes the node of an operator in place: `edge(i, made)` gives edge number i, `save()` what is saved.
template <typename MakeEdge, typename Save, typename F>
Ref<Node> build_function(const char* name, size_t edges, MakeEdge&& edge, Save&& save, F function,
                         uint32_t outputs = 1) {
  auto node = make_node_with<FunctionNode<F, std::invoke_result_t<Save>>>(
      edges, std::forward<MakeEdge>(edge), name, outputs, std::forward<Save>(save), std::move(function));
  return Ref<Node>::adopt(node.take());
}

/// Makes the node of an operator whose gradients flow along `edges`.
template <typename Saved, typename F>
Ref<Node> make_function(const char* name, InlineVector<Edge, 3>&& edges, Saved saved, F function,
                        uint32_t outputs = 1) {
  return build_function(
      name, edges.size(), [&edges](size_t i, const Edge*) { return std::move(edges[i]); },
      [&saved] { return std::move(saved); }, std::move(function), outputs);
}

/// Makes the node of an operator: its name, the tensors it was applied to, what it saves, its gradient
/// function.
template <typename Saved, typename F>
Ref<Node> make_function(const char* name, std::span<const Tensor> inputs, Saved saved, F function,
                        uint32_t outputs = 1) {
  InlineVector<Edge, 3> edges;
  edges.reserve(inputs.size());
  for (const Tensor& input : inputs) edges.push_back(input.defined() ? input_edge(input) : Edge());
  return make_function(name, std::move(edges), std::move(saved), std::move(function), outputs);
}

/// The edges of an operator on these tensors. One that changes a tensor in place collects them before it
/// does: the history of a view would else be that of what its base became.
inline InlineVector<Edge, 3> edges_of(bool recorded, std::initializer_list<Tensor> inputs) {
  InlineVector<Edge, 3> edges;
  if (!recorded) return edges;
  for (const Tensor& input : inputs) edges.push_back(input.defined() ? input_edge(input) : Edge());
  return edges;
}

/// Hangs `result`, the one output of an operator, into the graph and returns it.
template <size_t N, typename F>
Tensor record(Tensor result, const char* name, std::initializer_list<Tensor> inputs,
              std::array<SavedTensor, N> saved, F function) {
  const std::span<const Tensor> operands(inputs.begin(), inputs.size());
  set_new_history(result, make_function(name, operands, std::move(saved), std::move(function)));
  return result;
}
template <typename F>
Tensor record(Tensor result, const char* name, std::initializer_list<Tensor> inputs, F function) {
  return record(std::move(result), name, inputs, std::array<SavedTensor, 0>{}, std::move(function));
}

}  // namespace onetape
