#pragma once

#include <cstdint>
#include <optional>
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
  void add_root(const Edge& edge, Tensor gradient);
  /// Asks for the gradient that arrives at an edge; returns the place in captured().
  size_t capture(const Edge& edge);
  /// The node is to run although only captured gradients are asked for (backward(inputs=…)).
  void require(const Edge& edge);
  void run();
  std::vector<Tensor>& captured() { return captured_; }

 private:
  struct State {
    Node* node = nullptr;  // alive as long as the roots are: edges never change
    uint32_t waiting = 0;  // gradients still to come
    bool needed = true;    // leads to something that was asked for
    bool asked = false;    // must run itself
    bool done = false;
    bool seen = false;                                      // dependencies counted
    TensorList grads;                                       // sums so far, one an output
    InlineVector<std::pair<uint32_t, size_t>, 1> captures;  // (output, place)
  };

  struct Spare;
  static thread_local Spare t_spare;
  static constexpr size_t kSpare = 4096;  // states; larger runs give their memory back

  uint32_t state_of(Node* node);
  void count_dependencies();
  void mark_needed();
  void push_ready(uint32_t index);
  uint32_t pop_ready();
  void evaluate(uint32_t index);
  bool wanted(const State& state);
  TensorList apply(State& state);
  void run_hooks_before(State& state);
  void send(const Edge& edge, Tensor grad);
  void add_into(Tensor& sum, Tensor grad);

  BackwardOptions options_;
  uint32_t id_;
  std::vector<State> states_;
  std::unordered_map<Node*, uint32_t> elsewhere_;       // nodes that another run had claimed
  std::optional<std::pair<uint64_t, uint32_t>> first_;  // the ready node of the largest sequence number
  std::vector<std::pair<uint64_t, uint32_t>> ready_;    // the others, as a heap
  std::vector<Tensor> captured_;
  InlineVector<uint32_t, 2> roots_;
  InlineVector<Ref<Node>, 2> held_;  // the nodes that keep all others alive
  std::vector<uint32_t> stack_;
  bool selective_ = false;
};

}  // namespace onetape
