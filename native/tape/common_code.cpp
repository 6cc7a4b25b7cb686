#include <algorithm>
#include <array>
#include <bit>
#include <map>

#include "tape/alias.h"
#include "tape/passes.h"

namespace onetape::tape {
namespace {

bool same_number(const Scalar& a, const Scalar& b) {
  if (a.kind() != b.kind() || a.is_beyond_int64() != b.is_beyond_int64()) return false;
  const auto x = a.to<complex128>();
  const auto y = b.to<complex128>();
  // Bit by bit: 0 and -0 differ, and a nan equals itself.
  return std::bit_cast<std::array<uint64_t, 2>>(x) == std::bit_cast<std::array<uint64_t, 2>>(y) &&
         (!a.is_integral() || a.to<int64_t>() == b.to<int64_t>());
}

bool same_value(const Value& a, const Value& b) {
  if (a.index() != b.index()) return false;
  return std::visit(
      [&](const auto& x) -> bool {
        using T = std::decay_t<decltype(x)>;
        const T& y = std::get<T>(b);
        if constexpr (std::is_same_v<T, std::monostate>) {
          return true;
        } else if constexpr (std::is_same_v<T, Place>) {
          return x.slot == y.slot;
        } else if constexpr (std::is_same_v<T, Places>) {
          return x.slots == y.slots;
        } else if constexpr (std::is_same_v<T, Number>) {
          return same_number(x.value, y.value) && x.tensor.dtype() == y.tensor.dtype();
        } else if constexpr (std::is_same_v<T, Scalar>) {
          return same_number(x, y);
        } else if constexpr (std::is_same_v<T, double>) {
          return std::bit_cast<uint64_t>(x) == std::bit_cast<uint64_t>(y);
        } else if constexpr (std::is_same_v<T, Ints>) {
          return same(x, y);
        } else if constexpr (std::is_same_v<T, Options>) {
          return x.dtype == y.dtype && x.requires_grad == y.requires_grad;
        } else if constexpr (std::is_same_v<T, Reals>) {
          return x.values == y.values;
        } else {
          return x == y;
        }
      },
      a);
}

size_t memory_of(const Program& program, SlotNumber slot) {
  return static_cast<size_t>(program.slots[static_cast<size_t>(slot)].memory);
}

/// Finds instructions that another one has made before.
class Merger {
 public:
  explicit Merger(Program& program) : program_(program), names_(program.slots.size()) {
    changed_.resize(memory_count(program));
    pinned_.resize(changed_.size());
    written_.resize(changed_.size());
    for (size_t i = 0; i < names_.size(); ++i) names_[i] = static_cast<SlotNumber>(i);
    for (const SlotNumber slot : program.outputs) pinned_[memory_of(program, slot)] = true;
    for (const GradientNote& note : program.gradients) {
      if (note.gradient != kNoSlot) pinned_[memory_of(program, note.gradient)] = true;
    }
    for (const Instruction& one : program.code) {
      for (const SlotNumber slot : one.writes) {
        pinned_[memory_of(program, slot)] = true;
        written_[memory_of(program, slot)] = true;
      }
    }
  }

  void run() {
    std::vector<Instruction> kept;
    for (Instruction& one : program_.code) {
      rename(one);
      for (const SlotNumber slot : one.writes) changed_[memory_of(program_, slot)] = kept.size() + 1;
      if (stands_for_operand(one)) continue;
      if (mergeable(one)) {
        if (const Instruction* before = find(kept, one)) {
          replace(one.results, before->results);
          continue;
        }
        made_.emplace(one.op, kept.size());
      }
      kept.push_back(std::move(one));
    }
    program_.code = std::move(kept);
    std::ranges::for_each(program_.outputs,
                          [this](SlotNumber& slot) { slot = names_[static_cast<size_t>(slot)]; });
    for (GradientNote& note : program_.gradients) {
      if (note.gradient != kNoSlot) note.gradient = names_[static_cast<size_t>(note.gradient)];
    }
  }

