#pragma once

#include <exception>
#include <memory>
#include <string>

#include "autograd/mode.h"
#include "autograd/node.h"
#include "core/export.h"

namespace onetape {

// Anomaly mode: each node notes the call that recorded it, and a backward pass that fails tells where that
// was. It holds for the whole process, as in PyTorch; autograd/mode.h has the switch.

/// Are the gradients that a node gives searched for nan?
inline bool anomaly_check_nan() { return anomaly_switch.check_nan.load(std::memory_order_relaxed); }
ONETAPE_API void set_anomaly_mode(bool on, bool check_nan);

/// A language tells the calls that its part of the calling thread is in, outermost first as text of several
/// lines; empty where the thread runs none of its programs.
using CallTeller = std::string (*)();
ONETAPE_API void add_call_teller(CallTeller teller);

/// An exception from a node of which the forward call is known, or known not to be known.
class ONETAPE_API ExplainedError final : public std::exception {
 public:
  ExplainedError(std::exception_ptr cause, std::string explanation);
  const char* what() const noexcept override { return text_.c_str(); }
  /// What went wrong, as it was thrown.
  const std::exception_ptr& cause() const { return cause_; }
  /// `Error detected in ExpBackward0. Traceback of forward call …`
  const std::string& explanation() const { return explanation_; }

 private:
  std::exception_ptr cause_;
  std::string explanation_;
  std::string text_;
};

/// The operator of a node without what says that it goes backward: `Exp` of `ExpBackward0`.
ONETAPE_API std::string operator_name(const Node& node);

/// Notes the calls that this thread is in as those that recorded the node.
void note_forward_call(Node& node);
/// While it lives, the thread's new nodes are known to come from the node's backward part.
class ParentNode {
 public:
  explicit ParentNode(Node& node);
  ~ParentNode();
  ParentNode(const ParentNode&) = delete;
  ParentNode& operator=(const ParentNode&) = delete;

 private:
  Node* previous_;
};
/// In a catch block: throws the exception again, with what is known of the node's forward call.
[[noreturn]] void throw_explained(const Node& node);
/// RuntimeError if one of the gradients that the node gave holds a nan.
void check_for_nan(const Node& node, const TensorList& grads);

}  // namespace onetape
