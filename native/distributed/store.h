#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/export.h"

namespace onetape::distributed {

using Milliseconds = std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

/// When a time from now is over; no overflow, however long it is.
inline Clock::time_point deadline_after(Milliseconds time) {
  return Clock::now() + std::min<Milliseconds>(time, std::chrono::hours(24 * 3650));
}

/// A small table of keys and values that the processes of a group share, to find each other by.
/// All calls may come from any thread; a call that has to wait ends with a GroupError at the timeout.
class ONETAPE_API Store : public std::enable_shared_from_this<Store> {
 public:
  static constexpr Milliseconds kDefaultTimeout{300'000};

  virtual ~Store() = default;

  virtual void set(const std::string& key, const std::string& value) = 0;
  /// Waits until there is a value.
  virtual std::string get(const std::string& key) = 0;
  /// Adds to the number that a key holds (0 if there is none), and returns the sum.
  virtual int64_t add(const std::string& key, int64_t amount) = 0;
  virtual void append(const std::string& key, const std::string& value) = 0;
  /// Sets a value if the key has `expected`, or has none and `expected` is empty. Returns what it has after
  /// that, `expected` if it has none.
  virtual std::string compare_set(const std::string& key, const std::string& expected,
                                  const std::string& desired) = 0;
  /// True if there was one.
  virtual bool delete_key(const std::string& key) = 0;
  /// Do all of them have values?
  virtual bool check(const std::vector<std::string>& keys) = 0;
  virtual int64_t num_keys() = 0;
  virtual std::vector<std::string> list_keys() = 0;
  /// Waits until all of them have values.
  virtual void wait(const std::vector<std::string>& keys, Milliseconds timeout) = 0;

  void wait(const std::vector<std::string>& keys) { wait(keys, timeout()); }
  std::vector<std::string> multi_get(const std::vector<std::string>& keys);
  void multi_set(const std::vector<std::string>& keys, const std::vector<std::string>& values);

  virtual Milliseconds timeout() const { return timeout_; }
  virtual void set_timeout(Milliseconds timeout) { timeout_ = timeout; }

 private:
  std::atomic<Milliseconds> timeout_{kDefaultTimeout};
};

using StoreRef = std::shared_ptr<Store>;

/// "/a, /b": how errors name keys.
std::string key_list(const std::vector<std::string>& keys);
/// The number that a key holds; RuntimeError where it is none.
int64_t stored_number(const std::string& key, const std::string& value);

/// Another store under keys that begin with a prefix and '/'.
class ONETAPE_API PrefixStore final : public Store {
 public:
  PrefixStore(std::string prefix, StoreRef store) : prefix_(std::move(prefix)), store_(std::move(store)) {}

  void set(const std::string& key, const std::string& value) override { store_->set(full(key), value); }
  std::string get(const std::string& key) override { return store_->get(full(key)); }
  int64_t add(const std::string& key, int64_t amount) override { return store_->add(full(key), amount); }
  void append(const std::string& key, const std::string& value) override { store_->append(full(key), value); }
  std::string compare_set(const std::string& key, const std::string& expected,
                          const std::string& desired) override {
    return store_->compare_set(full(key), expected, desired);
  }
  bool delete_key(const std::string& key) override { return store_->delete_key(full(key)); }
  bool check(const std::vector<std::string>& keys) override { return store_->check(full(keys)); }
  int64_t num_keys() override { return store_->num_keys(); }
  std::vector<std::string> list_keys() override;
  void wait(const std::vector<std::string>& keys, Milliseconds timeout) override {
    store_->wait(full(keys), timeout);
  }
  Milliseconds timeout() const override { return store_->timeout(); }
  void set_timeout(Milliseconds timeout) override { store_->set_timeout(timeout); }

  const std::string& prefix() const { return prefix_; }
  const StoreRef& underlying() const { return store_; }

 private:
  std::string full(const std::string& key) const { return prefix_ + "/" + key; }
  std::vector<std::string> full(const std::vector<std::string>& keys) const;

  std::string prefix_;
  StoreRef store_;
};

}  // namespace onetape::distributed
