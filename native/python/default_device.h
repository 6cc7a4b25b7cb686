#pragma once

#include <optional>

#include "core/device.h"

namespace onetape::python {

/// Where the calling thread's new tensors stand that name no device, if a program has said so.
std::optional<Device> default_device();

}  // namespace onetape::python
