#pragma once

#include <cstddef>
#include <cstdint>

#include "core/export.h"

namespace onetape {

/// Bytes of tensors, as seen by the allocator. All sizes in bytes.
struct MemoryStats {
  int64_t live = 0;         ///< in use now
  int64_t peak = 0;         ///< largest value of live since the last reset_peak_memory()
  int64_t cached = 0;       ///< freed by tensors, kept for reuse
  int64_t allocations = 0;  ///< how often memory was handed out
};

/// 64-byte aligned memory for elements. Freed blocks are kept by size class: up to 1 MB in the freeing
/// thread while it has few, all others in a cache for all threads. Throws Error(OutOfMemory) with the
/// sizes when the system has no more.
ONETAPE_API void* allocate(size_t bytes);
ONETAPE_API void deallocate(void* data, size_t bytes) noexcept;

ONETAPE_API MemoryStats memory_stats();
ONETAPE_API void reset_peak_memory();
/// Gives cached blocks (of the calling thread and the shared ones) back to the system.
ONETAPE_API void empty_cache();

/// Small blocks (16-byte aligned) for tensors and graph nodes; a free list a thread and size class.
ONETAPE_API void* pool_allocate(size_t bytes);
ONETAPE_API void pool_free(void* block, size_t bytes) noexcept;

/// Number of TensorImpl objects alive; tests compare it before and after.
ONETAPE_API int64_t live_tensors();

}  // namespace onetape
