#pragma once

#include <atomic>

namespace onetape::python {

/// Set when the interpreter's exit functions run; costs one load to ask.
extern std::atomic<bool> g_exit_begun;

/// Has another thread begun to take the interpreter down? Then this one may touch no object and take no GIL
/// any more: Python 3.13 and earlier end a thread that tries by unwinding its stack, through frames of C++
/// that may not be unwound.
bool exiting_elsewhere_slow() noexcept;
inline bool exiting_elsewhere() noexcept {
  return g_exit_begun.load(std::memory_order_relaxed) && exiting_elsewhere_slow();
}

/// Stops the calling thread for good, as Python 3.14 does with threads that outlive the interpreter.
[[noreturn]] void stop_thread() noexcept;

/// To be called once when the module is loaded.
void watch_exit();

}  // namespace onetape::python
