#include "distributed/store.h"

#include <charconv>

#include "core/error.h"

namespace onetape::distributed {

std::string key_list(const std::vector<std::string>& keys) {
  std::string text;
  for (const std::string& key : keys) text += (text.empty() ? "/" : ", /") + key;
  return text;
}

int64_t stored_number(const std::string& key, const std::string& value) {
  int64_t number = 0;
  const char* end = value.data() + value.size();
  const auto [stopped, error] = std::from_chars(value.data(), end, number);
  check(error == std::errc() && stopped == end, "add: the key '", key, "' holds no number");
  return number;
}

std::vector<std::string> Store::multi_get(const std::vector<std::string>& keys) {
  std::vector<std::string> values;
  values.reserve(keys.size());
  for (const std::string& key : keys) values.push_back(get(key));
  return values;
}

void Store::multi_set(const std::vector<std::string>& keys, const std::vector<std::string>& values) {
  check_value(keys.size() == values.size(), "multi_set: there are ", keys.size(), " keys and ", values.size(),
              " values");
  for (size_t i = 0; i < keys.size(); ++i) set(keys[i], values[i]);
}

std::vector<std::string> PrefixStore::list_keys() {
  std::vector<std::string> own;
  for (const std::string& key : store_->list_keys())
    if (key.starts_with(prefix_ + "/")) own.push_back(key.substr(prefix_.size() + 1));
  return own;
}

std::vector<std::string> PrefixStore::full(const std::vector<std::string>& keys) const {
  std::vector<std::string> all;
  all.reserve(keys.size());
  for (const std::string& key : keys) all.push_back(full(key));
  return all;
}

}  // namespace onetape::distributed
