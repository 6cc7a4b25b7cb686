#include "core/allocator.h"

#include <array>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/memory_teller.h"
#include "core/pool.h"
#include "core/reserve.h"
#include "core/room.h"
#include "core/tls.h"

namespace onetape {

ONETAPE_HOT_TLS MemoryTeller t_memory_teller = nullptr;

namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kThreadBlock = size_t{1} << 20;        // blocks up to here are cached in the thread
constexpr size_t kThreadCacheBytes = size_t{16} << 20;  // at most this much a thread
constexpr size_t kSharedCacheBytes = size_t{1} << 30;   // at most this much for all
constexpr size_t kClasses = 160;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kCaching = false;  // a cached block would hide a use after free
#else
constexpr bool kCaching = true;
#endif

std::atomic<int64_t> g_live{0};
std::atomic<int64_t> g_peak{0};
std::atomic<int64_t> g_cached{0};
std::atomic<int64_t> g_allocations{0};

/// Four classes between two powers of two: at most a quarter of a block is wasted.
struct SizeClass {
  size_t index;
  size_t bytes;
};

SizeClass size_class(size_t bytes) {
  if (bytes <= kAlignment) return {0, kAlignment};
  const size_t top = std::bit_width(bytes - 1);  // 2^(top-1) < bytes <= 2^top
  const size_t step = (size_t{1} << (top - 1)) / 4;
  const size_t quarters = (bytes - (size_t{1} << (top - 1)) + step - 1) / step;  // 1..4
  return {(top - 7) * 4 + quarters, (size_t{1} << (top - 1)) + quarters * step};
}

using Lists = std::array<std::vector<void*>, kClasses>;

/// The size of the blocks of a class; the opposite of size_class.
size_t class_bytes(size_t index) {
  if (index == 0) return kAlignment;
  const size_t base = size_t{1} << ((index - 1) / 4 + 6);
  return base + ((index - 1) % 4 + 1) * base / 4;
}

/// Blocks of all threads. What one thread makes and another frees, such as the batches of a loader's workers,
/// comes back this way; left to the system, aligned blocks are rarely used again before glibc 2.38, and
/// memory grows.
class SharedCache {
 public:
  void* take(const SizeClass& cls) {
    if (cls.index >= kClasses) return nullptr;
    const std::lock_guard guard(lock_);
    auto& list = lists_[cls.index];
    if (list.empty()) return nullptr;
    void* block = list.back();
    list.pop_back();
    bytes_ -= cls.bytes;
    return block;
  }

  bool keep(void* block, const SizeClass& cls) {
    if (cls.index >= kClasses) return false;
    const std::lock_guard guard(lock_);
    if (bytes_ + cls.bytes > kSharedCacheBytes) return false;
    lists_[cls.index].push_back(block);
    bytes_ += cls.bytes;
    return true;
  }

  /// Gives everything back to the system; returns how many bytes.
  size_t clear() {
    const std::lock_guard guard(lock_);
    for (auto& list : lists_) {
      for (void* block : list) std::free(block);
      list.clear();
    }
    return std::exchange(bytes_, 0);
  }

 private:
  std::mutex lock_;
  Lists lists_;
  size_t bytes_ = 0;
};

SharedCache& shared_cache() {
  static auto* cache = new SharedCache;  // never destroyed: threads may free blocks while the process ends
  return *cache;
}

struct ThreadCache {
  Lists lists;
  size_t bytes = 0;

  /// Gives everything back to the system, or to the other threads.
  void clear(bool to_others) noexcept {
    for (size_t i = 0; i < kClasses; ++i) {
      for (void* block : lists[i]) {
        const SizeClass cls{i, class_bytes(i)};
        if (!to_others || !kept_for_others(block, cls)) {
          std::free(block);
          g_cached.fetch_sub(static_cast<int64_t>(cls.bytes), std::memory_order_relaxed);
        }
      }
      lists[i].clear();
    }
    bytes = 0;
  }

