#pragma once

#include <atomic>
#include <thread>

namespace onetape {

/// A lock of one byte, for what seldom meets another thread; who waits long lets others run.
class SpinLock {
 public:
  void lock() {
    if (!try_lock()) [[unlikely]]
      wait();
  }
  bool try_lock() { return !held_.test_and_set(std::memory_order_acquire); }
  bool is_held() const { return held_.test(std::memory_order_acquire); }
  void unlock() { held_.clear(std::memory_order_release); }

 private:
  [[gnu::noinline]] void wait() {
    constexpr int kSpins = 256;
    int spins = 0;
    do {
      while (held_.test(std::memory_order_relaxed)) {
        if (++spins < kSpins) {
          relax();
        } else {
          std::this_thread::yield();
        }
      }
    } while (!try_lock());
  }
  static void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  std::atomic_flag held_ = ATOMIC_FLAG_INIT;
};

}  // namespace onetape
