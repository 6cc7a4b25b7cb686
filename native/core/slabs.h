#pragma once

#include <cstddef>
#include <cstdint>

#include "core/export.h"

// Where the pool's small blocks come from and go to; see core/pool.h.

namespace onetape {

/// A small block that nobody uses, in a list of such.
struct FreeBlock {
  FreeBlock* next;
};

/// Takes at most `most` blocks of `bytes` bytes (a multiple of 16, at most 1024), as a list; sets how many.
/// Null if the system has no more memory.
FreeBlock* take_blocks(size_t bytes, uint32_t most, uint32_t& count) noexcept;
/// Gives blocks back, which may be of different sizes and from any thread.
void give_blocks(FreeBlock* blocks) noexcept;
/// Gives the memory of slabs without blocks in use back to the system.
void trim_slabs() noexcept;
/// Bytes of the slabs that hold blocks.
ONETAPE_API int64_t slab_bytes() noexcept;

}  // namespace onetape
