#include "core/pool.h"

#include <algorithm>
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

ONETAPE_HOT_TLS ThreadPool* t_pool = nullptr;

void ThreadPool::give_back(size_t index, uint32_t kept) noexcept {
  FreeBlock** end = &heads[index];
  for (uint32_t i = 0; i < kept && *end; ++i) end = &(*end)->next;
  give_blocks(*end);
  *end = nullptr;
  counts[index] = std::min(counts[index], kept);
}

void ThreadPool::give_back_all() noexcept {
  for (size_t i = 0; i < kClasses; ++i) give_back(i, 0);
}

namespace {

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
    pool->give_back_all();
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
  if (t_pool) [[likely]]
    return t_pool;
  return make_pool();
}

/// Blocks without bytes take the smallest.
size_t class_of(size_t bytes) {
  return std::max<size_t>(1, (bytes + ThreadPool::kStep - 1) / ThreadPool::kStep);
}

void count_bytes(ThreadPool* mine, int64_t change) {
  if (mine) {
    ThreadPool::add(mine->bytes, change);
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

void* pool_allocate(size_t bytes) { return pool_allocate_fast(bytes); }
void pool_free(void* block, size_t bytes) noexcept { pool_free_fast(block, bytes); }

void* pool_allocate_slow(size_t bytes) {
  ThreadPool* const mine = pool();
  const size_t index = class_of(bytes);
  const size_t rounded = index * ThreadPool::kStep;
  void* block = nullptr;
  if (!kPoolCaches || index >= ThreadPool::kClasses) {
    block = std::malloc(rounded);
  } else {
    uint32_t count = 0;
    FreeBlock* const blocks = take_blocks(rounded, mine ? ThreadPool::kBatch : 1, count);
    block = blocks;
    if (blocks && mine) {
      mine->heads[index] = blocks->next;
      mine->counts[index] = count - 1;
    }
  }
  if (!block) fail(ErrorKind::OutOfMemory, "can't allocate ", bytes, " bytes for a tensor or a graph node");
  count_bytes(mine, static_cast<int64_t>(rounded));
  return block;
}

void pool_free_slow(void* block, size_t bytes) noexcept {
  ThreadPool* const mine = pool();
  const size_t index = class_of(bytes);
  count_bytes(mine, -static_cast<int64_t>(index * ThreadPool::kStep));
  if (!kPoolCaches || index >= ThreadPool::kClasses) {
    std::free(block);
    return;
  }
  auto* const freed = static_cast<FreeBlock*>(block);
  freed->next = nullptr;
  if (!mine) {
    give_blocks(freed);
    return;
  }
  if (mine->counts[index] >= ThreadPool::kKeep) mine->give_back(index, ThreadPool::kKeep / 2);
  freed->next = mine->heads[index];
  mine->heads[index] = freed;
  ++mine->counts[index];
}

int64_t pool_live_bytes() { return total(&ThreadPool::bytes, registry().bytes); }

void pool_trim() noexcept {
  if (ThreadPool* mine = pool()) mine->give_back_all();
  trim_slabs();
}

void count_tensor_slow(int change) noexcept {
  if (ThreadPool* mine = pool()) {
    ThreadPool::add(mine->tensors, change);
  } else {
    registry().tensors.fetch_add(change, std::memory_order_relaxed);
  }
}

int64_t live_tensors() { return total(&ThreadPool::tensors, registry().tensors); }

}  // namespace onetape
