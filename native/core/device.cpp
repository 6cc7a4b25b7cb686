#include "core/device.h"

#include <array>
#include <charconv>

#include "core/error.h"

namespace onetape {
namespace {

/// In the order of DeviceType.
constexpr std::array<std::string_view, kDeviceTypes> kNames = {
    "cpu",   "cuda", "mkldnn", "opengl", "opencl", "ideep", "hip",  "fpga", "maia", "xla",          "vulkan",
    "metal", "xpu",  "mps",    "meta",   "hpu",    "ve",    "lazy", "ipu",  "mtia", "privateuseone"};

/// The names that are read, in the order of PyTorch's error text.
constexpr std::array kReadable = {
    DeviceType::CPU,    DeviceType::CUDA,   DeviceType::IPU,   DeviceType::XPU,  DeviceType::MKLDNN,
    DeviceType::OpenGL, DeviceType::OpenCL, DeviceType::IDEEP, DeviceType::HIP,  DeviceType::VE,
    DeviceType::FPGA,   DeviceType::MAIA,   DeviceType::XLA,   DeviceType::Lazy, DeviceType::Vulkan,
    DeviceType::MPS,    DeviceType::Meta,   DeviceType::HPU,   DeviceType::MTIA, DeviceType::PrivateUse1};

std::string_view name_of(DeviceType type) { return kNames[static_cast<size_t>(type)]; }

}  // namespace

Device parse_device(std::string_view text) {
  check(!text.empty(), "Device string must not be empty");
  const size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  Device device;
  bool known = false;
  for (const DeviceType type : kReadable) {
    if (name_of(type) == name) {
      device.type = type;
      known = true;
    }
  }
  if (!known) {
    constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    check(!name.empty() && name.find_first_not_of(kLetters) == std::string_view::npos,
          "Invalid device string: '", text, "'");
    std::string names;
    for (const DeviceType type : kReadable) names.append(names.empty() ? "" : ", ").append(name_of(type));
    fail(ErrorKind::Runtime, "Expected one of ", names, " device type at start of device string: ", name);
  }
  if (colon == std::string_view::npos) return device;
  const std::string_view digits = text.substr(colon + 1);
  int index = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  const bool whole = error == std::errc() && end == digits.data() + digits.size() && !digits.empty();
  check(whole && index >= 0 && index < 128 && !(digits.size() > 1 && digits[0] == '0'),
        "Invalid device string: '", text, "'");
  device.index = static_cast<int8_t>(index);
  return device;
}

std::string to_string(Device device) {
  std::string text(name_of(device.type));
  if (device.index >= 0) text += ":" + std::to_string(device.index);
  return text;
}

void check_available(Device device) {
  switch (device.type) {
    case DeviceType::CPU:
    case DeviceType::Meta:
      return;
    case DeviceType::CUDA:
      fail(ErrorKind::Runtime, "Torch not compiled with CUDA enabled");
    case DeviceType::XPU:
      fail(ErrorKind::Runtime, "Torch not compiled with XPU enabled");
    default:
      fail(ErrorKind::Runtime, "PyTorch is not linked with support for ", name_of(device.type), " devices");
  }
}

}  // namespace onetape