 private:
  void rename(Instruction& one) {
    const auto renamed = [this](SlotNumber slot) {
      return slot == kNoSlot ? slot : names_[static_cast<size_t>(slot)];
    };
    std::ranges::transform(one.writes, one.writes.begin(), renamed);
    for (SlotNumber& slot : one.results) {
      // That of a change in place is its operand.
      if (slot != kNoSlot && std::ranges::find(one.writes, renamed(slot)) != one.writes.end())
        slot = renamed(slot);
    }
    for (Value& value : one.arguments) {
      if (Place* place = std::get_if<Place>(&value)) place->slot = renamed(place->slot);
      if (Places* places = std::get_if<Places>(&value))
        std::ranges::transform(places->slots, places->slots.begin(), renamed);
    }
  }
  void replace(const std::vector<SlotNumber>& results, const std::vector<SlotNumber>& by) {
    for (size_t i = 0; i < results.size(); ++i) {
      if (results[i] == kNoSlot) continue;
      names_[static_cast<size_t>(results[i])] = by[i];
      const size_t gone = memory_of(program_, results[i]);
      const int32_t stays = program_.slots[static_cast<size_t>(by[i])].memory;
      for (Slot& slot : program_.slots) {  // views of it, too
        if (static_cast<size_t>(slot.memory) == gone) slot.memory = stays;
      }
    }
  }
  /// Is the result as good as the operand itself? Another name for it, or a copy where nobody changes either
  /// and only one of the two is given away. Then it is replaced by it.
  bool stands_for_operand(const Instruction& one) {
    const bool alias = one.op == &alias_operator();
    if ((!alias && one.op != clone_) || !one.writes.empty()) return false;
    const SlotNumber from = std::get<Place>(one.arguments[0]).slot;
    const SlotNumber to = one.results[0];
    const Slot& a = program_.slots[static_cast<size_t>(from)];
    const Slot& b = program_.slots[static_cast<size_t>(to)];
    if (a.origin != Origin::Result || a.dtype != b.dtype || !same(a.sizes, b.sizes) ||
        !same(a.strides, b.strides))
      return false;
    if (alias) {
      if (std::get<int64_t>(one.arguments[3]) != 0) return false;
    } else {
      if (written_[memory_of(program_, from)] || written_[memory_of(program_, to)]) return false;
      if (pinned_[memory_of(program_, from)] || is_outside(memory_of(program_, from))) return false;
    }
    const bool pinned = pinned_[memory_of(program_, to)];
    replace(one.results, {from});
    if (pinned) pinned_[memory_of(program_, from)] = true;
    return true;
  }
  bool is_outside(size_t memory) const {
    return std::ranges::any_of(program_.slots, [memory](const Slot& slot) {
      return static_cast<size_t>(slot.memory) == memory && slot.origin != Origin::Result;
    });
  }
  /// Without effect, and with results that nobody changes or is given.
  bool mergeable(const Instruction& one) const {
    return !one.draws && !one.gradient && one.kept.empty() && one.writes.empty() &&
           std::ranges::none_of(one.results, [this](SlotNumber slot) {
             return slot != kNoSlot && pinned_[memory_of(program_, slot)];
           });
  }
  const Instruction* find(const std::vector<Instruction>& kept, const Instruction& one) const {
    const auto [from, to] = made_.equal_range(one.op);
    for (auto at = from; at != to; ++at) {
      const Instruction& before = kept[at->second];
      if (!std::ranges::equal(before.arguments, one.arguments, same_value)) continue;
      bool unchanged = true;
      for_each_operand(one, [&](SlotNumber slot) {
        unchanged = unchanged && changed_[memory_of(program_, slot)] <= at->second;
      });
      if (unchanged && before.results.size() == one.results.size()) return &before;
    }
    return nullptr;
  }

  Program& program_;
  std::vector<SlotNumber> names_;  // what stands for each slot
  std::vector<size_t> changed_;    // of each memory, before which instruction it was last changed
  std::vector<bool> pinned_;       // memories that are changed or given away
  std::vector<bool> written_;      // memories that are changed
  const Operator* clone_ = find_operator("clone");
  std::multimap<const Operator*, size_t> made_;
};

}  // namespace

void merge_common(Program& program) { Merger(program).run(); }

}  // namespace onetape::tape
