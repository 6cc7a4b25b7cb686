#pragma once

#include "core/dtype.h"
#include "kernels/loop.h"

namespace onetape {

/// The loop out = condition ? a : b, over (out, condition, a, b); condition is bool, the others have the
/// dtype.
InnerLoop where_loop(DType dtype);

}  // namespace onetape
