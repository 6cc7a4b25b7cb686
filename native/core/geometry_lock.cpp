#include "core/geometry_lock.h"

#include <chrono>
#include <mutex>
#include <new>
#include <thread>

#include <linux/membarrier.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/error.h"

namespace onetape {

ONETAPE_HOT_TLS ReaderSlot* t_reader = nullptr;
std::atomic<bool> geometry_changing{false};
LanguageLock language_lock;

namespace {

constinit thread_local int t_fixed = 0;

std::atomic<ReaderSlot*> g_slots{nullptr};
std::atomic<uint64_t> g_changes{0};

std::mutex& change_lock() {
  static auto* const lock = new std::mutex;  // outlives every thread
  return *lock;
}

/// Gives the slot back when the thread ends.
struct SlotOwner {
  ReaderSlot* slot = nullptr;
  ~SlotOwner() {
    if (!slot) return;
    t_reader = nullptr;
    slot->taken.store(false, std::memory_order_release);
  }
};

ReaderSlot* find_free_slot() {
  for (ReaderSlot* slot = g_slots.load(std::memory_order_acquire); slot; slot = slot->next) {
    if (!slot->taken.load(std::memory_order_relaxed) && !slot->taken.exchange(true)) return slot;
  }
  auto* const slot = new ReaderSlot;
  slot->next = g_slots.load(std::memory_order_relaxed);
  while (!g_slots.compare_exchange_weak(slot->next, slot, std::memory_order_acq_rel)) {
  }
  return slot;
}

/// In the child of a fork no other thread is left.
void forget_other_threads() {
  for (ReaderSlot* slot = g_slots.load(); slot; slot = slot->next) {
    if (slot != t_reader) slot->depth.store(0);
  }
  geometry_changing.store(false);
  new (&change_lock()) std::mutex;  // its holder may be gone
}

#if defined(__SANITIZE_THREAD__)
/// ThreadSanitizer sees no barriers: what it watches reads with a barrier of its own.
void barrier_everywhere() {}
#else
long membarrier(int command) { return syscall(__NR_membarrier, command, 0, 0); }

bool register_barrier() { return membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0; }

/// Taking a right from a page in use makes every processor that runs this program stop for a moment.
void barrier_by_page() {
  static char* const page =
      static_cast<char*>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  if (page == MAP_FAILED) return;
  mprotect(page, 4096, PROT_READ | PROT_WRITE);
  *static_cast<volatile char*>(page) = 1;
  mprotect(page, 4096, PROT_READ);
}

/// A memory barrier in every thread: what each noted before is seen here, what it notes after sees
/// `geometry_changing`.
void barrier_everywhere() {
  static const bool expedited = register_barrier();
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (expedited && membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0) return;
  if (membarrier(MEMBARRIER_CMD_GLOBAL) != 0) barrier_by_page();
}
#endif

/// Waits while `condition()` holds, for a moment awake.
template <typename F>
void wait_while(F condition) {
  constexpr int kYields = 100;
  for (int i = 0; condition(); ++i) {
    if (i < kYields) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }
}

bool anyone_reads() {
  for (ReaderSlot* slot = g_slots.load(std::memory_order_acquire); slot; slot = slot->next) {
    if (slot->depth.load(std::memory_order_seq_cst) != 0) return true;
  }
  return false;
}

}  // namespace

uint64_t geometry_changes() { return g_changes.load(std::memory_order_acquire); }

ReaderSlot* make_reader() {
  static const int prepared = pthread_atfork(nullptr, nullptr, forget_other_threads);
  (void)prepared;
  thread_local SlotOwner owner;
  t_reader = find_free_slot();
  owner.slot = t_reader;
  return t_reader;
}

void wait_for_change(ReaderSlot& slot, uint32_t depth) {
  while (geometry_changing.load(std::memory_order_seq_cst)) {
    slot.depth.store(0, std::memory_order_seq_cst);
    wait_while([] { return geometry_changing.load(std::memory_order_acquire); });
    slot.depth.store(depth, std::memory_order_seq_cst);
  }
}

ReadingPaused::ReadingPaused() {
  if (!t_reader || t_fixed > 0) return;
  depth_ = t_reader->depth.load(std::memory_order_relaxed);
  if (depth_ > 0) t_reader->depth.store(0, std::memory_order_release);
}

ReadingPaused::~ReadingPaused() {
  if (depth_ == 0) return;
  t_reader->depth.store(depth_, std::memory_order_seq_cst);
  wait_for_change(*t_reader, depth_);
}

// The thread reads already, or has the language's lock, with which it must not wait for a change: who makes
// that waits for the lock.
GeometryFixed::GeometryFixed() {
  ReadingGeometry::begin_with_lock();
  ++t_fixed;
}
GeometryFixed::~GeometryFixed() {
  --t_fixed;
  ReadingGeometry::end();
}

ChangingGeometry::ChangingGeometry() {
  check(t_fixed == 0, "a tensor's memory cannot be changed while an operator that is at work saves a tensor");
  if (language_lock.let_go) let_go_ = language_lock.let_go();
  change_lock().lock();
  geometry_changing.store(true, std::memory_order_seq_cst);
  barrier_everywhere();
  wait_while(anyone_reads);
  if (!language_lock.take) return;
  while (held_ = language_lock.take(let_go_), anyone_reads()) {  // entered with the language's lock meanwhile
    if (let_go_) {
      let_go_ = language_lock.let_go();
    } else {
      language_lock.restore(let_go_, held_);
    }
    wait_while(anyone_reads);
  }
}

ChangingGeometry::~ChangingGeometry() {
  g_changes.fetch_add(1, std::memory_order_acq_rel);
  geometry_changing.store(false, std::memory_order_seq_cst);
  change_lock().unlock();
  if (language_lock.restore) language_lock.restore(let_go_, held_);
}

}  // namespace onetape
