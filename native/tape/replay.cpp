#include "tape/replay.h"

#include "autograd/meta.h"
#include "autograd/mode.h"
#include "tape/recorder.h"

namespace onetape::tape {
namespace {

constexpr int64_t kLarge = 32768;  // elements

/// For each instruction, the slots that it is the last to use, and that need not outlive it.
std::vector<std::vector<SlotNumber>> ends_of(const Program& program) {
  std::vector<bool> used(program.slots.size());
  for (const SlotNumber slot : program.outputs) used[static_cast<size_t>(slot)] = true;
  for (const GradientNote& note : program.gradients) {
    if (note.gradient != kNoSlot) used[static_cast<size_t>(note.gradient)] = true;
  }
  std::vector<std::vector<SlotNumber>> ends(program.code.size());
  for (size_t i = program.code.size(); i-- > 0;) {
    const auto see = [&](SlotNumber slot) {
      if (slot == kNoSlot || used[static_cast<size_t>(slot)]) return;
      used[static_cast<size_t>(slot)] = true;
      ends[i].push_back(slot);
    };
    for_each_operand(program.code[i], see);
    for (const SlotNumber slot : program.code[i].results) see(slot);
  }
  return ends;
}

}  // namespace

void check_results(const Program& program, const Instruction& one, std::span<const Tensor> slots) {
  for (const SlotNumber result : one.results) {
    if (result == kNoSlot) continue;
    const Slot& form = program.slots[static_cast<size_t>(result)];
    const Tensor& t = slots[static_cast<size_t>(result)];
    check(t.defined(), "Tape: ", one.op->name, "() gives nothing where it gave a tensor when recorded");
    check(same(t.sizes(), form.sizes), "Tape: a result of ", one.op->name, "() has shape ", t.shape(),
          " but had ", form.sizes, " when recorded: its size depends on elements");
    check(t.dtype() == form.dtype, "Tape: a result of ", one.op->name, "() is ", t.dtype(), " but was ",
          form.dtype, " when recorded");
  }
}

Tape::Tape(Program program) : program_(std::move(program)), guards_(program_), ends_(ends_of(program_)) {
  int64_t elements = 0;
  for (const Slot& slot : program_.slots) elements += checked_numel(slot.sizes, slot.dtype);
  large_ = elements > kLarge;
  for (size_t i = 0; i < program_.slots.size(); ++i) {
    const Origin origin = program_.slots[i].origin;
    if (origin == Origin::Input || origin == Origin::Captured)
      changes_outside_ = changes_outside_ || is_written(program_, static_cast<SlotNumber>(i));
  }
}

Tape::~Tape() { delete plan_.load(std::memory_order_acquire); }

void Tape::release() {
  if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

std::optional<std::string> Tape::mismatch(std::span<const Tensor> inputs) const {
  return guards_.mismatch(inputs);
}

Ref<Tape> Tape::reordered() const {
  Program program = program_;
  program.reorder_sums = true;
  return Ref<Tape>::adopt(new Tape(std::move(program)));
}

std::vector<Tensor> Tape::captured() const {
  std::vector<Tensor> all;
  for (const SlotNumber slot : guards_.captured())
    all.push_back(program_.slots[static_cast<size_t>(slot)].held);
  return all;
}

/// Calls one operator after the other, as the recorded function did.
std::vector<Tensor> Tape::run_calls(std::span<const Tensor> inputs,
                                    std::span<const std::vector<double>> numbers) const {
  std::vector<Tensor> slots(program_.slots.size());
  for (size_t i = 0; i < slots.size(); ++i) slots[i] = program_.slots[i].held;
  for (size_t i = 0; i < inputs.size(); ++i) slots[static_cast<size_t>(program_.inputs[i])] = inputs[i];
  const bool differentiable = grad_enabled() && !program_.ran_backward;
  for (size_t i = 0; i < program_.code.size(); ++i) {
    const Instruction& one = program_.code[i];
    const GradModeGuard mode(differentiable && one.grad);
    const bool optimizes = !numbers.empty() && std::string_view(one.op->name) == "optimizer_step";
    execute(one, slots, optimizes ? std::span<const double>(numbers[0]) : std::span<const double>());
    if (optimizes) numbers = numbers.subspan(1);
    check_results(program_, one, slots);
    for (const SlotNumber slot : ends_[i]) slots[static_cast<size_t>(slot)].reset();
  }
  for (const GradientNote& note : program_.gradients) {
    set_grad(slots[static_cast<size_t>(note.leaf)],
             note.gradient == kNoSlot ? Tensor() : slots[static_cast<size_t>(note.gradient)]);
  }
  std::vector<Tensor> outputs;
  for (const SlotNumber slot : program_.outputs) outputs.push_back(slots[static_cast<size_t>(slot)]);
  return outputs;
}

/// Do inputs share memory with each other, or with tensors from outside? A plan takes them for memories of
/// their own.
bool Tape::overlaps(std::span<const Tensor> inputs) const {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Storage* storage = inputs[i].impl()->storage();
    for (size_t k = 0; k < i; ++k) {
      if (inputs[k].impl()->storage() == storage) return true;
    }
    for (const SlotNumber slot : guards_.captured()) {
      if (program_.slots[static_cast<size_t>(slot)].held.impl()->storage() == storage) return true;
    }
  }
  return false;
}

/// A context that nobody uses and that still fits, or none.
std::unique_ptr<Context> Tape::take_context() {
  for (;;) {
    std::unique_ptr<Context> context;
    {
      const std::lock_guard guard(idle_lock_);
      if (idle_.empty()) return nullptr;
      context = std::move(idle_.back());
      idle_.pop_back();
    }
    if (context->fits()) return context;
  }
}

void Tape::give_back(std::unique_ptr<Context> context) {
  const std::lock_guard guard(idle_lock_);
  idle_.push_back(std::move(context));
}

std::vector<Tensor> Tape::run_planned(std::span<const Tensor> inputs,
                                      std::span<const std::vector<double>> numbers) {
  const Plan* plan = plan_.load(std::memory_order_acquire);
  if ((!plan || changes_outside_) && overlaps(inputs)) return run_calls(inputs, numbers);
  if (!plan) {
    const std::lock_guard guard(lock_);
    plan = plan_.load(std::memory_order_acquire);
    if (!plan) {
      std::vector<Tensor> outputs;
      auto made = std::make_unique<Plan>(Plan::make(program_, inputs, numbers, outputs));
      plan_.store(made.release(), std::memory_order_release);
      return outputs;
    }
  }
  std::unique_ptr<Context> context = take_context();
  if (!context) context = std::make_unique<Context>(*plan);
  std::vector<Tensor> outputs = context->run(inputs, numbers);
  give_back(std::move(context));
  return outputs;
}

std::vector<Tensor> Tape::run(std::span<const Tensor> inputs, std::span<const std::vector<double>> numbers) {
  if (const auto why = mismatch(inputs)) fail(ErrorKind::Runtime, "Tape: ", *why);
  if (current_recorder() || (!program_.ran_backward && guards_.wants_gradient(inputs)))
    return run_calls(inputs, numbers);
  const GradModeGuard no_grad(false);
  return run_planned(inputs, numbers);
}

void begin_recording(std::span<const Tensor> inputs) {
  auto recorder = std::make_unique<Recorder>(inputs);
  [[maybe_unused]] const Recorder* owned = recorder.release();  // by the thread, which it entered itself in
}

Ref<Tape> finish_recording(std::span<const Tensor> outputs, bool clears) {
  check(current_recorder(), "Tape: this thread is not being recorded");
  const std::unique_ptr<Recorder> recorder(current_recorder());
  return Ref<Tape>::adopt(new Tape(recorder->finish(outputs, clears)));
}

void abandon_recording() noexcept { delete current_recorder(); }

}  // namespace onetape::tape
