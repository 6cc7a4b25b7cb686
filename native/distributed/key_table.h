#pragma once

#include <condition_variable>
#include <map>
#include <mutex>

#include "distributed/store.h"

namespace onetape::distributed {

/// The keys and values of a store that lives in this process.
class KeyTable {
 public:
  void set(const std::string& key, const std::string& value);
  std::optional<std::string> find(const std::string& key);
  int64_t add(const std::string& key, int64_t amount);
  void append(const std::string& key, const std::string& value);
  std::string compare_set(const std::string& key, const std::string& expected, const std::string& desired);
  bool erase(const std::string& key);
  bool has(const std::vector<std::string>& keys);
  int64_t count();
  void clear();
  std::vector<std::string> keys();
  /// False if they are not all there at the deadline.
  bool wait(const std::vector<std::string>& keys, Clock::time_point deadline);

 private:
  bool has_locked(const std::vector<std::string>& keys) const;

  std::mutex lock_;
  std::condition_variable changed_;
  std::map<std::string, std::string> values_;
};

}  // namespace onetape::distributed
