#include "tape/recorder.h"

#include <algorithm>

#include "autograd/forward.h"
#include "autograd/mode.h"
#include "ops/view.h"
#include "tape/alias.h"
#include "tape/passes.h"

namespace onetape::tape {
namespace {

bool same_form(const Slot& slot, const char* bytes, const Tensor& t) {
  return bytes == t.bytes() && slot.dtype == t.dtype() && same(slot.sizes, t.sizes()) &&
         same(slot.strides, t.strides());
}

}  // namespace

Recorder::Recorder(std::span<const Tensor> inputs) {
  check(!current_recorder(), "Tape: this thread is being recorded already");
  check(!dual_active(), "Tape: forward mode cannot be recorded");
  program_.default_dtype = default_dtype();
  program_.grad_mode = grad_enabled();
  for (const Tensor& input : inputs) {
    check(input.defined(), "Tape: an input is an undefined tensor");
    check(!by_tensor_.contains(input.impl()),
          "Tape: a tensor is given as two inputs; give one of them as a copy");
    program_.inputs.push_back(add_slot(input, Origin::Input));
  }
  set_watcher(this);
}

Recorder::~Recorder() {
  if (thread_modes.watcher == this) set_watcher(profiler::plain_watcher());
}

// ---- tensors ----

SlotNumber Recorder::add_slot(const Tensor& t, Origin origin) {
  const auto number = static_cast<SlotNumber>(program_.slots.size());
  Slot slot{origin, t.dtype(), t.requires_grad(), t.shape(), Ints(t.strides())};
  slot.memory = memories_.add(t, number).number;
  Kept kept{t, history_of(t), t.bytes()};
  if (origin == Origin::Input || origin == Origin::Captured) {
    if (is_leaf(t)) kept.gradient = grad(t);
  }
  program_.slots.push_back(std::move(slot));
  tensors_.push_back(std::move(kept));
  by_tensor_[t.impl()] = number;
  return number;
}

/// The slot that holds just this tensor, or another name of it.
SlotNumber Recorder::known_slot(const Tensor& t) const {
  const auto found = by_tensor_.find(t.impl());
  if (found != by_tensor_.end()) return found->second;
  const Memories::Memory* memory = memories_.find(t);
  if (!memory) return kNoSlot;
  for (size_t i = memory->slots.size(); i-- > 0;) {
    const SlotNumber slot = memory->slots[i];
    const auto at = static_cast<size_t>(slot);
    if (same_form(program_.slots[at], tensors_[at].bytes, t) &&
        history_of(tensors_[at].kept) == history_of(t))
      return slot;
  }
  return kNoSlot;
}

void Recorder::check_form(SlotNumber slot) const {
  const auto at = static_cast<size_t>(slot);
  check(same_form(program_.slots[at], tensors_[at].bytes, tensors_[at].kept),
        "Tape: the sizes or the memory of a tensor are changed in place, which cannot be recorded");
}

SlotNumber Recorder::slot_of(const Tensor& t) {
  const SlotNumber known = known_slot(t);
  if (known != kNoSlot) {
    check_form(known);
    if (by_tensor_.emplace(t.impl(), known).second) aliases_.push_back(t);
    return known;
  }
  const Memories::Memory* memory = memories_.find(t);
  if (!memory) return add_outside(t);
  const auto first = static_cast<size_t>(memory->slots.front());
  if (program_.slots[first].origin == Origin::Captured &&
      !same_form(program_.slots[first], tensors_[first].bytes, t)) {
    const SlotNumber slot = add_slot(t, Origin::Captured);  // another part of a memory from outside
    program_.slots.back().held = t;
    return slot;
  }
  return add_alias(t, memory->slots.back());
}

/// A tensor that no operator made: it was there before, or its elements are the program's own, or something
/// made it that is not seen.
SlotNumber Recorder::add_outside(const Tensor& t) {
  const Storage* storage = t.impl()->storage();
  if (!born_.contains(storage)) {
    const SlotNumber slot = add_slot(t, Origin::Captured);
    program_.slots.back().held = t;
    return slot;
  }
  if (constants_.contains(storage)) {
    const SlotNumber slot = add_slot(t, Origin::Constant);
    const WatcherPause pause;
    program_.slots.back().held = copy_of_form(t);
    return slot;
  }
  const SlotNumber slot = add_slot(t, Origin::Result);
  tensors_.back().opaque = true;
  return slot;
}

/// Another view of a memory, made by no operator.
SlotNumber Recorder::add_alias(const Tensor& t, SlotNumber base) {
  const bool opaque = is_opaque(base);
  const int64_t distance = t.bytes() - tensors_[static_cast<size_t>(base)].bytes;
  const SlotNumber slot = add_slot(t, Origin::Result);
  tensors_.back().opaque = opaque;
  if (opaque) return slot;
  Instruction made{&alias_operator()};
  made.arguments = {Place{base}, Ints(t.sizes()), Ints(t.strides()), distance, t.dtype()};
  made.results = {slot};
  program_.code.push_back(std::move(made));
  return slot;
}

// ---- what is seen besides calls ----

void Recorder::elements_read(const Tensor& t, const char* how) {
  if (t.defined()) {
    if (t.impl()->wrapped_number() || constants_.contains(t.impl()->storage())) return;
  }
  if (!outermost()) {
    frames_.back().decides = true;
    frames_.back().numbers = frames_.back().numbers || how != kForItself;
    return;
  }
  fail(ErrorKind::Runtime, "Tape: ", how,
       " gives the program elements of a tensor, by which it may decide; a tape runs the same operators "
       "whatever "
       "the elements are");
}

void Recorder::constant_made(const Tensor& t) {
  // Inside an operator a number may have been computed from elements.
  if (outermost() && t.defined() && born_.contains(t.impl()->storage()))
    constants_.emplace(t.impl()->storage(), t);
}

void Recorder::numbers_drawn() {
  if (!outermost()) frames_.back().draws = true;
}

void Recorder::depend_on_elements() {
  if (!outermost()) frames_.back().decides = true;
}

// ---- the end ----

/// What the program did to `.grad` of tensors that were there before.
void Recorder::note_gradients() {
  const size_t count = tensors_.size();
  for (size_t i = 0; i < count; ++i) {
    const Origin origin = program_.slots[i].origin;
    if (origin != Origin::Input && origin != Origin::Captured) continue;
    if (!is_leaf(tensors_[i].kept)) continue;
    const Tensor now = grad(tensors_[i].kept);
    const Tensor before = tensors_[i].gradient;
    if (!now.is(before) || (before.defined() && by_tensor_.contains(before.impl()))) {
      program_.starts.push_back({static_cast<SlotNumber>(i), before.defined() ? slot_of(before) : kNoSlot});
    }
    if (now.is(before)) continue;
    const SlotNumber slot = now.defined() ? slot_of(now) : kNoSlot;
    check(!is_opaque(slot), "Tape: a gradient was made by something that a tape does not see");
    program_.gradients.push_back({static_cast<SlotNumber>(i), slot});
  }
}

Program Recorder::finish(std::span<const Tensor> outputs, bool clears) {
  program_.clears = clears;
  check(outermost(), "Tape: an operator is still running");
  for (const Tensor& output : outputs) {
    check(output.defined(), "Tape: an output is an undefined tensor");
    const SlotNumber slot = slot_of(output);
    check(!is_opaque(slot), "Tape: an output was made by something that a tape does not see");
    check(memories_.unchanged(output), "Tape: an output was changed by something that a tape does not see");
    program_.outputs.push_back(slot);
  }
  note_gradients();
  set_watcher(profiler::plain_watcher());
  renew_constants(program_);
  remove_dead(program_);
  remove_unused_slots(program_);
  check_complete(program_);
  return std::move(program_);
}

}  // namespace onetape::tape
