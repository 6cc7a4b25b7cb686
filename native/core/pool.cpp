#include "core/pool.h"

#include <array>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <unordered_set>

#include "core/allocator.h"
#include "core/error.h"
#include "core/tls.h"

namespace onetape {
namespace {

constexpr size_t kStep = 16;
constexpr size_t kLargest = 1024;
constexpr size_t kClasses = kLargest / kStep + 1;
constexpr uint32_t kKeep = 4096;  // free blocks kept a class

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kCaching = false;
#else
constexpr bool kCaching = true;
#endif

struct Free {
  Free* next;
};

/// One thread's free lists and its share of the counts. The counts have one writer; others only read them.
struct ThreadPool {
  std::array<Free*, kClasses> heads{};
  std::array<uint32_t, kClasses> counts{};
  std::atomic<int64_t> tensors{0};
  std::atomic<int64_t> bytes{0};

  void trim() {
    for (size_t i = 0; i < kClasses; ++i) {
      while (Free* block = heads[i]) {
        heads[i] = block->next;
        std::free(block);
      }
      counts[i] = 0;
    }
  }
};

void add(std::atomic<int64_t>& counter, int64_t change) {
  counter.store(counter.load(std::memory_order_relaxed) + change, std::memory_order_relaxed);
}

/// Counts of threads that have ended, and of frees after a thread's own pool was gone.
struct Registry {
  std::mutex lock;
  std::unordered_set<ThreadPool*> pools;
  std::atomic<int64_t> tensors{0};
  std::atomic<int64_t> bytes{0};
};

Registry& registry() {
  static auto* one = new Registry;  // outlives every thread
  return *one;
}

ONETAPE_HOT_TLS ThreadPool* t_pool = nullptr;
constinit thread_local bool t_ended = false;

/// The pool itself is on the heap, since thread-local space is scarce (see core/tls.h).
struct Owner {
  std::unique_ptr<ThreadPool> pool = std::make_unique<ThreadPool>();
  Owner() {
    Registry& all = registry();
    const std::lock_guard guard(all.lock);
    all.pools.insert(pool.get());
    t_pool = pool.get();
  }
  ~Owner() {
    Registry& all = registry();
    const std::lock_guard guard(all.lock);
    all.pools.erase(pool.get());
    all.tensors.fetch_add(pool->tensors.load(std::memory_order_relaxed));
    all.bytes.fetch_add(pool->bytes.load(std::memory_order_relaxed));
    pool->trim();
    t_pool = nullptr;
    t_ended = true;
  }
};

[[gnu::noinline]] ThreadPool* make_pool() {
  if (t_ended) return nullptr;
  thread_local Owner owner;
  return owner.pool.get();
}

ThreadPool* pool() {
  if (t_pool) [[likely]] return t_pool;
  return make_pool();
}

void count_bytes(ThreadPool* mine, int64_t change) {
  if (mine) {
    add(mine->bytes, change);
  } else {
    registry().bytes.fetch_add(change, std::memory_order_relaxed);
  }
}

int64_t total(std::atomic<int64_t> ThreadPool::*counter, const std::atomic<int64_t>& ended) {
  Registry& all = registry();
  const std::lock_guard guard(all.lock);
  int64_t sum = ended.load();
  for (ThreadPool* one : all.pools) sum += (one->*counter).load(std::memory_order_relaxed);
  return sum;
}

}  // namespace

void* pool_allocate(size_t bytes) {
  ThreadPool* mine = pool();
  const size_t index = (bytes + kStep - 1) / kStep;
  count_bytes(mine, static_cast<int64_t>(index * kStep));
  if (kCaching && mine && index < kClasses) {
    if (Free* block = mine->heads[index]) {
      mine->heads[index] = block->next;
      --mine->counts[index];
      return block;
    }
  }
  void* block = std::malloc(index * kStep);
  if (!block) fail(ErrorKind::OutOfMemory, "can't allocate ", bytes, " bytes for a tensor or a graph node");
  return block;
}

void pool_free(void* block, size_t bytes) noexcept {
  ThreadPool* mine = pool();
  const size_t index = (bytes + kStep - 1) / kStep;
  count_bytes(mine, -static_cast<int64_t>(index * kStep));
  if (kCaching && mine && index < kClasses && mine->counts[index] < kKeep) {
    auto* freed = static_cast<Free*>(block);
    freed->next = mine->heads[index];
    mine->heads[index] = freed;
    ++mine->counts[index];
    return;
  }
  std::free(block);
}

int64_t pool_live_bytes() { return total(&ThreadPool::bytes, registry().bytes); }

void pool_trim() noexcept {
  if (ThreadPool* mine = pool()) mine->trim();
}

void count_tensor(int change) noexcept {
  if (ThreadPool* mine = pool()) {
    add(mine->tensors, change);
  } else {
    registry().tensors.fetch_add(change, std::memory_order_relaxed);
  }
}

int64_t live_tensors() { return total(&ThreadPool::tensors, registry().tensors); }

}  // namespace onetape
