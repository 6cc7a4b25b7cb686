#pragma once

#include <map>
#include <mutex>

#include <sys/types.h>

#include "distributed/socket.h"

namespace onetape::distributed {

/// A store in a file that all processes see. `world_size` processes use it, and the last to let go of it
/// removes it; with fewer than one it stays.
class ONETAPE_API FileStore final : public Store {
 public:
  /// DistStoreError if the file cannot be opened or is none of a store.
  FileStore(std::string path, int64_t world_size);
  ~FileStore() override;
  FileStore(const FileStore&) = delete;
  FileStore& operator=(const FileStore&) = delete;

  void set(const std::string& key, const std::string& value) override;
  std::string get(const std::string& key) override;
  int64_t add(const std::string& key, int64_t amount) override;
  void append(const std::string& key, const std::string& value) override;
  std::string compare_set(const std::string& key, const std::string& expected,
                          const std::string& desired) override;
  bool delete_key(const std::string& key) override;
  bool check(const std::vector<std::string>& keys) override;
  int64_t num_keys() override;
  std::vector<std::string> list_keys() override;
  void wait(const std::vector<std::string>& keys, Milliseconds timeout) override;

  const std::string& path() const { return path_; }

 private:
  enum class Record : uint8_t { Set = 1, Delete = 2 };
  struct Locked;

  [[noreturn]] void fail_to(const char* what) const;
  void read_news(const Descriptor& file);
  bool apply(std::string_view& rest);
  int64_t sum(const std::string& key, int64_t amount);
  void put(const Locked& locked, Record kind, const std::string& key, const std::string& value);

  const std::string path_;
  const int64_t world_size_;
  std::mutex lock_;
  std::map<std::string, std::string> values_;
  off_t read_ = 0;
  ino_t inode_ = 0;
};

}  // namespace onetape::distributed
