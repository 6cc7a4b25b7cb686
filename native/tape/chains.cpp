#include <algorithm>
#include <map>

#include "kernels/registry.h"
#include "tape/plan.h"

// Which neighbouring kernels of a loop run as one chain, whose values pass in registers.

namespace onetape::tape {
namespace {

/// A kernel as a chain has it.
struct Arithmetic {
  enum class Form : uint8_t {
    Binary,
    Scaled,     ///< the second operand times a parameter, which has to be 1
    Negative,   ///< of one operand
    Bounds,     ///< one operand between two parameters
    LeastOnly,  ///< or one of them
    MostOnly,
    Positive,
  };
  Form form;
  ChainStep step;      ///< where the value at hand is the first operand
  ChainStep reversed;  ///< where it is the second
  DType dtype;
};

std::map<InnerLoop, Arithmetic> known_loops() {
  using enum ChainStep;
  using Form = Arithmetic::Form;
  struct Entry {
    const char* name;
    Form form;
    ChainStep step;
    ChainStep reversed;
  };
  constexpr Entry kEntries[] = {{"add", Form::Scaled, Add, Add},
                                {"sub", Form::Scaled, Sub, SubFrom},
                                {"rsub", Form::Scaled, SubFrom, Sub},
                                {"mul", Form::Binary, Mul, Mul},
                                {"div", Form::Binary, Div, DivInto},
                                {"neg", Form::Negative, Negative, Negative},
                                {"relu", Form::Positive, AtLeast, AtLeast},
                                {"clamp_scalar_cpu", Form::Bounds, AtLeast, AtLeast},
                                {"clamp_min_scalar_cpu", Form::LeastOnly, AtLeast, AtLeast},
                                {"clamp_max_scalar_cpu", Form::MostOnly, AtMost, AtMost}};
  std::map<InnerLoop, Arithmetic> known;
  for (const Entry& entry : kEntries) {
    for (const DType dtype : {DType::F32, DType::F64})
      known[find_kernel(entry.name).loop(dtype)] = {entry.form, entry.step, entry.reversed, dtype};
  }
  return known;
}

const Arithmetic* arithmetic_of(const KernelCall& kernel) {
  static const std::map<InnerLoop, Arithmetic> known = known_loops();
  const auto found = known.find(kernel.loop);
  if (found == known.end()) return nullptr;
  if (found->second.form == Arithmetic::Form::Scaled && kernel.params[0].to<complex128>() != complex128(1))
    return nullptr;
  return &found->second;
}

Tensor number_of(const Scalar& value, DType dtype) {
  Tensor number = Tensor::empty({}, dtype);
  if (dtype == DType::F32)
    *reinterpret_cast<float*>(number.bytes()) = value.to<float>();
  else
    *reinterpret_cast<double*>(number.bytes()) = value.to<double>();
  return number;
}

/// Makes the parts of one loop.
class Chains {
 public:
  Chains(const Program& program, Step& loop, const std::vector<size_t>& uses)
      : program_(program), loop_(loop), uses_(uses) {}

  void make() {
    for (size_t k = 0; k < loop_.kernels.size(); ++k) add(k);
    close();
  }

 private:
  using Links = std::vector<ChainLink>;

