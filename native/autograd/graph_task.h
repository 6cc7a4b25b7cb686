#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "autograd/engine.h"
#include "autograd/ready_queue.h"

namespace onetape {

/// One run of the engine: the nodes reached, how many gradients each still waits for, and the ready ones in
/// order. Everything is local to the call, so that any number of runs may share nodes.
class GraphTask {
 public:
  explicit GraphTask(BackwardOptions options);
  ~GraphTask();
  GraphTask(const GraphTask&) = delete;
  GraphTask& operator=(const GraphTask&) = delete;

  /// Adds a root with its first gradient.
  void add_root(Edge edge, Tensor gradient);
  /// Asks for the gradient that arrives at an edge; returns the place in captured().
  size_t capture(const Edge& edge);
  /// The node is to run although only captured gradients are asked for (backward(inputs=…)).
  void require(const Edge& edge);
  void run();
  std::vector<Tensor>& captured() { return captured_; }

  /// The run that the calling thread is in the middle of, the innermost; null if there is none.
  ONETAPE_API static GraphTask* current();
  /// A number that no other run has.
  uint64_t id() const { return uint64_t{name_.slot} << 32 | name_.use; }
  /// Are only some of the gradients wanted?
  bool selective() const { return selective_; }
  /// Is this node one that the run executes, or has executed?
  ONETAPE_API bool executes(Node* node) const;

 private:
  struct State {
    explicit State(Node* of) : node(of) {}

    Node* node;            // alive as long as the roots are: edges never change
    uint32_t waiting = 0;  // gradients still to come
    bool needed = true;    // leads to something that was asked for
    bool asked = false;    // must run itself
    bool done = false;
    bool seen = false;      // dependencies counted
    bool captured = false;  // stands in captures_
    bool root = false;      // stands in roots_
    uint32_t others = 0;    // where the sums of further outputs begin in others_
    Tensor grad;            // the sum so far of the gradients of output 0
  };
  struct Capture {
    uint32_t state;
    uint32_t output;
    size_t place;
  };
  /// Nodes are claimed in the name of a slot that no other live run has.
  struct Name {
    uint32_t slot = 0;
    uint32_t use = 0;
  };
  class Slots;
  struct Spare;
  static Spare* make_spare();
  static Spare* spare();
  static constexpr size_t kSpare = 4096;  // states; larger runs give their memory back
  static constexpr size_t kSmall = 8;     // states of a run that claims no nodes

  /// The few nodes of a small run are searched through; those of others know where their state stands, by
  /// their claim.
  uint32_t state_of(Node* node) {
    if (!claims_) {
      for (uint32_t i = 0; i < states_.size(); ++i) {
        if (states_[i].node == node) return i;
      }
      return new_state(node);
    }
    const uint64_t claim = node->claim.load(std::memory_order_acquire);
    return claim >> 32 == name_.slot ? static_cast<uint32_t>(claim) : find_elsewhere(node);
  }
  uint32_t find_elsewhere(Node* node);
  uint32_t new_state(Node* node);
  void claim(uint32_t index);
  void count_dependencies();
  void mark_needed();
  void push_ready(uint32_t index) { ready_.push(states_[index].node->sequence(), index); }
  void evaluate(uint32_t index);
  Tensor& sum_of(State& state, uint32_t output) {
    return output == 0 ? state.grad : others_[state.others + output - 1];
  }
  inline TensorList take_sums(State& state);
  inline TensorList results(State& state);
  TensorList observed_results(State& state, TensorList&& grads);
  TensorList watched_results(State& state);
  bool wanted(const State& state);
  TensorList apply(Node& node, TensorList&& grads) const {
    if (calls_observed()) [[unlikely]]
      return apply_watched(node, std::move(grads));
    return apply_alone(node, std::move(grads));
  }
  TensorList apply_alone(Node& node, TensorList&& grads) const {
    return options_.retain_graph ? node.apply(std::move(grads)) : node.apply_last(std::move(grads));
  }
  TensorList apply_watched(Node& node, TensorList&& grads) const;
  TensorList apply_hooked(Node& node, TensorList&& grads) const;
  void capture_gradients(const State& state, const TensorList& grads);
  void run_here();
  inline void send(const Edge& edge, Tensor&& grad);
  inline void send_to_leaf(State& state, Tensor&& grad);
  void add_into(Tensor& sum, Tensor&& grad);

  BackwardOptions options_;
  Name name_;
  std::vector<State> states_;
  std::vector<Tensor> others_;
  std::unique_ptr<std::unordered_map<Node*, uint32_t>>
      elsewhere_;  // nodes that another run had claimed, if any
  ReadyQueue ready_;
  std::vector<Capture> captures_;
  std::vector<Tensor> captured_;
  InlineVector<uint32_t, 2> roots_;
  InlineVector<Ref<Node>, 2> held_;  // the nodes that keep all others alive
  std::vector<uint32_t> stack_;
  bool selective_ = false;
  bool claims_ = false;   // has more nodes than are searched through
  bool anomaly_ = false;  // in anomaly mode
  bool watched_ = false;  // in anomaly mode, or profiled
  bool plain_ = false;    // neither selective nor watched
};

}  // namespace onetape
