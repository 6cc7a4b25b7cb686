#pragma once

#include <cstdint>

#include "core/export.h"

namespace onetape {

/// Bytes of small blocks in use, over all threads.
int64_t pool_live_bytes();
/// Gives the calling thread's free small blocks back.
void pool_trim() noexcept;
/// Counts a tensor made (+1) or freed (-1) by this thread.
void count_tensor(int change) noexcept;

}  // namespace onetape
