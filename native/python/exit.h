#pragma once

#include <atomic>

namespace onetape::python {

/// Set once the interpreter's exit functions have run; costs one load to ask.
extern std::atomic<bool> g_exit_begun;

/// Is another thread taking the interpreter down? Then this one may touch no object and take no GIL any
/// more: Python 3.13 and earlier end a thread that tries by unwinding its stack, through frames of C++
/// that may not be unwound.
bool exiting_elsewhere_slow() noexcept;
inline bool exiting_elsewhere() noexcept {
  return g_exit_begun.load(std::memory_order_relaxed) && exiting_elsewhere_slow();
}

/// Stops the calling thread for good, as Python 3.14 does with threads that outlive the interpreter.
[[noreturn]] void stop_thread() noexcept;

/// Counts a thread that is about to take the GIL, until it has it: the end of the interpreter waits for it,
/// since the state that CPython keeps for the thread is freed then. Stops a thread that comes too late.
class TakingGil {
 public:
  TakingGil() noexcept;
  ~TakingGil();
  TakingGil(const TakingGil&) = delete;
  TakingGil& operator=(const TakingGil&) = delete;
};

/// To be called once when the module is loaded.
void watch_exit();

}  // namespace onetape::python
