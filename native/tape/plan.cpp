#include "tape/plan.h"

#include <algorithm>

#include "autograd/meta.h"
#include "autograd/mode.h"
#include "tape/passes.h"

namespace onetape::tape {
namespace {

size_t memory_of(const Program& program, SlotNumber slot) {
  return static_cast<size_t>(program.slots[static_cast<size_t>(slot)].memory);
}

/// Makes the steps of a program from what was observed.
class Planner {
 public:
  Planner(Plan& plan, const std::vector<Observation>& seen)
      : plan_(plan),
        seen_(seen),
        leaving_(leaving_memories(plan.program, false)),
        written_(memory_count(plan.program)),
        steady_(plan.program.slots.size()),
        constant_(plan.program.slots.size()) {
    for (const Instruction& one : plan.program.code) {
      for (const SlotNumber slot : one.writes) written_[memory_of(plan.program, slot)] = true;
    }
    for (size_t i = 0; i < steady_.size(); ++i) {
      const Origin origin = plan.program.slots[i].origin;
      steady_[i] = origin == Origin::Captured || origin == Origin::Constant;
      constant_[i] = origin == Origin::Constant;
    }
  }

  void add(size_t i) {
    const Instruction& one = plan_.program.code[i];
    Step step;
    step.instruction = i;
    step.results = one.results;
    step.optimizes = std::string_view(one.op->name) == "optimizer_step";
    if (is_constant(one) || (seen_[i].is_view && all_operands(one, steady_))) {
      const bool constant = is_constant(one);
      step.kind = Step::Kind::Once;
      plan_.once.push_back(i);
      for (const SlotNumber slot : one.results) mark(slot, constant);
    } else if (seen_[i].kernel) {
      step.kind = Step::Kind::Loop;
      step.kernels.push_back(*seen_[i].kernel);
      place_result(step, one);
    } else if (seen_[i].reduces) {
      step.kind = Step::Kind::Reduces;
      step.reduces = seen_[i].reduces;
      place_result(step, one);
    } else if (seen_[i].into) {
      step.kind = Step::Kind::Into;
      step.op = seen_[i].into;
      step.arguments = {Place{one.results[0]}};
      step.arguments.insert(step.arguments.end(), one.arguments.begin(), one.arguments.end());
      place_result(step, one);
    }
    plan_.steps.push_back(std::move(step));
  }

 private:
  bool all_operands(const Instruction& one, const std::vector<bool>& have) const {
    bool all = true;
    for_each_operand(one, [&](SlotNumber slot) { all = all && have[static_cast<size_t>(slot)]; });
    return all;
  }
  /// Does it always give the same tensors, which nobody changes or is given?
  bool is_constant(const Instruction& one) const {
    if (one.draws || one.gradient || !one.kept.empty() || !one.writes.empty() ||
        !all_operands(one, constant_))
      return false;
    return std::ranges::all_of(one.results, [&](SlotNumber slot) {
      if (slot == kNoSlot) return true;
      const size_t memory = memory_of(plan_.program, slot);
      return !written_[memory] && !leaving_[memory];
    });
  }
  void mark(SlotNumber slot, bool constant) {
    if (slot == kNoSlot) return;
    steady_[static_cast<size_t>(slot)] = true;
    constant_[static_cast<size_t>(slot)] = constant;
  }
  /// Where a result that the step is given a tensor for comes to stand.
  void place_result(Step& step, const Instruction& one) {
    const SlotNumber result = one.results[0];
    if (!one.writes.empty()) {  // it is an operand
      step.changed = one.writes;
      return;
    }
    if (leaving_[memory_of(plan_.program, result)]) {
      step.fresh.push_back(result);
    } else {
      plan_.reserved.push_back({result});
      steady_[static_cast<size_t>(result)] = true;
    }
  }

  Plan& plan_;
  const std::vector<Observation>& seen_;
  std::vector<bool> leaving_;   // memories that the program gives away
  std::vector<bool> written_;   // memories that it changes
  std::vector<bool> steady_;    // slots whose tensors stay from run to run
  std::vector<bool> constant_;  // slots whose elements do, too
};

/// Which step looks at the tensor of a slot last, for those that do not stay.
void find_ends(Plan& plan) {
  std::vector<bool> stays(plan.program.slots.size());
  for (size_t i = 0; i < stays.size(); ++i) stays[i] = plan.program.slots[i].origin != Origin::Result;
  for (const Reserved& place : plan.reserved) stays[static_cast<size_t>(place.slot)] = true;
  for (const size_t i : plan.once) {
    for (const SlotNumber slot : plan.program.code[i].results) {
      if (slot != kNoSlot) stays[static_cast<size_t>(slot)] = true;
    }
  }
  for (const SlotNumber slot : plan.program.outputs) {
    if (!stays[static_cast<size_t>(slot)]) plan.given.push_back(slot);
  }
  for (const SlotNumber slot : plan.given) stays[static_cast<size_t>(slot)] = true;
  for (const GradientNote& note : plan.program.gradients) {
    if (note.gradient != kNoSlot) stays[static_cast<size_t>(note.gradient)] = true;
  }
  for (size_t i = plan.steps.size(); i-- > 0;) {
    Step& step = plan.steps[i];
    const auto see = [&](SlotNumber slot) {
      if (slot == kNoSlot || stays[static_cast<size_t>(slot)]) return;
      stays[static_cast<size_t>(slot)] = true;
      step.ends.push_back(slot);
    };
    for (const SlotNumber slot : step.results) see(slot);
    for (const KernelCall& kernel : step.kernels) {
      for (const KernelOperand& operand : kernel.operands) see(operand.slot);
    }
    if (step.reduces) see(step.reduces->slot);
    if (step.kind != Step::Kind::Loop) for_each_operand(plan.program.code[step.instruction], see);
  }
}

}  // namespace

std::vector<bool> leaving_memories(const Program& program, bool gradients) {
  std::vector<bool> leaving(memory_count(program));
  for (const SlotNumber slot : program.outputs) leaving[memory_of(program, slot)] = true;
  if (!gradients) return leaving;
  for (const GradientNote& note : program.gradients) {
    if (note.gradient != kNoSlot) leaving[memory_of(program, note.gradient)] = true;
  }
  return leaving;
}

Plan Plan::make(Program program, std::span<const Tensor> inputs, std::span<const std::vector<double>> numbers,
                std::vector<Tensor>& outputs) {
  Plan plan;
  plan.program = std::move(program);
  merge_common(plan.program);
  remove_dead(plan.program);
  std::vector<Tensor> slots(plan.program.slots.size());
  for (size_t i = 0; i < slots.size(); ++i) slots[i] = plan.program.slots[i].held;
  for (size_t i = 0; i < inputs.size(); ++i) slots[static_cast<size_t>(plan.program.inputs[i])] = inputs[i];
  const std::vector<Observation> seen = observe(plan.program, slots, numbers);
  for (const GradientNote& note : plan.program.gradients) {
    set_grad(slots[static_cast<size_t>(note.leaf)],
             note.gradient == kNoSlot ? Tensor() : slots[static_cast<size_t>(note.gradient)]);
  }
  for (const SlotNumber slot : plan.program.outputs) outputs.push_back(slots[static_cast<size_t>(slot)]);
  Planner planner(plan, seen);
  for (size_t i = 0; i < plan.program.code.size(); ++i) planner.add(i);
  fuse(plan, leaving_memories(plan.program, true));
  find_ends(plan);
  lay_out(plan, leaving_memories(plan.program, true));
  return plan;
}

}  // namespace onetape::tape
