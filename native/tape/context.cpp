#include <algorithm>
#include <array>
#include <mutex>

#include "autograd/meta.h"
#include "autograd/mode.h"
#include "core/parallel.h"
#include "tape/plan.h"

namespace onetape::tape {
namespace {

/// Is that its .grad?
bool has_grad(const Tensor& leaf, const Tensor& gradient) {
  AutogradMeta* m = meta_or_null(leaf);
  if (!m) return !gradient.defined();
  const std::lock_guard guard(m->lock);
  return m->grad.is(gradient);
}

}  // namespace

Context::Context(const Plan& plan) : plan_(plan), slots_(plan.program.slots.size()) {
  for (size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = plan.program.slots[i];
    slots_[i] = slot.held;
    if (slot.origin == Origin::Captured) outside_.emplace_back(static_cast<SlotNumber>(i), slot.held.bytes());
  }
  const Ref<Storage> memory = Storage::allocate(plan.bytes);
  for (const Reserved& place : plan.reserved) {
    const Slot& slot = plan.program.slots[static_cast<size_t>(place.slot)];
    const auto bytes = static_cast<size_t>(checked_numel(slot.sizes, slot.dtype)) * item_size(slot.dtype);
    Ref<Storage> part = Storage::wrap(static_cast<char*>(memory->data()) + place.offset, bytes, [memory] {});
    slots_[static_cast<size_t>(place.slot)] =
        Tensor(TensorImpl::view(std::move(part), slot.sizes, contiguous_strides(slot.sizes), 0, slot.dtype));
  }
  const GradModeGuard no_grad(false);
  for (const size_t i : plan.once) {
    const Instruction& one = plan.program.code[i];
    Call call(one.arguments, one.results, slots_);
    one.op->run(call);
  }
  kept_ = slots_;
  for (const Step& step : plan.steps) {
    if (step.kind == Step::Kind::Loop) bind(step);
  }
}

bool Context::fits() const {
  return std::ranges::all_of(outside_, [this](const auto& one) {
    return slots_[static_cast<size_t>(one.first)].bytes() == one.second;
  });
}

/// Notes the addresses of a loop's operands, as far as they stay.
void Context::bind(const Step& step) {
  BoundLoop loop;
  for (const KernelCall& kernel : step.kernels) {
    Bound one{&kernel, {}, {}};
    for (size_t i = 0; i < kernel.operands.size(); ++i) {
      const KernelOperand& operand = kernel.operands[i];
      one.steps[i] = operand.step;
      if (operand.row >= 0 || operand.passes) continue;
      if (operand.slot == kNoSlot) {
        one.data[i] = operand.number.bytes();
      } else if (tensor(operand.slot).defined()) {
        one.data[i] = tensor(operand.slot).bytes() + operand.distance;
      } else {
        loop.moving.push_back({static_cast<uint32_t>(loop.kernels.size()), static_cast<uint32_t>(i),
                               operand.slot, operand.distance});
      }
    }
    loop.kernels.push_back(one);
  }
  const size_t per_element = std::max<size_t>(static_cast<size_t>(step.rows) * step.row_bytes, 1);
  loop.block = std::min<int64_t>(kMostBlock, static_cast<int64_t>(kScratchBytes / per_element) / 64 * 64);
  loops_.push_back(std::move(loop));
}

void Context::make_fresh(const Step& step) {
  for (const SlotNumber slot : step.fresh) {
    const Slot& form = plan_.program.slots[static_cast<size_t>(slot)];
    tensor(slot) = Tensor::empty(form.sizes, form.dtype);
  }
}

/// Runs the kernels of a loop over `count` elements from `at` on.
void Context::run_block(const Step& step, const BoundLoop& loop, char* scratch, int64_t at,
                        int64_t count) const {
  const size_t row_bytes = step.row_bytes * static_cast<size_t>(loop.block);
  const auto address = [&](size_t kernel, size_t operand) {
    const KernelOperand& one = step.kernels[kernel].operands[operand];
    if (loop.reduced && one.slot == step.reduces->slot) return loop.reduced + at * step.reduces->item;
    const Bound& bound = loop.kernels[kernel];
    return one.row >= 0 ? scratch + static_cast<size_t>(one.row) * row_bytes
                        : bound.data[operand] + at * bound.steps[operand];
  };
  for (const Part& part : step.parts) {
    if (part.links.empty()) {
      const KernelCall& kernel = step.kernels[part.first];
      std::array<char*, kMaxLoopOperands> data;
      for (size_t i = 0; i < kernel.operands.size(); ++i) data[i] = address(part.first, i);
      kernel.loop(data.data(), loop.kernels[part.first].steps.data(), count, kernel.params.data());
      continue;
    }
    std::array<ChainItem, kMostLinks> items;
    for (size_t i = 0; i < part.links.size(); ++i) {
      const ChainLink& link = part.links[i];
      char* data = nullptr;
      if (link.number.defined())
        data = link.number.bytes();
      else if (link.kind != ChainOperand::Value)
        data = address(link.kernel, link.operand);
      items[i] = {link.step, link.kind, data};
    }
    part.run(items.data(), part.links.size(), count);
  }
}

void Context::run_blocks(const Step& step, const BoundLoop& loop) const {
  parallel_for(step.kernels[0].numel, kLoopGrain, [&](int64_t begin, int64_t end) {
    alignas(64) char scratch[kScratchBytes];
    for (int64_t at = begin; at < end; at += loop.block)
      run_block(step, loop, scratch, at, std::min(loop.block, end - at));
  });
}

void Context::run_loop_step(const Step& step, BoundLoop& loop) {
  make_fresh(step);
  for (const Moving& one : loop.moving)
    loop.kernels[one.kernel].data[one.operand] = tensor(one.slot).bytes() + one.distance;
  const KernelCall& first = step.kernels[0];
  if (step.reduces) {
    run_reduced(step, loop);
  } else if (step.kernels.size() == 1 && (!first.flat || first.numel > kLoopGrain)) {
    run_kernel_call(first, {loop.kernels[0].data.data(), first.operands.size()});
  } else if (step.kernels.size() == 1) {
    const Bound& one = loop.kernels[0];
    first.loop(one.data.data(), one.steps.data(), first.numel, first.params.data());
  } else {
    run_blocks(step, loop);
  }
  for (const SlotNumber slot : step.changed) bump_version(tensor(slot));
}

void Context::run_call(const Step& step, std::span<const std::vector<double>> numbers) {
  const Instruction& one = plan_.program.code[step.instruction];
  if (step.kind == Step::Kind::Into) {
    make_fresh(step);
    Call call(step.arguments, one.results, slots_);
    step.op->run(call);
    return;
  }
  if (step.kind == Step::Kind::Reduces) {
    make_fresh(step);
    const ReduceCall& call = *step.reduces;
    char* const out[] = {tensor(call.result).bytes(), nullptr};
    run_reduction(*call.reduction, call.shape, call.item, tensor(call.slot).bytes(), out,
                  call.param ? &*call.param : nullptr);
    return;
  }
  execute(one, slots_, numbers.empty() ? std::span<const double>() : std::span<const double>(numbers[0]));
  check_results(plan_.program, one, slots_);
}

std::vector<Tensor> Context::run(std::span<const Tensor> inputs,
                                 std::span<const std::vector<double>> numbers) {
  const GradModeGuard no_grad(false);
  const MemoryReserve::Scope scope(reserve_);
  const Program& program = plan_.program;
  for (size_t i = 0; i < inputs.size(); ++i) slots_[static_cast<size_t>(program.inputs[i])] = inputs[i];
  size_t loop = 0;
  for (const Step& step : plan_.steps) {
    if (step.kind == Step::Kind::Loop) {
      run_loop_step(step, loops_[loop++]);
    } else {
      run_call(step, step.optimizes ? numbers : std::span<const std::vector<double>>());
      if (step.optimizes && !numbers.empty()) numbers = numbers.subspan(1);
    }
    for (const SlotNumber slot : step.ends) tensor(slot).reset();
  }
  for (const GradientNote& note : program.gradients) {
    const Tensor& leaf = slots_[static_cast<size_t>(note.leaf)];
    const Tensor now = note.gradient == kNoSlot ? Tensor() : slots_[static_cast<size_t>(note.gradient)];
    if (!has_grad(leaf, now)) set_grad(leaf, now);
  }
  std::vector<Tensor> outputs;
  outputs.reserve(program.outputs.size());
  for (const SlotNumber slot : program.outputs) outputs.push_back(slots_[static_cast<size_t>(slot)]);
  for (const SlotNumber slot : plan_.given) slots_[static_cast<size_t>(slot)].reset();
  for (const SlotNumber slot : program.inputs) slots_[static_cast<size_t>(slot)].reset();
  return outputs;
}

}  // namespace onetape::tape
