#pragma once

#include "distributed/key_table.h"

namespace onetape::distributed {

/// A store within one process.
class ONETAPE_API HashStore final : public Store {
 public:
  void set(const std::string& key, const std::string& value) override { table_.set(key, value); }
  std::string get(const std::string& key) override {
    Store::wait({key});
    return table_.find(key).value_or("");
  }
  int64_t add(const std::string& key, int64_t amount) override { return table_.add(key, amount); }
  void append(const std::string& key, const std::string& value) override { table_.append(key, value); }
  std::string compare_set(const std::string& key, const std::string& expected,
                          const std::string& desired) override {
    return table_.compare_set(key, expected, desired);
  }
  bool delete_key(const std::string& key) override { return table_.erase(key); }
  bool check(const std::vector<std::string>& keys) override { return table_.has(keys); }
  int64_t num_keys() override { return table_.count(); }
  std::vector<std::string> list_keys() override { return table_.keys(); }
  void wait(const std::vector<std::string>& keys, Milliseconds timeout) override;

 private:
  KeyTable table_;
};

}  // namespace onetape::distributed
