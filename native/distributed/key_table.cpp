#include "distributed/key_table.h"

#include <algorithm>

namespace onetape::distributed {

void KeyTable::set(const std::string& key, const std::string& value) {
  const std::lock_guard lock(lock_);
  values_[key] = value;
  changed_.notify_all();
}

std::optional<std::string> KeyTable::find(const std::string& key) {
  const std::lock_guard lock(lock_);
  const auto found = values_.find(key);
  return found == values_.end() ? std::nullopt : std::optional(found->second);
}

int64_t KeyTable::add(const std::string& key, int64_t amount) {
  const std::lock_guard lock(lock_);
  const auto found = values_.find(key);
  const int64_t before = found == values_.end() ? 0 : stored_number(key, found->second);
  const auto sum = static_cast<int64_t>(static_cast<uint64_t>(before) + static_cast<uint64_t>(amount));
  values_[key] = std::to_string(sum);
  changed_.notify_all();
  return sum;
}

void KeyTable::append(const std::string& key, const std::string& value) {
  const std::lock_guard lock(lock_);
  values_[key] += value;
  changed_.notify_all();
}

std::string KeyTable::compare_set(const std::string& key, const std::string& expected,
                                  const std::string& desired) {
  const std::lock_guard lock(lock_);
  const auto found = values_.find(key);
  if (found == values_.end()) {
    if (!expected.empty()) return expected;
    values_[key] = desired;
  } else {
    if (found->second != expected) return found->second;
    found->second = desired;
  }
  changed_.notify_all();
  return desired;
}

bool KeyTable::erase(const std::string& key) {
  const std::lock_guard lock(lock_);
  return values_.erase(key) > 0;
}

bool KeyTable::has(const std::vector<std::string>& keys) {
  const std::lock_guard lock(lock_);
  return has_locked(keys);
}

int64_t KeyTable::count() {
  const std::lock_guard lock(lock_);
  return static_cast<int64_t>(values_.size());
}

void KeyTable::clear() {
  const std::lock_guard lock(lock_);
  values_.clear();
}

std::vector<std::string> KeyTable::keys() {
  const std::lock_guard lock(lock_);
  std::vector<std::string> all;
  all.reserve(values_.size());
  for (const auto& entry : values_) all.push_back(entry.first);
  return all;
}

bool KeyTable::wait(const std::vector<std::string>& keys, Clock::time_point deadline) {
  std::unique_lock lock(lock_);
  return changed_.wait_until(lock, deadline, [&] { return has_locked(keys); });
}

bool KeyTable::has_locked(const std::vector<std::string>& keys) const {
  return std::ranges::all_of(keys, [this](const std::string& key) { return values_.contains(key); });
}

}  // namespace onetape::distributed
