#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/export.h"
#include "core/slabs.h"
#include "core/tls.h"

// The inside of the pool, for the engine's own hot paths; everyone else uses core/allocator.h.

namespace onetape {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kPoolCaches = false;  // a cached block would hide a use after free
#else
inline constexpr bool kPoolCaches = true;
#endif

/// One thread's free lists and its share of the counts. The counts have one writer; others only read them.
struct ThreadPool {
  static constexpr size_t kStep = kBlockStep;
  static constexpr size_t kClasses = kBlockSizes;
  static constexpr uint32_t kKeep = 4096;  // free blocks kept a class
  static constexpr uint32_t kBatch = 64;   // blocks taken from the slabs at once

  std::array<FreeBlock*, kClasses> heads{};
  std::array<uint32_t, kClasses> counts{};
  std::atomic<int64_t> tensors{0};
  std::atomic<int64_t> bytes{0};

  static void add(std::atomic<int64_t>& counter, int64_t change) {
    counter.store(counter.load(std::memory_order_relaxed) + change, std::memory_order_relaxed);
  }
  /// Gives all free blocks of a class, or of all, but the `kept` freed last back to the slabs.
  void give_back(size_t index, uint32_t kept) noexcept;
  void give_back_all() noexcept;
};

/// The calling thread's pool, or null before its first use and after the thread's end.
extern ONETAPE_API ONETAPE_HOT_TLS ThreadPool* t_pool;

// Visible outside, since the Python module makes nodes of its own.
ONETAPE_API void* pool_allocate_slow(size_t bytes);
ONETAPE_API void pool_free_slow(void* block, size_t bytes) noexcept;
void count_tensor_slow(int change) noexcept;

inline void* pool_allocate_fast(size_t bytes) {
  ThreadPool* mine = t_pool;
  const size_t index = (bytes + ThreadPool::kStep - 1) / ThreadPool::kStep;
  if (kPoolCaches && mine && index < ThreadPool::kClasses && mine->heads[index]) [[likely]] {
    FreeBlock* const block = mine->heads[index];
    mine->heads[index] = block->next;
    --mine->counts[index];
    ThreadPool::add(mine->bytes, static_cast<int64_t>(index * ThreadPool::kStep));
    return block;
  }
  return pool_allocate_slow(bytes);
}

inline void pool_free_fast(void* block, size_t bytes) noexcept {
  ThreadPool* mine = t_pool;
  const size_t index = (bytes + ThreadPool::kStep - 1) / ThreadPool::kStep;
  if (kPoolCaches && mine && index < ThreadPool::kClasses && mine->counts[index] < ThreadPool::kKeep)
      [[likely]] {
    auto* const freed = static_cast<FreeBlock*>(block);
    freed->next = mine->heads[index];
    mine->heads[index] = freed;
    ++mine->counts[index];
    ThreadPool::add(mine->bytes, -static_cast<int64_t>(index * ThreadPool::kStep));
    return;
  }
  pool_free_slow(block, bytes);
}

/// Counts a tensor made (+1) or freed (-1) by this thread.
inline void count_tensor(int change) noexcept {
  if (t_pool) [[likely]] {
    ThreadPool::add(t_pool->tensors, change);
  } else {
    count_tensor_slow(change);
  }
}

/// Bytes of small blocks in use, over all threads.
int64_t pool_live_bytes();
/// Gives the calling thread's free small blocks back.
void pool_trim() noexcept;

}  // namespace onetape
