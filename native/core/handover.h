#pragma once

#include <vector>

#include "core/export.h"
#include "core/tensor.h"

namespace onetape {

/// Where one language leaves tensors for another, a place of each thread: no address ever crosses as a
/// number. The tensors stay until they are taken, or until others take their place.
ONETAPE_API void hand_over(std::vector<Tensor> tensors);
ONETAPE_API std::vector<Tensor> take_over();

}  // namespace onetape
