#pragma once

#include <atomic>

namespace onetape {

/// A lock of one byte for fields that are touched for a few nanoseconds.
class SpinLock {
 public:
  void lock() {
    while (held_.test_and_set(std::memory_order_acquire)) {
      while (held_.test(std::memory_order_relaxed)) relax();
    }
  }
  void unlock() { held_.clear(std::memory_order_release); }

 private:
  static void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  std::atomic_flag held_ = ATOMIC_FLAG_INIT;
};

}  // namespace onetape
