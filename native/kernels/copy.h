#pragma once

#include "core/dtype.h"
#include "kernels/loop.h"

namespace onetape {

/// The inner loop that copies elements of one dtype into another, converting.
InnerLoop copy_loop(DType to, DType from);

}  // namespace onetape
