#pragma once

#include <optional>

#include "core/device.h"
#include "core/dtype.h"

namespace onetape {

/// dtype, device and requires_grad of a tensor to be made; what is not given takes the default.
struct Options {
  std::optional<DType> dtype = std::nullopt;
  std::optional<Device> device = std::nullopt;
  bool requires_grad = false;

  DType dtype_or(DType other) const { return dtype.value_or(other); }
};

}  // namespace onetape
