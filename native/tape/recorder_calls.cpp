// How calls of operators and gradient functions become instructions; the rest of the recorder is in
// recorder.cpp.

#include <algorithm>

#include "autograd/meta.h"
#include "autograd/mode.h"
#include "autograd/record.h"
#include "tape/recorder.h"

namespace onetape::tape {

// ---- calls ----

void Recorder::begin(const Operator& op) {
  const std::string_view why = op.why;
  if (why.starts_with("none: ")) {
    check(!outermost(), "Tape: ", op.name, "() cannot be recorded: ", why.substr(6));
    depend_on_elements();
  }
  ages_.resize(frames_.size());
  ages_.push_back(t_sequence + 1);
  frames_.push_back({&op, program_.code.size()});
}

SlotNumber Recorder::operand(const Tensor& t) {
  if (!t.defined()) return kNoSlot;
  const SlotNumber slot = slot_of(t);
  Frame& frame = frames_.back();
  if (!is_opaque(slot) && !memories_.unchanged(t)) {
    check(frames_.size() > 1, "Tape: ", frame.op->name,
          "() is given a tensor whose elements were changed by something that a tape does not see");
    tensors_[static_cast<size_t>(slot)].opaque = true;
  }
  frame.blind = frame.blind || is_opaque(slot);
  frame.operands.emplace_back(slot, version(t));
  frame.first = program_.code.size();  // other names of operands are made before the call
  return slot;
}

void Recorder::argument(const Tensor& t) {
  if (t.defined() && t.impl()->wrapped_number()) {
    const WatcherPause pause;
    put(Number{item(t), t});
    return;
  }
  const Place place{operand(t)};
  put(place);
}

void Recorder::argument(std::span<const Tensor> all) {
  Places places;
  const bool no_masks = std::string_view(frames_.back().op->why).starts_with("no masks: ");
  for (const Tensor& t : all) {
    if (no_masks && t.defined() && (t.dtype() == DType::Bool || t.dtype() == DType::U8)) {
      check(frames_.size() > 1, "Tape: ", frames_.back().op->name,
            "() cannot be recorded with a mask: ", std::string_view(frames_.back().op->why).substr(10));
      frames_[frames_.size() - 2].decides = true;
    }
    places.slots.push_back(operand(t));
  }
  put(std::move(places));
}

void Recorder::argument(Generator* generator) {
  if (generator) {
    put(Ref<Generator>::share(generator));
  } else {
    put({});
  }
}

std::vector<SlotNumber> Recorder::written(const Frame& frame) const {
  std::vector<SlotNumber> changed;
  for (const auto& [slot, before] : frame.operands) {
    if (version(tensor(slot)) != before && std::ranges::find(changed, slot) == changed.end())
      changed.push_back(slot);
  }
  return changed;
}

/// Did the operator change an operand otherwise than by calls inside it?
bool Recorder::wrote_itself(const Frame& frame, std::span<const SlotNumber> changed) const {
  for (const SlotNumber slot : changed) {
    const int32_t memory = program_.slots[static_cast<size_t>(slot)].memory;
    const auto writes_it = [&](const Instruction& one) {
      return std::ranges::any_of(one.writes, [&](SlotNumber other) {
        return program_.slots[static_cast<size_t>(other)].memory == memory;
      });
    };
    const auto inside = std::span(program_.code).subspan(frame.first);
    if (std::ranges::none_of(inside, writes_it) || !memories_.unchanged(tensor(slot))) return true;
  }
  return false;
}

/// Do all results come from calls inside the operator?
bool Recorder::is_composed(const Frame& frame, std::span<const Tensor> results) const {
  if (frame.decides || frame.incomplete || frame.draws) return false;
  for (const Tensor& result : results) {
    if (!result.defined()) continue;
    const SlotNumber slot = known_slot(result);
    if (slot == kNoSlot || is_opaque(slot)) return false;
    const Kept& kept = tensors_[static_cast<size_t>(slot)];
    // The operator may have written into what another only made for it.
    if (kept.maker >= static_cast<int32_t>(frame.first)) return false;
    if (kept.history != history_of(result) || !memories_.unchanged(result)) return false;
  }
  return true;
}

/// Of the calls inside an operator that is an instruction itself, leaves those without effect; none of one
/// that decides by elements, which may have become numbers in them.
void Recorder::keep_pure(const Frame& frame) {
  std::vector<int32_t> changed;  // memories, by calls that are left out
  std::vector<Instruction> kept;
  auto& code = program_.code;
  for (size_t i = frame.first; i < code.size(); ++i) {
    Instruction& one = code[i];
    bool left_out = frame.decides || !one.writes.empty() || one.draws;
    for_each_operand(one, [&](SlotNumber slot) {
      const int32_t memory = program_.slots[static_cast<size_t>(slot)].memory;
      left_out = left_out || is_opaque(slot) || std::ranges::find(changed, memory) != changed.end();
    });
    if (!left_out) {
      kept.push_back(std::move(one));
      continue;
    }
    for (const SlotNumber slot : one.writes)
      changed.push_back(program_.slots[static_cast<size_t>(slot)].memory);
    for (const SlotNumber slot : one.results) {
      if (slot != kNoSlot && std::ranges::find(one.writes, slot) == one.writes.end())
        tensors_[static_cast<size_t>(slot)].opaque = true;
    }
  }
  for (const int32_t memory : changed) {
    const auto is_operand = [&](const auto& operand) {
      return program_.slots[static_cast<size_t>(operand.first)].memory == memory;
    };
    if (std::ranges::any_of(frame.operands, is_operand)) continue;
    for (size_t i = 0; i < tensors_.size(); ++i) tensors_[i].opaque |= program_.slots[i].memory == memory;
  }
  code.resize(frame.first);
  std::ranges::move(kept, std::back_inserter(code));
}

SlotNumber Recorder::define(const Tensor& result, const Frame& frame) {
  if (!result.defined()) return kNoSlot;
  for (const auto& [slot, before] : frame.operands) {
    if (tensor(slot).is(result)) return slot;
  }
  return add_slot(result, Origin::Result);
}

void Recorder::add_call(Frame& frame, std::span<const Tensor> results, std::vector<SlotNumber> changed) {
  static constexpr std::string_view kMakers[] = {"empty_like", "zeros_like", "ones_like",
                                                 "full_like",  "new_empty",  "new_zeros",
                                                 "clone",      "contiguous", "to_dtype"};
  const auto inside = std::span(program_.code).subspan(frame.first);
  const bool draws = frame.op->draws || frame.draws || std::ranges::any_of(inside, &Instruction::draws);
  keep_pure(frame);
  if (frame.blind) {
    check(!outermost(),
          "Tape: ", frame.op == &gradient_operator() ? gradients_.back()->name() : frame.op->name,
          "() is given a tensor that something made which a tape does not see");
    if (draws || !changed.empty()) frames_.back().incomplete = true;
  }
  Instruction made;
  made.op = frame.op;
  made.arguments = std::move(frame.arguments);
  if (frame.op == &gradient_operator()) {
    made.gradient = std::make_shared<Gradient>();
    made.gradient->node = gradients_.back();
  }
  const bool maker = frame.op->makes || std::ranges::find(kMakers, frame.op->name) != std::end(kMakers);
  for (const Tensor& result : results) {
    const SlotNumber slot = define(result, frame);
    made.results.push_back(slot);
    if (slot == kNoSlot || static_cast<size_t>(slot) + 1 != tensors_.size()) continue;
    tensors_.back().opaque = frame.blind;
    if (maker) tensors_.back().maker = static_cast<int32_t>(program_.code.size());
  }
  made.writes = std::move(changed);
  made.grad = recording_enabled();
  made.draws = draws;
  if (frame.blind) return;
  keep_saved(made, results, frame);
  program_.code.push_back(std::move(made));
}

/// What an operator kept for backward and made by itself: results of the instruction that only backward sees.
void Recorder::keep_saved(Instruction& made, std::span<const Tensor> results, const Frame& frame) {
  if (made.gradient || !made.writes.empty()) return;
  size_t place = 0;
  visit_kept(results, ages_[frames_.size()], [&](const SavedTensor& saved) {
    const size_t at = place++;
    if (!saved.defined() || saved.packed()) return;
    const Tensor& t = saved.raw();
    const Memories::Memory* memory = memories_.find(t);
    const bool known = memory ? !is_opaque(memory->slots.back()) : !born_.contains(t.impl()->storage());
    if (!known) made.kept.push_back({at, add_slot(t, Origin::Result)});
  });
  if (made.kept.empty()) return;
  for (const auto& [slot, before] : frame.operands) {
    if (tensor(slot).requires_grad()) made.tracked.push_back(slot);
  }
}

// ---- gradient functions ----

void Recorder::gradient_begins(Node& node, std::span<const Tensor> gradients) {
  for (const auto& [first, last] : numbered_) {
    check(node.sequence() < first || node.sequence() > last, "Tape: the gradient of ", node.name(),
          " cannot be recorded: it uses numbers that were computed from elements");
  }
  std::vector<Tensor> saved;
  node.visit_saved([&](const SavedTensor& one) {
    saved.push_back(one.defined() && !one.packed() ? one.raw() : Tensor());
  });
  begin(gradient_operator());
  gradients_.push_back(Ref<Node>::share(&node));
  try {
    argument(gradients);
    argument(std::span<const Tensor>(saved));
  } catch (...) {
    gradient_fails();
    throw;
  }
}

void Recorder::gradient_ends(std::span<const Tensor> results) {
  end(results);
  gradients_.pop_back();
}

void Recorder::gradient_fails() noexcept {
  abandon();
  gradients_.pop_back();
}

void Recorder::end(std::span<const Tensor> results) {
  Frame frame = std::move(frames_.back());
  std::vector<SlotNumber> changed = written(frame);
  const bool composed = !wrote_itself(frame, changed) && is_composed(frame, results);
  frames_.pop_back();
  if (frame.numbers && frame.op != &gradient_operator())
    numbered_.emplace_back(ages_[frames_.size()], t_sequence);
  try {
    if (composed) {
      for (const Tensor& result : results) {
        if (result.defined()) slot_of(result);
      }
    } else {
      add_call(frame, results, changed);
    }
    note_state(frame, results, changed);
  } catch (...) {
    frames_.push_back(std::move(frame));  // which abandon() takes away
    throw;
  }
}

/// What stands in the memories and the graph now is what the instructions made.
void Recorder::note_state(const Frame& frame, std::span<const Tensor> results,
                          std::span<const SlotNumber> changed) {
  for (const auto& [slot, before] : frame.operands) check_form(slot);
  for (const Tensor& result : results) {
    if (!result.defined()) continue;
    memories_.look(result);
    tensors_[static_cast<size_t>(by_tensor_.at(result.impl()))].history = history_of(result);
  }
  for (const SlotNumber slot : changed) {
    memories_.look(tensor(slot));
    tensors_[static_cast<size_t>(slot)].history = history_of(tensor(slot));
    tensors_[static_cast<size_t>(slot)].maker = -1;
  }
}

}  // namespace onetape::tape
