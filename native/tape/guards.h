#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tape/tape.h"

namespace onetape::tape {

/// Finds out whether a program, as it was recorded, can run on some inputs now.
class Guards {
 public:
  explicit Guards(const Program& program);
  /// Why it cannot; nothing if it can.
  std::optional<std::string> mismatch(std::span<const Tensor> inputs) const;
  /// Would running it lead to results that require a gradient?
  bool wants_gradient(std::span<const Tensor> inputs) const;
  /// The slots of tensors from outside.
  const std::vector<SlotNumber>& captured() const { return captured_; }

 private:
  bool fits(std::span<const Tensor> inputs) const;
  bool starts_fit(std::span<const Tensor> inputs) const;
  std::string explain(std::span<const Tensor> inputs) const;
  const Slot& slot(SlotNumber number) const { return program_.slots[static_cast<size_t>(number)]; }
  const Tensor& tensor(SlotNumber number, std::span<const Tensor> inputs) const;

  const Program& program_;
  std::vector<SlotNumber> captured_;
};

}  // namespace onetape::tape
