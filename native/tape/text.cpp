#include "tape/text.h"

#include <algorithm>
#include <sstream>

#include "ops/format.h"

namespace onetape::tape {
namespace {

std::string list(IntSpan values) {
  std::ostringstream text;
  for (size_t i = 0; i < values.size(); ++i) text << (i ? ", " : "") << values[i];
  return "[" + text.str() + "]";
}

std::string form_of(const Slot& slot) { return std::string(name_of(slot.dtype)) + list(slot.sizes); }

/// Names for slots: x for inputs, p for what was there before, c for constants, v for results, in their
/// order.
class Namer {
 public:
  explicit Namer(const Program& program) : names_(program.slots.size()) {
    for (size_t i = 0; i < program.inputs.size(); ++i)
      names_[static_cast<size_t>(program.inputs[i])] = "x" + std::to_string(i);
    size_t captured = 0;
    size_t constants = 0;
    for (size_t i = 0; i < names_.size(); ++i) {
      if (program.slots[i].origin == Origin::Captured) names_[i] = "p" + std::to_string(captured++);
      if (program.slots[i].origin == Origin::Constant) names_[i] = "c" + std::to_string(constants++);
    }
    size_t results = 0;
    for (const Instruction& one : program.code) {
      for (const SlotNumber slot : one.results) {
        if (slot != kNoSlot && names_[static_cast<size_t>(slot)].empty())
          names_[static_cast<size_t>(slot)] = "v" + std::to_string(results++);
      }
    }
  }
  std::string operator()(SlotNumber slot) const {
    return slot == kNoSlot ? "None" : names_[static_cast<size_t>(slot)];
  }
  std::string operator()(const std::vector<SlotNumber>& slots) const {
    std::string text;
    for (const SlotNumber slot : slots) text += (text.empty() ? "" : ", ") + (*this)(slot);
    return text;
  }

 private:
  std::vector<std::string> names_;
};

std::string argument(const Value& value, const Namer& name) {
  return std::visit(
      [&](const auto& x) -> std::string {
        using T = std::decay_t<decltype(x)>;
        if constexpr (std::is_same_v<T, std::monostate>) {
          return "None";
        } else if constexpr (std::is_same_v<T, Place>) {
          return name(x.slot);
        } else if constexpr (std::is_same_v<T, Places>) {
          return "[" + name(x.slots) + "]";
        } else if constexpr (std::is_same_v<T, Number>) {
          return format_number(x.value);
        } else if constexpr (std::is_same_v<T, Scalar>) {
          return format_number(x);
        } else if constexpr (std::is_same_v<T, int64_t> || std::is_same_v<T, double> ||
                             std::is_same_v<T, bool>) {
          return format_number(Scalar(x));
        } else if constexpr (std::is_same_v<T, Ints>) {
          return list(x);
        } else if constexpr (std::is_same_v<T, std::string>) {
          return "'" + x + "'";
        } else if constexpr (std::is_same_v<T, DType>) {
          return std::string(name_of(x));
        } else if constexpr (std::is_same_v<T, Ref<Generator>>) {
          return "<Generator>";
        } else if constexpr (std::is_same_v<T, Reals>) {
          std::string text;
          for (const double one : x.values) text += (text.empty() ? "" : ", ") + format_number(Scalar(one));
          return "[" + text + "]";
        } else {
          return x.dtype ? std::string(name_of(*x.dtype)) : "default";
        }
      },
      value);
}

std::string line(const Program& program, const Instruction& one, const Namer& name) {
  std::ostringstream text;
  text << "  ";
  if (!one.results.empty()) text << name(one.results) << " = ";
  text << (one.gradient ? one.gradient->node->name() : one.op->name) << "(";
  std::string_view parameters = one.op->parameters;
  for (size_t i = 0; i < one.arguments.size(); ++i) {
    const size_t comma = parameters.find(',');
    text << (i ? ", " : "") << parameters.substr(0, comma) << "=" << argument(one.arguments[i], name);
    parameters = comma == std::string_view::npos ? "" : parameters.substr(comma + 1);
  }
  text << ")";
  bool first = true;
  for (const SlotNumber slot : one.results) {
    if (slot == kNoSlot || std::ranges::find(one.writes, slot) != one.writes.end()) continue;
    text << (first ? "  # " : ", ") << form_of(program.slots[static_cast<size_t>(slot)]);
    first = false;
  }
  if (!one.writes.empty()) text << "  # changes " << name(one.writes);
  text << "\n";
  return text.str();
}

}  // namespace

std::string text_of(const Program& program) {
  const Namer name(program);
  std::ostringstream text;
  text << "tape(";
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const Slot& slot = program.slots[static_cast<size_t>(program.inputs[i])];
    text << (i ? ", " : "") << name(program.inputs[i]) << ": " << form_of(slot);
  }
  text << (program.reorder_sums ? "):  # sums may be added in another order\n" : "):\n");
  for (size_t i = 0; i < program.slots.size(); ++i) {
    const Slot& slot = program.slots[i];
    if (slot.origin != Origin::Captured && slot.origin != Origin::Constant) continue;
    text << "  " << name(static_cast<SlotNumber>(i)) << ": " << form_of(slot)
         << (slot.origin == Origin::Constant ? "  # constant" : "  # from outside")
         << (slot.requires_grad ? ", requires a gradient\n" : "\n");
  }
  for (const Instruction& one : program.code) text << line(program, one, name);
  for (const GradientNote& note : program.gradients)
    text << "  " << name(note.leaf) << ".grad = " << name(note.gradient) << "\n";
  text << "  return " << name(program.outputs) << "\n";
  return text.str();
}

}  // namespace onetape::tape
