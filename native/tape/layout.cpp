#include <algorithm>

#include "tape/plan.h"

namespace onetape::tape {
namespace {

constexpr size_t kAlignment = 64;

/// From which step to which the memory of a reserved tensor is needed.
struct Life {
  size_t first = SIZE_MAX;
  size_t last = 0;
  void include(size_t step) {
    first = std::min(first, step);
    last = std::max(last, step);
  }
  bool meets(const Life& other) const { return first <= other.last && other.first <= last; }
};

size_t memory_of(const Plan& plan, SlotNumber slot) {
  return static_cast<size_t>(plan.program.slots[static_cast<size_t>(slot)].memory);
}

std::vector<Life> lives(const Plan& plan, const std::vector<bool>& leaving) {
  std::vector<Life> all(leaving.size());
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const Step& step = plan.steps[i];
    const auto see = [&](SlotNumber slot) {
      if (slot != kNoSlot) all[memory_of(plan, slot)].include(i);
    };
    for (const SlotNumber slot : step.results) see(slot);
    for (const KernelCall& kernel : step.kernels) {
      for (const KernelOperand& operand : kernel.operands) see(operand.slot);
    }
    if (step.reduces) see(step.reduces->slot);
    if (step.kind != Step::Kind::Loop) for_each_operand(plan.program.code[step.instruction], see);
  }
  for (size_t m = 0; m < all.size(); ++m) {
    if (leaving[m]) all[m] = {0, plan.steps.size()};  // what stays in .grad is there before the run, too
  }
  return all;
}

/// The tensor that a loop reads for the last time where it writes `result`: it may write there.
const Reserved* dying(const Plan& plan, const std::vector<Life>& life, const Reserved& result, size_t done) {
  const size_t first = life[memory_of(plan, result.slot)].first;
  const Step& step = plan.steps[first];
  if (step.kind != Step::Kind::Loop || step.kernels.size() != 1 || step.reduces || !step.kernels[0].flat)
    return nullptr;
  for (size_t k = 1; k < step.kernels[0].operands.size(); ++k) {
    const KernelOperand& operand = step.kernels[0].operands[k];
    if (operand.slot == kNoSlot || operand.distance != 0 || operand.step == 0) continue;
    for (size_t i = 0; i < done; ++i) {
      const Reserved& other = plan.reserved[i];
      if (other.slot == operand.slot && other.bytes == result.bytes &&
          life[memory_of(plan, other.slot)].last == first)
        return &other;
    }
  }
  return nullptr;
}

}  // namespace

void lay_out(Plan& plan, const std::vector<bool>& leaving) {
  const std::vector<Life> life = lives(plan, leaving);
  const auto life_of = [&](const Reserved& one) { return life[memory_of(plan, one.slot)]; };
  for (size_t i = 0; i < plan.reserved.size(); ++i) {
    Reserved& one = plan.reserved[i];
    const Slot& slot = plan.program.slots[static_cast<size_t>(one.slot)];
    const size_t bytes = static_cast<size_t>(checked_numel(slot.sizes, slot.dtype)) * item_size(slot.dtype);
    one.bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    const Reserved* over = dying(plan, life, one, i);
    // The places of what lives at the same time, in order; the first gap that is large enough is taken.
    std::vector<std::pair<size_t, size_t>> taken;
    for (size_t k = 0; k < i; ++k) {
      const Reserved& other = plan.reserved[k];
      if (&other != over && life_of(one).meets(life_of(other)))
        taken.emplace_back(other.offset, other.offset + other.bytes);
    }
    std::ranges::sort(taken);
    const auto free_at = [&](size_t at) {
      return std::ranges::none_of(taken,
                                  [&](const auto& t) { return t.first < at + one.bytes && at < t.second; });
    };
    if (over && free_at(over->offset)) {
      one.offset = over->offset;
    } else {
      if (over) taken.emplace_back(over->offset, over->offset + over->bytes);
      std::ranges::sort(taken);
      one.offset = 0;
      for (const auto& [begin, end] : taken) {
        if (begin >= one.offset + one.bytes) break;
        one.offset = std::max(one.offset, end);
      }
    }
    plan.bytes = std::max(plan.bytes, one.offset + one.bytes);
  }
}

}  // namespace onetape::tape
