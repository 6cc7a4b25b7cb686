#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

#include "core/export.h"

namespace onetape {

/// The kinds of device that PyTorch has names for, with its codes.
enum class DeviceType : uint8_t {
  CPU,
  CUDA,
  MKLDNN,
  OpenGL,
  OpenCL,
  IDEEP,
  HIP,
  FPGA,
  MAIA,
  XLA,
  Vulkan,
  Metal,
  XPU,
  MPS,
  Meta,
  HPU,
  VE,
  Lazy,
  IPU,
  MTIA,
  PrivateUse1
};
constexpr size_t kDeviceTypes = 21;

/// Where a tensor's elements are. `cpu` holds them; on `meta` tensors have all but elements; the other names
/// parse, so that programs can ask.
struct Device {
  DeviceType type = DeviceType::CPU;
  int8_t index = -1;  ///< -1: not given

  bool operator==(const Device&) const = default;
};

/// Reads `cpu`, `cuda`, `cuda:0`, `mps`, …; PyTorch's RuntimeError for anything else.
ONETAPE_API Device parse_device(std::string_view text);
ONETAPE_API std::string to_string(Device device);
inline std::ostream& operator<<(std::ostream& out, Device device) { return out << to_string(device); }
/// Throws the error PyTorch gives on a machine without that device; returns for cpu and meta.
ONETAPE_API void check_available(Device device);

}  // namespace onetape
