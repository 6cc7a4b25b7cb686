// Slabs as in Bonwick, "The Slab Allocator: An Object-Caching Kernel Memory Allocator" (USENIX 1994): a slab
// holds blocks of one size and is found from a block's address. Blocks that are taken together lie together,
// and a slab without blocks in use serves any size.

#include "core/slabs.h"

#include <array>
#include <cstdlib>
#include <mutex>

#include <pthread.h>
#include <sys/mman.h>

#include "core/room.h"
#include "core/spin_lock.h"

namespace onetape {
namespace {

constexpr size_t kSlab = size_t{1} << 16;    // also the alignment
constexpr size_t kRegion = size_t{1} << 22;  // what the system is asked for at once
constexpr size_t kHeader = 64;
constexpr size_t kKeptIdle = 256;  // slabs without blocks in use whose memory is kept

struct Slab {
  Slab* next = nullptr;  // of those with free blocks of this size, or of the idle ones
  Slab* previous = nullptr;
  FreeBlock* free = nullptr;  // blocks that were given back
  uint32_t bytes = 0;         // of a block
  uint32_t in_use = 0;
  uint32_t untouched = 0;  // where the blocks begin that were never taken
  bool listed = false;

  bool has_free() const { return free || untouched + bytes <= kSlab; }
  FreeBlock* take() {
    ++in_use;
    if (free) {
      FreeBlock* const block = free;
      free = block->next;
      return block;
    }
    char* const block = reinterpret_cast<char*>(this) + untouched;
    untouched += bytes;
    return reinterpret_cast<FreeBlock*>(block);
  }
};
static_assert(sizeof(Slab) <= kHeader);

class Slabs {
 public:
  static Slabs& instance() {
    static auto* one = new Slabs;  // outlives every thread
    return *one;
  }

  FreeBlock* take(size_t bytes, uint32_t most, uint32_t& count) noexcept {
    const std::lock_guard guard(lock_);
    Slab*& first = partial_[bytes / kBlockStep];
    if (!first && !start_slab(bytes)) return nullptr;
    Slab& slab = *first;
    FreeBlock* list = nullptr;
    FreeBlock** end = &list;
    for (count = 0; count < most && slab.has_free(); ++count) {
      *end = slab.take();
      end = &(*end)->next;
    }
    *end = nullptr;
    if (!slab.has_free()) unlist(slab);
    return list;
  }

  void give(FreeBlock* blocks) noexcept {
    const std::lock_guard guard(lock_);
    while (blocks) {
      FreeBlock* const block = blocks;
      blocks = block->next;
      Slab& slab = *reinterpret_cast<Slab*>(reinterpret_cast<uintptr_t>(block) & ~(kSlab - 1));
      block->next = slab.free;
      slab.free = block;
      if (!slab.listed) list(slab);
      if (--slab.in_use == 0) end_slab(slab);
    }
  }

  void trim() noexcept {
    const std::lock_guard guard(lock_);
    for (size_t count = idle_count_; count > 0; --count) release(*take_idle());
  }

  int64_t bytes() noexcept {
    const std::lock_guard guard(lock_);
    return static_cast<int64_t>(busy_ * kSlab);
  }

 private:
  Slabs() {
    // A child of fork() has only the thread that called it, which then holds the lock and no other does.
    pthread_atfork([] { instance().lock_.lock(); }, [] { instance().lock_.unlock(); },
                   [] { instance().lock_.unlock(); });
  }

  void list(Slab& slab) noexcept {
    Slab*& first = partial_[slab.bytes / kBlockStep];
    slab.next = first;
    slab.previous = nullptr;
    if (first) first->previous = &slab;
    first = &slab;
    slab.listed = true;
  }
  void unlist(Slab& slab) noexcept {
    (slab.previous ? slab.previous->next : partial_[slab.bytes / kBlockStep]) = slab.next;
    if (slab.next) slab.next->previous = slab.previous;
    slab.listed = false;
  }

  bool start_slab(size_t bytes) noexcept {
    void* const memory = idle_ ? static_cast<void*>(take_idle()) : take_new();
    if (!memory) return false;
    Slab& slab = *new (memory) Slab;
    slab.bytes = static_cast<uint32_t>(bytes);
    slab.untouched = kHeader;
    ++busy_;
    list(slab);
    return true;
  }
  void end_slab(Slab& slab) noexcept {
    unlist(slab);
    --busy_;
    if (idle_count_ >= kKeptIdle) {
      release(slab);
      return;
    }
    slab.next = idle_;
    idle_ = &slab;
    ++idle_count_;
  }
  Slab* take_idle() noexcept {
    Slab* const slab = idle_;
    idle_ = slab->next;
    --idle_count_;
    return slab;
  }

  /// The address range is kept for later.
  void release(Slab& slab) noexcept {
    madvise(&slab, kSlab, MADV_DONTNEED);
    if (released_count_ == released_capacity_ && !grow_released()) {
      slab.next = idle_;  // no room to note it: kept like the others
      idle_ = &slab;
      ++idle_count_;
      return;
    }
    released_[released_count_++] = &slab;
  }
  bool grow_released() noexcept {
    const size_t capacity = released_capacity_ ? 2 * released_capacity_ : 1024;
    void* const grown = std::realloc(static_cast<void*>(released_), capacity * sizeof(void*));
    if (!grown) return false;
    released_ = static_cast<void**>(grown);
    released_capacity_ = capacity;
    return true;
  }

  void* take_new() noexcept {
    if (released_count_ > 0) return released_[--released_count_];
    if (region_ == region_end_) {
      if (!leaves_room(kRegion + kSlab)) return nullptr;
      void* const memory =
          mmap(nullptr, kRegion + kSlab, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (memory == MAP_FAILED) return nullptr;
      region_ = (reinterpret_cast<uintptr_t>(memory) + kSlab - 1) & ~(kSlab - 1);
      region_end_ = region_ + kRegion;
    }
    void* const slab = reinterpret_cast<void*>(region_);
    region_ += kSlab;
    return slab;
  }

  SpinLock lock_;
  std::array<Slab*, kBlockSizes> partial_{};  // slabs with free blocks, by their size
  size_t busy_ = 0;                           // slabs with blocks in use
  Slab* idle_ = nullptr;                      // slabs without
  size_t idle_count_ = 0;
  void** released_ = nullptr;  // slabs without memory
  size_t released_count_ = 0;
  size_t released_capacity_ = 0;
  uintptr_t region_ = 0;  // what the system gave last and was never used
  uintptr_t region_end_ = 0;
};

}  // namespace

FreeBlock* take_blocks(size_t bytes, uint32_t most, uint32_t& count) noexcept {
  return Slabs::instance().take(bytes, most, count);
}
void give_blocks(FreeBlock* blocks) noexcept { Slabs::instance().give(blocks); }
void trim_slabs() noexcept { Slabs::instance().trim(); }
int64_t slab_bytes() noexcept { return Slabs::instance().bytes(); }

}  // namespace onetape
