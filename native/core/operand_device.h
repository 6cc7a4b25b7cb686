#pragma once

#include <optional>
#include <span>

#include "core/backend.h"
#include "core/no_data.h"
#include "core/options.h"
#include "core/tensor.h"

namespace onetape {

/// Finds the device that an operator runs on: the one its options name, else that of its tensors, all of
/// which stand on one; numbers of the CPU go with any. Without tensors, that of the operator around it.
class ONETAPE_API OperandDevice {
 public:
  /// RuntimeError, in PyTorch's words, if tensors stand on different devices.
  template <typename... A>
  explicit OperandDevice(const A&... operands) {
    (look(operands), ...);
  }
  DeviceType type() const {
    if (asked_) return *asked_;
    return found_ ? *found_ : numbers_ ? DeviceType::CPU : thread_modes.device;
  }

 private:
  void look(const Tensor& t);
  void look(std::span<const Tensor> all) {
    for (const Tensor& t : all) look(t);
  }
  void look(const Options& options) {
    if (!options.device) return;
    check_available(*options.device);
    asked_ = options.device->type;
  }
  template <typename T>
  void look(const T& /*no operand*/) {}

  std::optional<DeviceType> asked_;
  std::optional<DeviceType> found_;
  bool numbers_ = false;
};

[[noreturn]] ONETAPE_API void fail_without_data(const char* op);

/// Runs an operator of that name on the device of its operands. One that would need elements of another
/// device than the CPU fails in PyTorch's words.
template <typename F, typename... A>
auto on_their_device(const char* op, F&& run, const A&... operands) {
  const DeviceType device = OperandDevice(operands...).type();
  if (device == thread_modes.device && device == DeviceType::CPU) return run();
  const DeviceScope scope(device);
  try {
    return run();
  } catch (const NoData&) {
    fail_without_data(op);
  }
}

}  // namespace onetape
