#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace onetape::profiler {

/// The calls that a thread was in, innermost first: `train.py(12): step`.
using Stack = std::vector<std::string>;

/// Names and calls that spans point to, each once. What is here stays where it is.
class KeptTexts {
 public:
  const char* name(std::string_view text) {
    const std::lock_guard guard(lock_);
    return names_.emplace(text).first->c_str();
  }
  const Stack* stack(Stack calls) {
    const std::lock_guard guard(lock_);
    return &stacks_.emplace(std::move(calls), 0).first->first;
  }

 private:
  std::mutex lock_;
  std::unordered_set<std::string> names_;
  std::map<Stack, int> stacks_;
};

}  // namespace onetape::profiler