 private:
  static bool kept_for_others(void* block, const SizeClass& cls) noexcept {
    try {
      return shared_cache().keep(block, cls);
    } catch (...) {
      return false;  // no memory for the list itself
    }
  }
};

ONETAPE_HOT_TLS ThreadCache* t_cache = nullptr;
constinit thread_local bool t_ended = false;

/// The cache itself is on the heap, since thread-local space is scarce (see core/tls.h).
struct ThreadCacheOwner {
  std::unique_ptr<ThreadCache> cache = std::make_unique<ThreadCache>();
  ThreadCacheOwner() { t_cache = cache.get(); }
  ~ThreadCacheOwner() {
    cache->clear(true);
    t_cache = nullptr;
    t_ended = true;
  }
};

ThreadCache* thread_cache() {
  if (!t_cache && !t_ended) {
    thread_local ThreadCacheOwner owner;
    (void)owner;
  }
  return t_cache;
}

void* take_cached(const SizeClass& cls) {
  if (!kCaching) return nullptr;
  void* block = nullptr;
  ThreadCache* cache = cls.bytes <= kThreadBlock ? thread_cache() : nullptr;
  if (cache && !cache->lists[cls.index].empty()) {
    block = cache->lists[cls.index].back();
    cache->lists[cls.index].pop_back();
    cache->bytes -= cls.bytes;
  } else {
    block = shared_cache().take(cls);
    if (!block) return nullptr;
  }
  g_cached.fetch_sub(static_cast<int64_t>(cls.bytes), std::memory_order_relaxed);
  return block;
}

bool keep_cached(void* block, const SizeClass& cls) noexcept {
  if (!kCaching) return false;
  try {
    ThreadCache* cache = cls.bytes <= kThreadBlock ? thread_cache() : nullptr;
    if (cache && cache->bytes + cls.bytes <= kThreadCacheBytes) {
      cache->lists[cls.index].push_back(block);
      cache->bytes += cls.bytes;
    } else if (!shared_cache().keep(block, cls)) {
      return false;
    }
  } catch (...) {
    return false;  // no memory for the list itself: free the block instead
  }
  g_cached.fetch_add(static_cast<int64_t>(cls.bytes), std::memory_order_relaxed);
  return true;
}

/// Memory from the system, or null. Not aligned_alloc, which wants a multiple of the alignment.
void* system_block(size_t bytes) {
  constexpr size_t kUnseen = size_t{1} << 20;  // getting so much takes much longer than looking
  static std::atomic<size_t> unseen{0};
  if (unseen.fetch_add(bytes, std::memory_order_relaxed) + bytes >= kUnseen) {
    if (!leaves_room(bytes)) return nullptr;  // and the next one looks again
    unseen.store(0, std::memory_order_relaxed);
  }
  void* block = nullptr;
  return posix_memalign(&block, kAlignment, bytes) == 0 ? block : nullptr;
}

}  // namespace

void* allocate(size_t bytes) {
  if (MemoryReserve* reserve = MemoryReserve::current()) [[unlikely]] {
    if (void* block = reserve->take(bytes)) return block;
  }
  constexpr size_t kMost = size_t{1} << 46;  // more than any machine's address space for data
  void* block = nullptr;
  if (bytes <= kMost) {
    const SizeClass cls = size_class(bytes);
    block = take_cached(cls);
    if (!block) block = system_block(cls.bytes);
    if (!block) {
      empty_cache();
      block = system_block(cls.bytes);
    }
  }
  if (!block) {
    fail(ErrorKind::OutOfMemory, "DefaultCPUAllocator: can't allocate memory: you tried to allocate ", bytes,
         " bytes. Error code 12 (Cannot allocate memory)\nTensors hold ", g_live.load(), " bytes now, ",
         g_cached.load(), " more are cached.");
  }
  const int64_t live =
      g_live.fetch_add(static_cast<int64_t>(bytes), std::memory_order_relaxed) + static_cast<int64_t>(bytes);
  g_allocations.fetch_add(1, std::memory_order_relaxed);
  int64_t peak = g_peak.load(std::memory_order_relaxed);
  while (live > peak && !g_peak.compare_exchange_weak(peak, live, std::memory_order_relaxed)) {
  }
  tell_memory(static_cast<int64_t>(bytes), block);
  return block;
}

void deallocate(void* data, size_t bytes) noexcept {
  if (!data) return;
  if (MemoryReserve* reserve = MemoryReserve::current()) [[unlikely]] {
    if (reserve->keep(data, bytes)) return;
  }
  g_live.fetch_sub(static_cast<int64_t>(bytes), std::memory_order_relaxed);
  tell_memory(-static_cast<int64_t>(bytes), data);
  if (!keep_cached(data, size_class(bytes))) std::free(data);
}

MemoryStats memory_stats() {
  return {g_live.load() + pool_live_bytes(), g_peak.load(), g_cached.load(), g_allocations.load()};
}

void reset_peak_memory() { g_peak.store(g_live.load()); }

void empty_cache() {
  if (ThreadCache* cache = thread_cache()) cache->clear(false);
  g_cached.fetch_sub(static_cast<int64_t>(shared_cache().clear()), std::memory_order_relaxed);
  pool_trim();
}

}  // namespace onetape
