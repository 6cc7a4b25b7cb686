#include <algorithm>

#include "tape/alias.h"
#include "tape/passes.h"

namespace onetape::tape {
namespace {

/// What is still needed, going backwards through a program.
class Need {
 public:
  explicit Need(const Program& program)
      : program_(program), slots_(program.slots.size()), memories_(memory_count(program)) {
    for (const Slot& slot : program.slots) {
      if (slot.origin == Origin::Input || slot.origin == Origin::Captured) memories_[memory(slot)] = true;
    }
    for (const SlotNumber slot : program.outputs) add(slot);
    for (const GradientNote& note : program.gradients) {
      add(note.leaf);
      if (note.gradient != kNoSlot) add(note.gradient);
    }
  }
  bool of(const Instruction& one) const {
    const auto wanted = [this](SlotNumber slot) {
      return slot != kNoSlot && slots_[static_cast<size_t>(slot)];
    };
    const auto changed = [this](SlotNumber slot) {
      return static_cast<bool>(memories_[memory(program_.slots[static_cast<size_t>(slot)])]);
    };
    const auto kept = [&](const Keepsake& keepsake) { return wanted(keepsake.slot); };
    return one.draws || one.results.empty() || std::ranges::any_of(one.kept, kept) ||
           std::ranges::any_of(one.results, wanted) || std::ranges::any_of(one.writes, changed);
  }
  /// Drops what nobody is to look at.
  void drop_keepsakes(Instruction& one) const {
    std::erase_if(one.kept,
                  [this](const Keepsake& keepsake) { return !slots_[static_cast<size_t>(keepsake.slot)]; });
  }
  void add(const Instruction& one) {
    for_each_operand(one, [this](SlotNumber slot) { add(slot); });
  }

 private:
  static size_t memory(const Slot& slot) { return static_cast<size_t>(slot.memory); }
  void add(SlotNumber slot) {
    slots_[static_cast<size_t>(slot)] = true;
    memories_[memory(program_.slots[static_cast<size_t>(slot)])] = true;
  }

  const Program& program_;
  std::vector<char> slots_;
  std::vector<char> memories_;
};

}  // namespace

size_t memory_count(const Program& program) {
  size_t count = 0;
  for (const Slot& slot : program.slots) count = std::max(count, static_cast<size_t>(slot.memory) + 1);
  return count;
}

void remove_dead(Program& program) {
  Need need(program);
  std::vector<Instruction> kept;
  for (size_t i = program.code.size(); i-- > 0;) {
    if (!need.of(program.code[i])) continue;
    need.drop_keepsakes(program.code[i]);
    need.add(program.code[i]);
    kept.push_back(std::move(program.code[i]));
  }
  std::ranges::reverse(kept);
  program.code = std::move(kept);
}

void check_complete(const Program& program) {
  std::vector<bool> made(program.slots.size());
  for (size_t i = 0; i < made.size(); ++i) made[i] = program.slots[i].origin != Origin::Result;
  for (const Instruction& one : program.code) {
    for_each_operand(one, [&](SlotNumber slot) {
      check(made[static_cast<size_t>(slot)], "Tape: ", one.op->name,
            "() is given a tensor that something made which a tape does not see");
    });
    for (const SlotNumber slot : one.results) {
      if (slot != kNoSlot) made[static_cast<size_t>(slot)] = true;
    }
    for (const Keepsake& keepsake : one.kept) made[static_cast<size_t>(keepsake.slot)] = true;
  }
  for (const SlotNumber slot : program.outputs)
    check(made[static_cast<size_t>(slot)], "Tape: an output was made by something that a tape does not see");
}

void remove_unused_slots(Program& program) {
  std::vector<SlotNumber> numbers(program.slots.size(), kNoSlot);
  std::vector<SlotNumber> memories(program.slots.size(), kNoSlot);
  std::vector<Slot> kept;
  int32_t memory_count = 0;
  const auto renumber = [&](SlotNumber& slot) {
    if (slot == kNoSlot) return;
    SlotNumber& number = numbers[static_cast<size_t>(slot)];
    if (number == kNoSlot) {
      number = static_cast<SlotNumber>(kept.size());
      kept.push_back(std::move(program.slots[static_cast<size_t>(slot)]));
      SlotNumber& memory = memories[static_cast<size_t>(kept.back().memory)];
      if (memory == kNoSlot) memory = memory_count++;
      kept.back().memory = memory;
    }
    slot = number;
  };
  std::ranges::for_each(program.inputs, renumber);
  for (Instruction& one : program.code) {
    for (Value& value : one.arguments) {
      if (Place* place = std::get_if<Place>(&value)) renumber(place->slot);
      if (Places* places = std::get_if<Places>(&value)) std::ranges::for_each(places->slots, renumber);
    }
    std::ranges::for_each(one.writes, renumber);
    std::ranges::for_each(one.results, renumber);
    for (Keepsake& keepsake : one.kept) renumber(keepsake.slot);
    std::ranges::for_each(one.tracked, renumber);
  }
  std::ranges::for_each(program.outputs, renumber);
  for (std::vector<GradientNote>* notes : {&program.gradients, &program.starts}) {
    for (GradientNote& note : *notes) {
      renumber(note.leaf);
      renumber(note.gradient);
    }
  }
  program.slots = std::move(kept);
}

bool is_written(const Program& program, SlotNumber slot) {
  const int32_t memory = program.slots[static_cast<size_t>(slot)].memory;
  return std::ranges::any_of(program.code, [&](const Instruction& one) {
    return std::ranges::any_of(one.writes, [&](SlotNumber other) {
      return program.slots[static_cast<size_t>(other)].memory == memory;
    });
  });
}

void renew_constants(Program& program) {
  std::vector<Instruction> renewals;
  const size_t count = program.slots.size();
  for (size_t i = 0; i < count; ++i) {
    if (program.slots[i].origin != Origin::Constant) continue;
    const auto slot = static_cast<SlotNumber>(i);
    const auto same_memory = [&](SlotNumber other) {
      return program.slots[static_cast<size_t>(other)].memory == program.slots[i].memory;
    };
    const bool leaves = std::ranges::any_of(program.outputs, same_memory) ||
                        std::ranges::any_of(program.gradients, [&](const GradientNote& note) {
                          return note.gradient != kNoSlot && same_memory(note.gradient);
                        });
    if (!leaves && !is_written(program, slot)) continue;
    Slot source = program.slots[i];
    source.memory = static_cast<int32_t>(memory_count(program));
    program.slots[i].origin = Origin::Result;
    program.slots[i].held.reset();
    Instruction renewal{find_operator("clone")};
    renewal.arguments = {Place{static_cast<SlotNumber>(program.slots.size())}};
    renewal.results = {slot};
    program.slots.push_back(std::move(source));
    renewals.push_back(std::move(renewal));
  }
  program.code.insert(program.code.begin(), std::make_move_iterator(renewals.begin()),
                      std::make_move_iterator(renewals.end()));
}

}  // namespace onetape::tape
