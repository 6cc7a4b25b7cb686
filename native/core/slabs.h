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

/// Blocks have a multiple of so many bytes, and at most so many.
inline constexpr size_t kBlockStep = 16;
inline constexpr size_t kLargestBlock = 1024;
/// Sizes there are, with 0.
inline constexpr size_t kBlockSizes = kLargestBlock / kBlockStep + 1;

/// Takes at most `most` blocks of a size, as a list; sets how many.
/// Null if the system has no more memory.
FreeBlock* take_blocks(size_t bytes, uint32_t most, uint32_t& count) noexcept;
/// Gives blocks back, which may be of different sizes and from any thread.
void give_blocks(FreeBlock* blocks) noexcept;
/// Gives the memory of slabs without blocks in use back to the system.
void trim_slabs() noexcept;
/// Bytes of the slabs that hold blocks.
ONETAPE_API int64_t slab_bytes() noexcept;

}  // namespace onetape
