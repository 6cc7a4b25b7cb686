#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "core/error.h"

namespace onetape::java {

/// Numbers that stand for shared objects on behalf of Java objects, where there are few of them and calls
/// take long. A number is never used again, so closing one twice, or while another thread uses it, is
/// harmless.
template <typename T>
class SharedTable {
 public:
  int64_t add(std::shared_ptr<T> object) {
    if (!object) return 0;
    const std::lock_guard lock(lock_);
    objects_.emplace(++last_, std::move(object));
    return last_;
  }
  /// An error once it was closed.
  std::shared_ptr<T> get(int64_t number, const char* what) {
    const std::lock_guard lock(lock_);
    const auto found = objects_.find(number);
    if (found == objects_.end()) fail(ErrorKind::Value, "the ", what, " was closed");
    return found->second;
  }
  void remove(int64_t number) {
    std::shared_ptr<T> last;  // declared before the lock, so that it ends after it
    const std::lock_guard lock(lock_);
    const auto found = objects_.find(number);
    if (found == objects_.end()) return;
    last = std::move(found->second);
    objects_.erase(found);
  }

 private:
  std::mutex lock_;
  int64_t last_ = 0;
  std::unordered_map<int64_t, std::shared_ptr<T>> objects_;
};

}  // namespace onetape::java
