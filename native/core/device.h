#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

#include "core/export.h"

namespace onetape {

enum class DeviceType : uint8_t { CPU, CUDA, MPS, Meta };

/// Where a tensor's elements are. Only `cpu` holds any; the other names parse, so that programs can ask.
struct Device {
  DeviceType type = DeviceType::CPU;
  int8_t index = -1;  ///< -1: not given

  bool operator==(const Device&) const = default;
};

/// Reads `cpu`, `cuda`, `cuda:0`, `mps`, …; PyTorch's RuntimeError for anything else.
ONETAPE_API Device parse_device(std::string_view text);
ONETAPE_API std::string to_string(Device device);
inline std::ostream& operator<<(std::ostream& out, Device device) { return out << to_string(device); }
/// Throws the error PyTorch gives on a machine without that device; returns for cpu.
ONETAPE_API void check_available(Device device);

}  // namespace onetape
