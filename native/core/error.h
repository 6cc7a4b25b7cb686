#pragma once

#include <cstdint>
#include <exception>
#include <sstream>
#include <string>
#include <utility>

#include "core/export.h"

namespace onetape {

/// What went wrong; each face maps a kind to one exception class (see native/python/errors.cpp,
/// native/java/errors.cpp).
enum class ErrorKind : uint8_t {
  Runtime,
  Index,
  Value,
  Type,
  NotImplemented,
  OutOfMemory,
  Closed,
  NullPointer
};

/// The only exception the engine throws on purpose.
class ONETAPE_API Error : public std::exception {
 public:
  Error(ErrorKind kind, std::string message) : kind_(kind), message_(std::move(message)) {}
  ErrorKind kind() const noexcept { return kind_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  ErrorKind kind_;
  std::string message_;
};

[[noreturn]] ONETAPE_API void throw_error(ErrorKind kind, std::string message);

/// Throws an Error whose text is the parts written one after the other.
template <typename... Parts>
[[noreturn]] [[gnu::cold, gnu::noinline]] void fail(ErrorKind kind, const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  throw_error(kind, text.str());
}

template <typename... Parts>
void check(bool condition, const Parts&... parts) {
  if (!condition) [[unlikely]]
    fail(ErrorKind::Runtime, parts...);
}
template <typename... Parts>
void check_index(bool condition, const Parts&... parts) {
  if (!condition) [[unlikely]]
    fail(ErrorKind::Index, parts...);
}
template <typename... Parts>
void check_value(bool condition, const Parts&... parts) {
  if (!condition) [[unlikely]]
    fail(ErrorKind::Value, parts...);
}
template <typename... Parts>
void check_type(bool condition, const Parts&... parts) {
  if (!condition) [[unlikely]]
    fail(ErrorKind::Type, parts...);
}

}  // namespace onetape
