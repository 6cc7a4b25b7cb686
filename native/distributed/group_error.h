#pragma once

#include <sstream>
#include <string>
#include <utility>

#include "core/error.h"

namespace onetape::distributed {

/// What went wrong between processes. PyTorch's DistBackendError, DistNetworkError and DistStoreError, which
/// are RuntimeErrors.
class ONETAPE_API GroupError : public Error {
 public:
  enum class Part : uint8_t { Backend, Network, Store };

  GroupError(Part part, std::string message) : Error(ErrorKind::Runtime, std::move(message)), part_(part) {}
  Part part() const noexcept { return part_; }

 private:
  Part part_;
};

/// Throws a GroupError whose text is the parts written one after the other.
template <typename... Parts>
[[noreturn]] [[gnu::cold, gnu::noinline]] void fail_group(GroupError::Part part, const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  throw GroupError(part, text.str());
}

}  // namespace onetape::distributed
