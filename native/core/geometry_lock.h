#pragma once

#include <atomic>
#include <cstdint>

#include "core/export.h"
#include "core/tls.h"

// Sizes, strides, offset and storage of a tensor change seldom, but are read everywhere, several times in one
// operator. So readers pay next to nothing: a thread notes in a place of its own that it reads. Who changes
// them bars the way for new readers, has the kernel of the system put a memory barrier into all threads, and
// waits until those inside have left.
//
// A language that lets only one of its threads run at a time (Python) need not note its short calls: its lock
// is held, too, while something changes.

namespace onetape {

/// Where one thread notes how deep it is inside operators. Never freed: a thread that ends leaves it to
/// others.
struct ReaderSlot {
  std::atomic<uint32_t> depth{0};
  std::atomic<bool> taken{true};
  ReaderSlot* next = nullptr;
};

/// The calling thread's slot; null before its first use.
extern ONETAPE_API ONETAPE_HOT_TLS ReaderSlot* t_reader;
extern ONETAPE_API std::atomic<bool> geometry_changing;

ONETAPE_API ReaderSlot* make_reader();
ONETAPE_API void wait_for_change(ReaderSlot& slot, uint32_t depth);

/// For a scope in which tensors are read without the language's lock.
class ReadingGeometry {
 public:
  ReadingGeometry() : slot_(begin()) {}
  ~ReadingGeometry() { end(slot_); }
  ReadingGeometry(const ReadingGeometry&) = delete;
  ReadingGeometry& operator=(const ReadingGeometry&) = delete;

  /// The same by calls.
  static ReaderSlot& begin() {
    ReaderSlot& slot = *(t_reader ? t_reader : make_reader());
    enter(slot, slot.depth.load(std::memory_order_relaxed) + 1);
    return slot;
  }
  static void end() { end(*t_reader); }
  /// begin() for a thread that has the language's lock and is about to give it up: it does not wait, since
  /// who changes something looks again once it has that lock.
  static void begin_with_lock() {
    ReaderSlot& slot = *(t_reader ? t_reader : make_reader());
    slot.depth.store(slot.depth.load(std::memory_order_relaxed) + 1, std::memory_order_seq_cst);
  }

 private:
  static void end(ReaderSlot& slot) {
    slot.depth.store(slot.depth.load(std::memory_order_relaxed) - 1, std::memory_order_release);
  }
  static void enter(ReaderSlot& slot, uint32_t depth) {
#if defined(__SANITIZE_THREAD__)
    slot.depth.store(depth, std::memory_order_seq_cst);
    const bool barred = geometry_changing.load(std::memory_order_seq_cst);
#else
    slot.depth.store(depth, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);  // the rest of the barrier is up to who changes
    const bool barred = geometry_changing.load(std::memory_order_acquire);
#endif
    if (barred && depth == 1) [[unlikely]]  // deeper in, they wait for this thread
      wait_for_change(slot, depth);
  }

  ReaderSlot& slot_;
};

/// For a scope in which this thread, inside an operator, runs code of a program, which may wait for other
/// threads. Between two nodes of a run, too. What was read of a tensor before is to be read again after it.
class ONETAPE_API ReadingPaused {
 public:
  ReadingPaused();
  ~ReadingPaused();
  ReadingPaused(const ReadingPaused&) = delete;
  ReadingPaused& operator=(const ReadingPaused&) = delete;

 private:
  uint32_t depth_ = 0;
};

/// Lets a change that another thread wants happen now.
inline void let_geometry_change() {
  if (geometry_changing.load(std::memory_order_relaxed)) [[unlikely]] {
    const ReadingPaused pause;
  }
}

/// For a scope in which code of a program runs in the middle of an operator, which will not read again what
/// it knows: nothing may change until it is done, and this thread is refused with an error.
class ONETAPE_API GeometryFixed {
 public:
  GeometryFixed();
  ~GeometryFixed();
  GeometryFixed(const GeometryFixed&) = delete;
  GeometryFixed& operator=(const GeometryFixed&) = delete;
};

/// How many changes there were. Of two equal numbers, read inside one operator, nothing changed between.
ONETAPE_API uint64_t geometry_changes();

/// For the scope of a change: no other thread is inside an operator. Before and after it others may make
/// changes: what the thread read of any tensor is to be read again.
class ONETAPE_API ChangingGeometry {
 public:
  ChangingGeometry();
  ~ChangingGeometry();
  ChangingGeometry(const ChangingGeometry&) = delete;
  ChangingGeometry& operator=(const ChangingGeometry&) = delete;

 private:
  ReadingPaused pause_;  // first to begin, last to end
  void* let_go_ = nullptr;
  int held_ = 0;
};

/// How a language lets go of its lock while this thread waits, takes it for the change, and has it as before.
struct LanguageLock {
  /// Gives the lock up if the thread has it; what restore() needs.
  void* (*let_go)() = nullptr;
  /// Takes it.
  int (*take)(void* let_go) = nullptr;
  /// Gives it up again if the thread did not have it.
  void (*restore)(void* let_go, int taken) = nullptr;
};
/// Set once by the language that has one.
ONETAPE_API extern LanguageLock language_lock;

}  // namespace onetape
