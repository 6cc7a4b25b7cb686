#include "core/device.h"

#include <array>
#include <charconv>

#include "core/error.h"

namespace onetape {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"cpu", "cuda", "mps", "meta"};

}  // namespace

Device parse_device(std::string_view text) {
  check(!text.empty(), "Device string must not be empty");
  const size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  Device device;
  bool known = false;
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) {
      device.type = static_cast<DeviceType>(i);
      known = true;
    }
  }
  if (!known) {
    check(!name.empty() && name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == std::string_view::npos,
          "Invalid device string: '", text, "'");
    fail(ErrorKind::Runtime,
         "Expected one of cpu, cuda, mps, meta device type at start of device string: ", name);
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
  std::string text(kNames[static_cast<size_t>(device.type)]);
  if (device.index >= 0) text += ":" + std::to_string(device.index);
  return text;
}

void check_available(Device device) {
  switch (device.type) {
    case DeviceType::CPU:
      return;
    case DeviceType::CUDA:
      fail(ErrorKind::Runtime, "Torch not compiled with CUDA enabled");
    case DeviceType::MPS:
      fail(ErrorKind::Runtime, "PyTorch is not linked with support for mps devices");
    case DeviceType::Meta:
      fail(ErrorKind::NotImplemented, "the meta device holds no elements; use cpu");
  }
}

}  // namespace onetape