  void add(size_t k) {
    const KernelCall& kernel = loop_.kernels[k];
    const Arithmetic* how = arithmetic_of(kernel);
    if (dtype_ && (!how || how->dtype != *dtype_)) close();
    Links links = how ? links_of(*how, k) : Links();
    if (links.empty()) {
      close();
      loop_.parts.push_back({k, 1});
      return;
    }
    if (dtype_) {
      settle(links[0].step != ChainStep::Load, k);
    } else {
      loop_.parts.push_back({k, 0, find_function<ChainLoop>("chain", how->dtype)});
      dtype_ = how->dtype;
    }
    Part& part = loop_.parts.back();
    ++part.kernels;
    std::ranges::move(links, std::back_inserter(part.links));
    held_ = kernel.operands[0].slot;
  }
  /// Stores what the kernel before k made, unless k alone looks at it, where it is at hand.
  void settle(bool looks, size_t k) {
    auto& operands = loop_.kernels[k].operands;
    const auto memory = static_cast<size_t>(program_.slots[static_cast<size_t>(held_)].memory);
    const auto count = static_cast<size_t>(std::ranges::count(operands, held_, &KernelOperand::slot));
    if (!looks || count != uses_[memory]) return store(k - 1);
    loop_.kernels[k - 1].operands[0].passes = true;
    for (KernelOperand& operand : operands) operand.passes = operand.slot == held_;
  }
  void store(size_t k) {
    loop_.parts.back().links.push_back({ChainStep::Store, ChainOperand::Elements, k, 0, {}});
  }
  void close() {
    if (!dtype_) return;
    Part& part = loop_.parts.back();
    store(part.first + part.kernels - 1);
    if (part.kernels == 1) part.links.clear();
    dtype_.reset();
    held_ = kNoSlot;
  }
  ChainOperand kind_of(const KernelOperand& operand) const {
    if (operand.slot == kNoSlot || operand.step == 0) return ChainOperand::Number;
    return operand.slot == held_ ? ChainOperand::Value : ChainOperand::Elements;
  }
  /// What a kernel does, with what is at hand; nothing if no chain can do it.
  Links links_of(const Arithmetic& how, size_t k) const {
    const KernelCall& kernel = loop_.kernels[k];
    if (how.form == Arithmetic::Form::Binary || how.form == Arithmetic::Form::Scaled)
      return links_of_two(how, k);
    Links links;
    const ChainOperand kind = kind_of(kernel.operands[1]);
    if (kind == ChainOperand::Number) return {};
    if (kind == ChainOperand::Elements) links.push_back({ChainStep::Load, kind, k, 1, {}});
    const auto bound = [&](ChainStep step, const Scalar& value) {
      links.push_back({step, ChainOperand::Number, k, 1, number_of(value, how.dtype)});
    };
    switch (how.form) {
      case Arithmetic::Form::Negative:
        links.push_back({ChainStep::Negative, ChainOperand::Value, k, 1, {}});
        break;
      case Arithmetic::Form::Bounds:
        bound(ChainStep::AtLeast, kernel.params[0]);
        bound(ChainStep::AtMost, kernel.params[1]);
        break;
      case Arithmetic::Form::Positive:
        bound(how.step, Scalar(0));
        break;
      default:
        bound(how.step, kernel.params[0]);
    }
    return links;
  }
  Links links_of_two(const Arithmetic& how, size_t k) const {
    const ChainOperand a = kind_of(loop_.kernels[k].operands[1]);
    const ChainOperand b = kind_of(loop_.kernels[k].operands[2]);
    if (a == ChainOperand::Value) {
      if (b == ChainOperand::Value && how.step != ChainStep::Add && how.step != ChainStep::Mul) return {};
      return {{how.step, b, k, 2, {}}};
    }
    if (b == ChainOperand::Value) return {{how.reversed, a, k, 1, {}}};
    if (a == ChainOperand::Elements) return {{ChainStep::Load, a, k, 1, {}}, {how.step, b, k, 2, {}}};
    if (b == ChainOperand::Elements) return {{ChainStep::Load, b, k, 2, {}}, {how.reversed, a, k, 1, {}}};
    return {};
  }

  const Program& program_;
  Step& loop_;
  const std::vector<size_t>& uses_;
  std::optional<DType> dtype_;  // of the chain that is being made
  SlotNumber held_ = kNoSlot;   // what is at hand behind it
};

}  // namespace

void make_chains(const Program& program, Step& loop, const std::vector<size_t>& uses) {
  Chains(program, loop, uses).make();
}

}  // namespace onetape::tape
