#pragma once

#include <utility>

#include "core/thread_modes.h"

namespace onetape {

class Storage;
class Tensor;

/// Sees what a thread does while it is recorded as a tape, besides the calls of operators: tape/recorder.h.
/// That of the profiler (profiler/span_watcher.h) sees nothing, and is there to have calls observed.
class CallWatcher {
 public:
  virtual ~CallWatcher() = default;
  virtual void storage_made(const Storage& storage) = 0;
  /// Somebody looks at the elements of `t`, by the name of `how`. Throws if that is the program.
  virtual void elements_read(const Tensor& t, const char* how) = 0;
  /// The elements of `t` come from the program itself.
  virtual void constant_made(const Tensor& t) = 0;
  /// An operator takes numbers from a generator that is none of its parameters.
  virtual void numbers_drawn() = 0;
  /// A backward pass begins.
  virtual void backward_begins() = 0;
};

/// For a scope whose operators are nobody's business.
class WatcherPause {
 public:
  WatcherPause() : watcher_(std::exchange(thread_modes.watcher, nullptr)) {}
  ~WatcherPause() { thread_modes.watcher = watcher_; }
  WatcherPause(const WatcherPause&) = delete;
  WatcherPause& operator=(const WatcherPause&) = delete;

 private:
  CallWatcher* watcher_;
};

/// Instead of a name: an operator reads elements, and what its gradient function needs of them it reads
/// again.
inline constexpr const char* kForItself = nullptr;
/// Says that elements leave the engine, for a program that may decide by them.
inline void note_read(const Tensor& t, const char* how) {
  if (thread_modes.watcher) [[unlikely]]
    thread_modes.watcher->elements_read(t, how);
}
/// Says that a tensor was made of what the program gave.
inline void note_constant(const Tensor& t) {
  if (thread_modes.watcher) [[unlikely]]
    thread_modes.watcher->constant_made(t);
}

}  // namespace onetape
