#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "autograd/engine.h"

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
  uint32_t id() const { return id_; }
  /// Are only some of the gradients wanted?
  bool selective() const { return selective_; }
  /// Is this node one that the run executes, or has executed?
  ONETAPE_API bool executes(Node* node) const;

 private:
  struct State {
    Node* node = nullptr;  // alive as long as the roots are: edges never change
    uint32_t waiting = 0;  // gradients still to come
    bool needed = true;    // leads to something that was asked for
    bool asked = false;    // must run itself
    bool done = false;
    bool seen = false;      // dependencies counted
    bool captured = false;  // stands in captures_
    TensorList grads;       // sums so far, one an output
  };
  struct Capture {
    uint32_t state;
    uint32_t output;
    size_t place;
  };
  /// A ready node; those recorded last run first.
  struct Ready {
    uint64_t sequence;
    uint32_t state;
    bool operator<(const Ready& other) const {
      return sequence != other.sequence ? sequence < other.sequence : state > other.state;
    }
  };

  struct Spare;
  static Spare* make_spare();
  static Spare* spare();
  static constexpr size_t kSpare = 4096;  // states; larger runs give their memory back

  uint32_t state_of(Node* node) {
    const uint64_t claim = node->claim.load(std::memory_order_acquire);
    return claim >> 32 == id_ ? static_cast<uint32_t>(claim) : find_state(node);
  }
  uint32_t find_state(Node* node);
  void count_dependencies();
  void mark_needed();
  inline void push_ready(uint32_t index);
  inline uint32_t pop_ready();
  void evaluate(uint32_t index);
  inline TensorList results(uint32_t index);
  bool wanted(const State& state);
  inline TensorList apply(State& state);
  TensorList apply_hooked(State& state);
  TensorList watched_results(uint32_t index);
  void capture_gradients(uint32_t index);
  void run_here();
  inline void send(const Edge& edge, Tensor&& grad);
  void add_into(Tensor& sum, Tensor&& grad);

  BackwardOptions options_;
  uint32_t id_;
  std::vector<State> states_;
  std::unique_ptr<std::unordered_map<Node*, uint32_t>>
      elsewhere_;  // nodes that another run had claimed, if any
  bool any_ready_ = false;
  Ready first_{};             // if any: the first to run
  std::vector<Ready> ready_;  // the others, as a heap
  std::vector<Capture> captures_;
  std::vector<Tensor> captured_;
  InlineVector<uint32_t, 2> roots_;
  InlineVector<Ref<Node>, 2> held_;  // the nodes that keep all others alive
  std::vector<uint32_t> stack_;
  bool selective_ = false;
  bool watched_ = false;  // in anomaly mode
};

}  // namespace onetape
