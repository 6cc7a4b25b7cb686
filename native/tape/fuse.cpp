#include <algorithm>

#include "tape/plan.h"

namespace onetape::tape {
namespace {

constexpr int32_t kMostRows = 8;  // of scratch memory, which is to stay in the first cache

size_t memory_of(const Program& program, SlotNumber slot) {
  return static_cast<size_t>(program.slots[static_cast<size_t>(slot)].memory);
}

bool writes_outside(const Step& step) { return !step.changed.empty(); }

/// May a kernel go into a loop after others? It reads and writes element by element, as many of them.
bool joins(const Step& loop, const Step& next) {
  if (next.kind != Step::Kind::Loop || loop.kernels.size() >= kMostKernels || loop.reduces) return false;
  const KernelCall& last = loop.kernels.back();
  const KernelCall& kernel = next.kernels[0];
  if (!last.flat || !kernel.flat || last.numel != kernel.numel) return false;
  return !writes_outside(loop) && !writes_outside(next);
}

/// May a reduction of what a loop makes go into its blocks? `reorders`: also where it then adds in another
/// order.
bool takes_in(const Step& loop, const ReduceCall& call, bool reorders) {
  const KernelCall& last = loop.kernels.back();
  const bool made = std::ranges::any_of(
      loop.kernels, [&](const KernelCall& kernel) { return kernel.operands[0].slot == call.slot; });
  return made && last.flat && !loop.reduces && !writes_outside(loop) &&
         last.numel == call.length * call.results && call.length >= kLeastReduced &&
         (call.length <= kMostBlock || reorders);
}

/// Reads a kernel a tensor of the loop otherwise than element by element? A number that the loop makes, say.
bool reads_across(const Step& loop, const KernelCall& kernel, const Program& program) {
  for (size_t i = 1; i < kernel.operands.size(); ++i) {
    const KernelOperand& operand = kernel.operands[i];
    if (operand.slot == kNoSlot) continue;
    for (const SlotNumber made : loop.results) {
      if (memory_of(program, made) != memory_of(program, operand.slot)) continue;
      if (made != operand.slot || operand.distance != 0 || operand.step == 0) return true;
    }
  }
  return false;
}

/// How often each memory is looked at, by steps and by what the program gives away.
std::vector<size_t> uses(const Plan& plan, const std::vector<bool>& leaving) {
  std::vector<size_t> count(leaving.size());
  for (size_t m = 0; m < leaving.size(); ++m) count[m] = leaving[m] ? 1 : 0;
  for (const Step& step : plan.steps) {
    for (const KernelCall& kernel : step.kernels) {
      for (size_t i = 1; i < kernel.operands.size(); ++i) {
        if (kernel.operands[i].slot != kNoSlot) ++count[memory_of(plan.program, kernel.operands[i].slot)];
      }
    }
    if (step.kind == Step::Kind::Loop) {
      if (step.reduces) ++count[memory_of(plan.program, step.reduces->slot)];
      continue;
    }
    for_each_operand(plan.program.code[step.instruction],
                     [&](SlotNumber slot) { ++count[memory_of(plan.program, slot)]; });
  }
  return count;
}

/// Gives what only the loop sees a row of scratch memory instead of a tensor.
class Rows {
 public:
  Rows(Plan& plan, Step& loop, const std::vector<size_t>& uses) : plan_(plan), loop_(loop), uses_(uses) {}

  void assign() {
    for (size_t k = 0; k < loop_.kernels.size(); ++k) {
      for (size_t i = 1; i < loop_.kernels[k].operands.size(); ++i) use(loop_.kernels[k].operands[i]);
      KernelOperand& result = loop_.kernels[k].operands[0];
      if (result.passes) {
        drop(result.slot);
      } else if (stays_inside(result.slot, k)) {
        make(result);
      }
    }
  }

 private:
  struct Row {
    SlotNumber slot = kNoSlot;
    size_t left = 0;  // how often it will still be read
  };

  size_t reads_inside(SlotNumber slot, size_t after) const {
    size_t count = 0;
    for (size_t k = after + 1; k < loop_.kernels.size(); ++k) {
      const auto& operands = loop_.kernels[k].operands;
      for (size_t i = 1; i < operands.size(); ++i) count += operands[i].slot == slot;
    }
    return count + (loop_.reduces && loop_.reduces->slot == slot ? 1 : 0);
  }
  bool stays_inside(SlotNumber slot, size_t k) const {
    return reads_inside(slot, k) == uses_[memory_of(plan_.program, slot)];
  }
  void make(KernelOperand& result) {
    auto free = std::ranges::find(rows_, size_t{0}, &Row::left);
    if (free == rows_.end()) {
      if (static_cast<int32_t>(rows_.size()) == kMostRows) return;
      rows_.emplace_back();
      free = rows_.end() - 1;
    }
    *free = {result.slot, uses_[memory_of(plan_.program, result.slot)]};
    result.row = static_cast<int32_t>(free - rows_.begin());
    if (loop_.reduces && loop_.reduces->slot == result.slot) loop_.reduces->row = result.row;
    loop_.rows = std::max(loop_.rows, result.row + 1);
    loop_.row_bytes = std::max(loop_.row_bytes, static_cast<size_t>(result.step));
    drop(result.slot);
  }
  /// It needs no memory of its own.
  void drop(SlotNumber slot) {
    std::erase_if(plan_.reserved, [slot](const Reserved& one) { return one.slot == slot; });
    std::erase(loop_.results, slot);
  }
  void use(KernelOperand& operand) {
    if (operand.slot == kNoSlot) return;
    for (size_t r = 0; r < rows_.size(); ++r) {
      if (rows_[r].slot != operand.slot || rows_[r].left == 0) continue;
      operand.row = static_cast<int32_t>(r);
      --rows_[r].left;
    }
  }

  Plan& plan_;
  Step& loop_;
  const std::vector<size_t>& uses_;
  std::vector<Row> rows_;
};

}  // namespace

void fuse(Plan& plan, const std::vector<bool>& leaving) {
  std::vector<Step> joined;
  for (Step& step : plan.steps) {
    if (step.kind == Step::Kind::Once) continue;
    if (step.kind == Step::Kind::Reduces && !joined.empty() && joined.back().kind == Step::Kind::Loop &&
        takes_in(joined.back(), *step.reduces, plan.program.reorder_sums)) {
      Step& loop = joined.back();
      loop.reduces = std::move(step.reduces);
      loop.fresh.insert(loop.fresh.end(), step.fresh.begin(), step.fresh.end());
      loop.results.insert(loop.results.end(), step.results.begin(), step.results.end());
      continue;
    }
    if (!joined.empty() && joined.back().kind == Step::Kind::Loop && joins(joined.back(), step) &&
        !reads_across(joined.back(), step.kernels[0], plan.program)) {
      Step& loop = joined.back();
      loop.kernels.push_back(std::move(step.kernels[0]));
      loop.fresh.insert(loop.fresh.end(), step.fresh.begin(), step.fresh.end());
      loop.results.insert(loop.results.end(), step.results.begin(), step.results.end());
      continue;
    }
    joined.push_back(std::move(step));
  }
  plan.steps = std::move(joined);
  const std::vector<size_t> count = uses(plan, leaving);
  for (Step& step : plan.steps) {
    if (step.kernels.size() < 2 && !(step.kind == Step::Kind::Loop && step.reduces)) continue;
    make_chains(plan.program, step, count);
    Rows(plan, step, count).assign();
  }
}

}  // namespace onetape::tape
