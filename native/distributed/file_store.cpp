#include "distributed/file_store.h"

#include <cerrno>
#include <cstring>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "distributed/group_error.h"

// A file store is a log: each change is a record of a kind (8 bits), the length of the key and that of the
// value (32 bits each), key and value. Who reads or writes locks the file. What a process that was killed has
// left unfinished at the end is overwritten by the next.

namespace onetape::distributed {
namespace {

constexpr size_t kHeader = 1 + 2 * sizeof(uint32_t);
/// Counts the processes that have let go of the store; no key of a program begins so.
const std::string kFinished("\0finished", 9);

}  // namespace

struct FileStore::Locked {
  explicit Locked(FileStore& store) {
    // The last of an earlier group may just have removed the file that was opened.
    do {
      file = Descriptor(open(store.path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
      if (!file) store.fail_to("open");
      while (flock(file.get(), LOCK_EX) != 0)
        if (errno != EINTR) store.fail_to("lock");
    } while (!still_there(store.path_));
    store.read_news(file);
  }
  bool still_there(const std::string& path) const {
    struct stat by_name {};
    struct stat by_number {};
    return stat(path.c_str(), &by_name) == 0 && fstat(file.get(), &by_number) == 0 &&
           by_name.st_ino == by_number.st_ino && by_name.st_dev == by_number.st_dev;
  }
  Descriptor file;  // closing it unlocks it
};

FileStore::FileStore(std::string path, int64_t world_size) : path_(std::move(path)), world_size_(world_size) {
  const Locked file(*this);
}

FileStore::~FileStore() {
  try {
    const std::lock_guard guard(lock_);
    const Locked file(*this);
    const int64_t finished = sum(kFinished, 1);
    put(file, Record::Set, kFinished, std::to_string(finished));
    if (world_size_ > 0 && finished >= world_size_) unlink(path_.c_str());
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch)
    // The file is gone already, or its disk is full: nothing is left to be tidied.
  }
}

void FileStore::set(const std::string& key, const std::string& value) {
  const std::lock_guard guard(lock_);
  put(Locked(*this), Record::Set, key, value);
}

std::string FileStore::get(const std::string& key) {
  Store::wait({key});
  const std::lock_guard guard(lock_);
  return values_[key];
}

int64_t FileStore::add(const std::string& key, int64_t amount) {
  const std::lock_guard guard(lock_);
  const Locked file(*this);
  const int64_t result = sum(key, amount);
  put(file, Record::Set, key, std::to_string(result));
  return result;
}

void FileStore::append(const std::string& key, const std::string& value) {
  const std::lock_guard guard(lock_);
  const Locked file(*this);
  const auto found = values_.find(key);
  put(file, Record::Set, key, found == values_.end() ? value : found->second + value);
}

std::string FileStore::compare_set(const std::string& key, const std::string& expected,
                                   const std::string& desired) {
  const std::lock_guard guard(lock_);
  const Locked file(*this);
  const auto found = values_.find(key);
  if (found == values_.end() && !expected.empty()) return expected;
  if (found != values_.end() && found->second != expected) return found->second;
  put(file, Record::Set, key, desired);
  return desired;
}

bool FileStore::delete_key(const std::string& key) {
  const std::lock_guard guard(lock_);
  const Locked file(*this);
  if (!values_.contains(key)) return false;
  put(file, Record::Delete, key, "");
  return true;
}

bool FileStore::check(const std::vector<std::string>& keys) {
  const std::lock_guard guard(lock_);
  const Locked file(*this);
  return std::ranges::all_of(keys, [this](const std::string& key) { return values_.contains(key); });
}

int64_t FileStore::num_keys() { return static_cast<int64_t>(list_keys().size()); }
std::vector<std::string> FileStore::list_keys() {
  const std::lock_guard guard(lock_);
  const Locked file(*this);
  std::vector<std::string> all;
  for (const auto& entry : values_)
    if (entry.first != kFinished) all.push_back(entry.first);
  return all;
}

void FileStore::wait(const std::vector<std::string>& keys, Milliseconds timeout) {
  const Clock::time_point deadline = deadline_after(timeout);
  Milliseconds pause(1);
  while (!check(keys)) {
    if (Clock::now() >= deadline) {
      fail_group(GroupError::Part::Store, "wait timeout after ", timeout.count(),
                 "ms, keys: ", key_list(keys));
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, Milliseconds(50));
  }
}

/// The file, opened and locked, and what is new in it read.

void FileStore::fail_to(const char* what) const {
  fail_group(GroupError::Part::Store, "FileStore: cannot ", what, " '", path_, "': ", std::strerror(errno));
}

void FileStore::read_news(const Descriptor& file) {
  struct stat status {};
  if (fstat(file.get(), &status) != 0) fail_to("read");
  if (status.st_ino != inode_ || status.st_size < read_) {  // another file by that name
    values_.clear();
    read_ = 0;
    inode_ = status.st_ino;
  }
  std::string bytes(static_cast<size_t>(status.st_size - read_), '\0');
  size_t got = 0;
  while (got < bytes.size()) {
    const ssize_t count =
        pread(file.get(), bytes.data() + got, bytes.size() - got, read_ + static_cast<off_t>(got));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail_to("read");
    got += static_cast<size_t>(count);
  }
  std::string_view rest = bytes;
  while (apply(rest)) {
  }
  read_ += static_cast<off_t>(bytes.size() - rest.size());
}

/// Takes one record from the front; false if there is no whole one.
bool FileStore::apply(std::string_view& rest) {
  if (rest.empty()) return false;
  const auto kind = static_cast<Record>(rest[0]);
  if (kind != Record::Set && kind != Record::Delete)
    fail_group(GroupError::Part::Store, "FileStore: '", path_, "' is no file of a store");
  if (rest.size() < kHeader) return false;
  uint32_t lengths[2];
  std::memcpy(lengths, rest.data() + 1, sizeof lengths);
  if (rest.size() - kHeader < size_t{lengths[0]} + lengths[1]) return false;
  const std::string key(rest.substr(kHeader, lengths[0]));
  if (kind == Record::Set) {
    values_[key] = rest.substr(kHeader + lengths[0], lengths[1]);
  } else {
    values_.erase(key);
  }
  rest.remove_prefix(kHeader + lengths[0] + lengths[1]);
  return true;
}

int64_t FileStore::sum(const std::string& key, int64_t amount) {
  const auto found = values_.find(key);
  const int64_t before = found == values_.end() ? 0 : stored_number(key, found->second);
  return static_cast<int64_t>(static_cast<uint64_t>(before) + static_cast<uint64_t>(amount));
}

void FileStore::put(const Locked& locked, Record kind, const std::string& key, const std::string& value) {
  std::string record(1, static_cast<char>(kind));
  const uint32_t lengths[2] = {static_cast<uint32_t>(key.size()), static_cast<uint32_t>(value.size())};
  record.append(reinterpret_cast<const char*>(lengths), sizeof lengths);
  record += key + value;
  size_t written = 0;
  while (written < record.size()) {
    const ssize_t count = pwrite(locked.file.get(), record.data() + written, record.size() - written,
                                 read_ + static_cast<off_t>(written));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail_to("write");
    written += static_cast<size_t>(count);
  }
  // What an unfinished record had left behind ours.
  if (ftruncate(locked.file.get(), read_ + static_cast<off_t>(record.size())) != 0) fail_to("write");
  std::string_view rest = record;
  apply(rest);
  read_ += static_cast<off_t>(record.size());
}

}  // namespace onetape::distributed
