#include "autograd/anomaly.h"

#include <array>
#include <mutex>

#include "autograd/mode.h"
#include "autograd/notes.h"
#include "core/error.h"
#include "ops.h"

namespace onetape {

AnomalySwitch anomaly_switch;

namespace {

std::array<std::atomic<CallTeller>, 4> g_tellers{};
thread_local Node* t_parent = nullptr;

std::string told_calls() {
  std::string all;
  for (const auto& teller : g_tellers) {
    if (const CallTeller tell = teller.load(std::memory_order_acquire)) all += tell();
  }
  return all;
}

std::string text_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& known) {
    return known.what();
  } catch (...) {
    return "an unknown exception";
  }
}

std::shared_ptr<const ForwardCall> call_of(const Node& node) {
  const NodeExtra* extra = node.extra_or_null();
  return extra ? extra->forward_call : nullptr;
}

}  // namespace

void set_anomaly_mode(bool on, bool check_nan) {
  anomaly_switch.on.store(on, std::memory_order_relaxed);
  anomaly_switch.check_nan.store(check_nan, std::memory_order_relaxed);
  update_notes_wanted();
}

void add_call_teller(CallTeller teller) {
  for (auto& place : g_tellers) {
    CallTeller expected = nullptr;
    if (place.compare_exchange_strong(expected, teller) || expected == teller) return;
  }
}

ExplainedError::ExplainedError(std::exception_ptr cause, std::string explanation)
    : cause_(std::move(cause)),
      explanation_(std::move(explanation)),
      text_(text_of(cause_) + "\n" + explanation_) {}

std::string operator_name(const Node& node) {
  std::string name = node.name();
  if (name == "CopySlices" || name == "CopyBackwards") return "torch::autograd::" + name;
  const size_t end = name.rfind("Backward");
  if (end == std::string::npos || end == 0) return name;
  const std::string number = name.substr(end + std::string_view("Backward").size());
  return name.substr(0, end) + (number == "0" ? "" : number);
}

void note_forward_call(Node& node) {
  auto call = std::make_shared<ForwardCall>();
  call->calls = told_calls();
  if (t_parent) {
    call->parent_name = t_parent->name();
    call->parent = call_of(*t_parent);
  }
  node.extra().forward_call = std::move(call);
}

ParentNode::ParentNode(Node& node) : previous_(std::exchange(t_parent, &node)) {}
ParentNode::~ParentNode() { t_parent = previous_; }

void throw_explained(const Node& node) {
  try {
    throw;
  } catch (const ExplainedError&) {
    throw;  // a pass inside this one has told already
  } catch (...) {
    std::string text = "Error detected in " + node.name() + ". ";
    const auto call = call_of(node);
    if (!call || call->calls.empty()) {
      text +=
          "No forward pass information available. Enable detect anomaly during forward pass for more "
          "information.";
    } else {
      text += "Traceback of forward call that caused the error:\n" + call->calls;
    }
    for (const ForwardCall* at = call.get(); at && !at->parent_name.empty(); at = at->parent.get()) {
      text += "\n\nPrevious calculation was induced by " + at->parent_name + ". ";
      if (!at->parent || at->parent->calls.empty()) {
        text += "No forward pass information available.";
      } else {
        text += "Traceback of forward call that induced the previous calculation:\n" + at->parent->calls;
      }
    }
    throw ExplainedError(std::current_exception(), std::move(text));
  }
}

void check_for_nan(const Node& node, const TensorList& grads) {
  const GradModeGuard mode(false);
  for (size_t i = 0; i < grads.size(); ++i) {
    if (!grads[i].defined() || !is_differentiable(grads[i].dtype())) continue;
    const bool found = item(ops::any(ops::isnan(grads[i]))).to<bool>();
    check(!found, "Function '", node.name(), "' returned nan values in its ", i, "th output.");
  }
}

}  // namespace onetape
