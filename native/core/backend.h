#pragma once

#include <cstddef>

#include "core/device.h"
#include "core/export.h"
#include "core/thread_modes.h"

namespace onetape {

/// What a kind of device brings besides kernels: memory for elements. See docs/devices.md.
struct Backend {
  /// A block that `bytes` fit into; for none of them anything, also null.
  void* (*allocate)(size_t bytes);
  void (*deallocate)(void* data, size_t bytes) noexcept;
};

/// RuntimeError, in PyTorch's words, for a device that there is none of.
ONETAPE_API const Backend& backend_of(DeviceType type);

/// New tensors stand on a device until the scope ends.
class DeviceScope {
 public:
  explicit DeviceScope(DeviceType type) : outer_(thread_modes.device) { enter(type); }
  ~DeviceScope() { enter(outer_); }
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  static constexpr int64_t kInline = ThreadModes().inline_bytes;
  static void enter(DeviceType type) {
    thread_modes.device = type;
    thread_modes.inline_bytes = type == DeviceType::CPU ? kInline : -1;
  }

  DeviceType outer_;
};

}  // namespace onetape
