#include <algorithm>

#include "autograd/meta.h"
#include "autograd/mode.h"
#include "autograd/saved_tensor.h"
#include "tape/tape.h"

namespace onetape::tape {
namespace {

[[noreturn]] void run_gradient_operator(Call&) { fail(ErrorKind::Runtime, "gradient: there is no function"); }

const Operator kOperators[] = {
    {"gradient", "gradients,saved", "LL", -1, run_gradient_operator, false, false, ""}};

/// Runs a gradient function on other gradients and other saved tensors than it was recorded with.
void run_gradient(const Instruction& one, std::span<Tensor> slots) {
  const std::lock_guard guard(one.gradient->lock);
  Node& node = *one.gradient->node;
  Call call(one.arguments, one.results, slots);
  const std::vector<Tensor> saved = call.tensors(1);
  for (size_t i = 0; i < saved.size(); ++i) {
    if (saved[i].defined()) node.replace_saved(i, SavedTensor(saved[i]));
  }
  TensorList gradients;
  for (Tensor& gradient : call.tensors(0)) gradients.push_back(std::move(gradient));
  TensorList results = node.apply(std::move(gradients));
  for (size_t i = 0; i < one.results.size() && i < results.size(); ++i) {
    if (one.results[i] != kNoSlot) slots[static_cast<size_t>(one.results[i])] = std::move(results[i]);
  }
}

/// Runs an operator as one to be differentiated, for what it keeps.
void run_keeping(const Instruction& one, std::vector<Tensor>& slots) {
  const GradModeGuard mode(true);
  std::vector<Tensor> operands = slots;
  for (const SlotNumber slot : one.tracked) {
    Tensor& t = operands[static_cast<size_t>(slot)];
    t = detach(t);
    set_requires_grad(t, true);
  }
  const uint64_t oldest = t_sequence + 1;
  Call call(one.arguments, one.results, operands);
  one.op->run(call);
  std::vector<Tensor> results;
  for (const SlotNumber slot : one.results) {
    if (slot != kNoSlot) results.push_back(operands[static_cast<size_t>(slot)]);
  }
  auto next = one.kept.begin();
  size_t place = 0;
  visit_kept(results, oldest, [&](const SavedTensor& saved) {
    if (next == one.kept.end() || next->place != place++) return;
    if (saved.defined() && !saved.packed()) slots[static_cast<size_t>(next->slot)] = detach(saved.raw());
    ++next;
  });
  check(next == one.kept.end(), "Tape: ", one.op->name, "() kept less for backward than when recorded");
  for (const SlotNumber slot : one.results) {
    if (slot == kNoSlot) continue;
    const Tensor& result = operands[static_cast<size_t>(slot)];
    slots[static_cast<size_t>(slot)] = result.defined() ? detach(result) : Tensor();
  }
}

}  // namespace

void visit_kept(std::span<const Tensor> results, uint64_t oldest,
                const std::function<void(const SavedTensor&)>& f) {
  std::vector<Ref<Node>> nodes;
  const auto add = [&](Ref<Node> node) {
    if (!node || node->sequence() < oldest || node->sequence() == Node::kFirst) return;
    if (std::ranges::find(nodes, node) == nodes.end()) nodes.push_back(std::move(node));
  };
  for (const Tensor& result : results) {
    if (result.defined() && result.requires_grad()) add(grad_fn(result));
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    Node& node = *nodes[i];
    node.visit_saved(f);
    for (const Edge& edge : node.edges()) add(edge.node);
  }
}

const Operator& gradient_operator() { return kOperators[0]; }

void execute(const Instruction& one, std::vector<Tensor>& slots, std::span<const double> numbers) {
  if (one.gradient) [[unlikely]]
    return run_gradient(one, slots);
  if (!one.kept.empty()) [[unlikely]]
    return run_keeping(one, slots);
  Call call(one.arguments, one.results, slots);
  call.set_numbers(numbers);
  one.op->run(call);
}

}  // namespace onetape::tape
